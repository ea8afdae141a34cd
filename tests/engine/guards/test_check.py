"""What each guard sees and what it lets pass."""

import pytest

from cedit_engine.bench.tasks import load_suite
from cedit_engine.guards.check import GUARDS, concerns_about
from cedit_engine.guards.concerns import (
    Concern,
    DefinitionsGone,
    Deleted,
    DocstringGone,
    Doubled,
    Elided,
    HalfRenamed,
    ImportsGone,
    InDocstring,
    KeysGone,
    Marked,
    Missing,
    MixedIndentation,
    MostlyDeleted,
    NoChange,
    NoLongerParses,
    OddCharacters,
    Repeated,
    StillThere,
    Straying,
    Undefined,
    Unreachable,
    Unused,
    words_for_concern,
)
from cedit_engine.source import Source
from cedit_engine.task import Task

PYTHON = "import os\n\n\ndef first():\n    return os.sep\n\n\nclass Second:\n    x = 1\n"


def concerns(
    before: str, after: str, name: str = "f.py", instruction: str = "do it", *off: str
) -> list[Concern]:
    task = Task.of(Source.from_bytes(before.encode()), instruction, name)
    return list(concerns_about(task, after.encode(), off))


def test_an_edit_that_changes_nothing() -> None:
    assert concerns(PYTHON, PYTHON) == [NoChange()]
    assert concerns(PYTHON, PYTHON.replace("1", "2")) == []


@pytest.mark.parametrize(
    ("name", "good", "bad", "line"),
    [
        ("f.py", "x = 1\n", "x = 1\ny = (\n", 2),
        ("f.json", '{"a": 1}', '{"a": 1,\n}', 1),
        ("f.toml", "a = 1\n", "a = 1\nb = \n", 2),
        ("f.js", "let a = 1;\n", "let a = 1;\nlet b = (;\n", 2),
        ("f.ts", "let a: number = 1;\n", "let a: number = 1;\nlet b: = 2;\n", 2),
        ("f.go", "package p\n", "package p\nfunc {\n", 2),
        ("f.rs", "fn f() {}\n", "fn f() {}\nfn g( {}\n", 2),
        ("f.c", "int a;\n", "int a;\nint f( { return 0; }\n", 2),
        ("f.cpp", "class A {};\n", "class A {};\nclass B {\n", 2),
        ("F.java", "class F {}\n", "class F {}\nclass {}\n", 2),
        ("f.rb", "x = 1\n", "x = 1\ndef f\n", 2),
        ("f.sh", "echo a\n", "echo a\nif true; then\n", 2),
        ("f.yaml", "a: 1\n", "a: 1\nb: [1\n", 2),
        ("f.css", "a { color: red; }\n", "a { color: red; }\nb { color\n", 2),
    ],
)
def test_a_file_that_no_longer_parses(name: str, good: str, bad: str, line: int) -> None:
    (seen,) = concerns(good, bad, name)
    assert isinstance(seen, NoLongerParses)
    assert abs(seen.line - line) <= 1
    assert seen.reason
    assert not concerns(bad, bad + "\n", name), "it did not parse before"
    assert not concerns(good, bad, "f.txt")


def test_definitions_that_nobody_asked_to_remove() -> None:
    without = PYTHON.replace("def first", "def other")
    assert concerns(PYTHON, without) == [DefinitionsGone(("first",))]
    assert concerns(PYTHON, without, "f.py", "Rename `first` to other.") == []
    assert concerns(PYTHON, without, "f.py", "Remove what is not needed.") == []
    seen = concerns(PYTHON, without, "f.py", "Remove Second.")
    assert seen == [DefinitionsGone(("first",)), StillThere(("Second",))], "it names another"
    assert concerns(PYTHON, without, "f.py", "Fix Second.") == [DefinitionsGone(("first",))]


def test_a_method_that_nobody_asked_to_remove() -> None:
    before = "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"
    after = "class A:\n    def g(self):\n        return 2\n"
    assert concerns(before, after, "f.py", "Let g return 2.") == [DefinitionsGone(("A.f",))]
    assert concerns(before, after, "f.py", "Delete f.") == []
    for named in ("Add a method h to A, like f.", "Fix A.f.", "Let f return 2."):
        seen = concerns(before, after, "f.py", named, "requests")
        assert seen == [DefinitionsGone(("A.f",))], "to name it is not to ask for its loss"
    gone = "b = 1\n"
    assert concerns(before, gone, "f.py", "Replace class A by b = 1.", "deletions") == []


def test_a_definition_that_moved_is_not_gone() -> None:
    before = "def f(a):\n    return a\n\n\nclass A:\n    x = 1\n"
    after = "class A:\n    x = 1\n\n    def f(a):\n        return a\n"
    assert concerns(before, after, "f.py", "f belongs to A.") == []
    assert concerns(before, after, "f.py", "Add a method to A.") == [DefinitionsGone(("f",))]
    two = (
        "class A:\n    def f(self):\n        return 1\n\n\n"
        + "class B:\n    def f(self):\n        return 2\n"
    )
    one = two.replace("    def f(self):\n        return 1\n", "    x = 1\n")
    assert concerns(two, one, "f.py", "Fix B.") == [DefinitionsGone(("A.f",))]


@pytest.mark.parametrize(
    "line",
    [
        "export default async function gone() {}",
        "pub(crate) fn gone() {}",
        "func gone() {",
        "func (s *Stack) gone() int {",
        "export const gone = 1;",
        "interface gone {",
        "class gone:",
        "    public double gone(int a) {",
        "  async gone(a, b) {",
        "char *gone(const char *text) {",
        "  def self.gone",
    ],
)
def test_definitions_of_other_languages(line: str) -> None:
    seen = concerns(f"{line}\nrest\n", "rest\n", "f.xyz", "do it", "deletions")
    assert seen == [DefinitionsGone(("gone",))]


@pytest.mark.parametrize("line", ["    if (a) {", "  items.map((a) => {", "} else {", "type of it"])
def test_what_only_looks_like_a_definition(line: str) -> None:
    name = "f.md" if line.startswith("type") else "f.js"
    assert not concerns(f"{line}\nrest\n", "rest\n", name, "do it", "syntax")


def test_imports_that_are_gone() -> None:
    before = "import os\nfrom a import b\n\n\ndef f():\n    return os.sep\n"
    unused = before.replace("from a import b\n", "")
    assert concerns(before, unused) == [ImportsGone(("b",))]
    assert concerns(before, unused, "f.py", "Remove the import of b.") == []
    assert concerns(before, unused, "f.py", "Remove what is not used.") == []
    assert concerns(before, unused, "f.py", "Remove the import of os.") == [ImportsGone(("b",))]
    no_longer_used = before.replace("import os\n", "").replace("os.sep", "'/'")
    assert concerns(before, no_longer_used) == []


@pytest.mark.parametrize(
    ("name", "before", "after", "gone"),
    [
        ("f.json", '{"a": {"b": 1}, "c": 2}', '{"a": {}, "c": 2}', "a.b"),
        ("f.toml", "[a]\nb = 1\nc = 2\n", "[a]\nc = 2\n", "a.b"),
        ("f.yaml", "a: 1\nb: 2\n", "b: 2\n", "a"),
        ("f.ini", "[s]\na = 1\nb = 2\n", "[s]\nb = 2\n", "a"),
        ("f.md", "# T\n\n## Use\n\ntext\n", "# T\n\ntext\n", "Use"),
        ("f.css", "a {\n  x: 1;\n}\nb {\n  x: 1;\n}\n", "b {\n  x: 1;\n}\n", "a"),
        ("f.sql", "CREATE TABLE t (a);\nCREATE TABLE u (a);\n", "CREATE TABLE u (a);\n", "t"),
        ("Makefile", "a:\n\tx\nb:\n\ty\n", "b:\n\ty\n", "a"),
    ],
)
def test_keys_that_are_gone(name: str, before: str, after: str, gone: str) -> None:
    assert concerns(before, after, name) == [KeysGone((gone,))]
    last = gone.rpartition(".")[2]
    assert concerns(before, after, name, f"Remove {last}.") == []


@pytest.mark.parametrize(
    ("name", "before", "after", "instruction", "gone"),
    [
        (
            "f.json",
            '{"a": {"x": 1, "y": 2}, "b": {"z": 3}}',
            '{"a": {"y": 2}}',
            "Remove the dependency on x.",
            ("b", "b.z"),
        ),
        ("f.ini", "[s]\na = 1\nb = 2\nc = 3\n", "[s]\nc = 3\n", "Delete a.", ("b",)),
        ("f.md", "# Use\n\n# Etc.\n\n# End\n", "# End\n", "Drop Use.", ("Etc.",)),
    ],
)
def test_of_keys_only_those_that_are_named_may_go(
    name: str, before: str, after: str, instruction: str, gone: tuple[str, ...]
) -> None:
    assert KeysGone(gone) in concerns(before, after, name, instruction)
    assert concerns(before, after, name, "Remove what nobody needs.", "deletions") == []


def test_a_key_that_is_spelled_as_a_particle_is_not_named_by_one() -> None:
    before = "on: push\njobs:\n  style:\n    run: lint\n  test:\n    run: tests\n"
    after = before.replace("  style:\n    run: lint\n", "")
    assert concerns(before, after, "ci.yaml", "Remove the job that lints on each push.") == []
    assert concerns(before, after, "ci.yaml", "Remove the test.") == [KeysGone(("style",))]


def test_a_name_that_is_bound_nowhere() -> None:
    before = "def f(key):\n    if key:\n        return key(1)\n    return key\n"
    after = before.replace("def f(key)", "def f(keyfunc)")
    assert concerns(before, after) == [Undefined("key", (2, 3, 4))]
    assert concerns(before, before.replace("key", "keyfunc")) == []
    starred = "from a import *\n\n\n"
    assert concerns(starred + before, starred + after) == [Undefined("key", (5, 6, 7))]
    assert concerns(starred + before, starred + before.replace("key(1)", "other(1)")) == []
    assert concerns("print(x)\n", "print(x, 1)\n") == [], "it was unbound before"


def test_an_attribute_that_is_renamed_in_part() -> None:
    before = (
        "class A:\n    def __init__(self):\n        self.old = 1\n\n"
        "    def f(self):\n        return self.old\n"
    )
    after = before.replace("self.old = 1", "self.new = 1")
    assert concerns(before, after) == [HalfRenamed("old", (6,))]
    assert concerns(before, before.replace("old", "new")) == []


def test_a_method_that_is_renamed_in_part() -> None:
    before = "class A:\n    def size(self):\n        return 1\n\n\ndef f(a):\n    return a.size()\n"
    after = before.replace("def size", "def length")
    seen = concerns(before, after, "f.py", "Rename size to length.")
    assert seen == [HalfRenamed("size", (7,))]


def test_an_attribute_that_goes_with_its_class_or_that_new_lines_read_is_not_renamed() -> None:
    before = (
        "class A:\n    size: int\n    depth: int\n\n\ndef f(a, b):\n    return a.size, b.depth\n"
    )
    moved = f"from m import A\n\n\n{before.partition(chr(10) * 3)[2]}"
    assert concerns(before, moved, "f.py", "Move A to m.") == []
    passed_on = before.replace("    size: int\n", "    box: Box\n").replace("a.size", "a.box.size")
    seen = concerns(f"from m import Box\n{before}", f"from m import Box\n{passed_on}")
    assert seen == []


def test_a_function_of_another_language_that_is_renamed_in_part() -> None:
    before = "function pad(a) {\n  return a;\n}\n\nconst b = pad(1);\n"
    after = before.replace("function pad", "function fill")
    seen = concerns(before, after, "f.js", "Rename pad to fill.")
    assert seen == [HalfRenamed("pad", (5,))]


@pytest.mark.parametrize(
    ("instruction", "names"),
    [
        ("Add a function third_of(x) that divides by three.", ("third_of",)),
        ("Write a class called `third`.", ("third",)),
        ("Give first a second parameter decimals=1.", ("decimals",)),
        ("Rename first to primary.", ("primary",)),
        ("Add a function that divides.", ()),
        ("Add a method returning one to Second.", ()),
        ("Let a function first(x) return 3.", ()),
        ("Add an option to log.", ()),
        ("Rename nothing to something.", ()),
    ],
)
def test_what_is_asked_for_by_name_and_not_there(instruction: str, names: tuple[str, ...]) -> None:
    after = PYTHON.replace("x = 1", "x = 2")
    assert concerns(PYTHON, after, "f.py", instruction) == ([Missing(names)] if names else [])
    for name in names:
        added = after + f"\n\ndef {name}():\n    pass\n"
        assert concerns(PYTHON, added, "f.py", instruction) == []


def test_code_in_a_docstring() -> None:
    before = 'def f(a):\n    """One.\n\n    Two.\n    """\n    return a\n'
    check = "    if not a:\n        raise ValueError(a)\n"
    inside = before.replace('"""One.\n', f'"""One.\n{check}')
    assert concerns(before, inside) == [InDocstring((3, 4), 7)]
    assert concerns(before, before.replace("    return", f"{check}    return")) == []
    for line in ("    If a is nothing.", "    >>> f(1)", "    b = f(1)", "    return"):
        told = before.replace("    Two.\n", f"    Two.\n{line} of it\n")
        assert concerns(before, told) == [], line
    assert concerns("x\n", "x\ny\n", "f.txt") == []


@pytest.mark.parametrize(
    ("body", "seen"),
    [
        ("return a\nreturn b", Unreachable(3, "return", 2)),
        ("raise E\na()", Unreachable(3, "raise", 2)),
        ("while a:\n    break\n    a()", Unreachable(4, "break", 3)),
        ("for a in b:\n    if a:\n        continue\n        a()", Unreachable(5, "continue", 4)),
        ("try:\n    return a\n    a()\nfinally:\n    b()", Unreachable(4, "return", 3)),
        ("if a:\n    return a\nreturn b", None),
        ("return\nyield", None),
        ("a()\nraise E\ndead()", None),
        ("raise E\ndead_by_another_name()", None),
    ],
)
def test_code_that_is_never_run(body: str, seen: Concern | None) -> None:
    before = "def f(a, b):\n    raise E\n" + "    dead()\n" * ("dead" in body)
    after = "def f(a, b):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    assert concerns(before, after, "f.py", "do it", "names") == ([seen] if seen else [])
    assert concerns(before, after, "f.txt") == []


BODY = ["  let a = 1;", "  a += b;", "", "  a *= c;", "  return a;"]


@pytest.mark.parametrize(
    ("lines", "seen"),
    [
        ([*BODY, *BODY], Repeated(7, 11)),
        ([*BODY, "", *BODY], Repeated(8, 12)),
        (["  if (c) {", *BODY, "  }", *BODY], None),
        ([*BODY[:2], *BODY], None),
        (BODY[::-1], None),
    ],
)
def test_lines_that_stand_twice_in_a_row(lines: list[str], seen: Concern | None) -> None:
    before, after = ("\n".join(["function f(b, c) {", *body, "}", ""]) for body in (BODY, lines))
    assert concerns(before, after, "f.js") == ([seen] if seen else [])
    assert concerns(before, after, "f.md") == []
    assert concerns(after, after.replace("(b, c)", "(b, c, d)"), "f.js") == []


def test_a_docstring_that_is_gone() -> None:
    of_class, of_method = '    """What A is."""\n\n', '        """What."""\n'
    before = f"class A:\n{of_class}    def f(self):\n{of_method}        return 1\n"
    for docstring, name in ((of_class, "A"), (of_method, "A.f")):
        after = before.replace(docstring, "")
        assert concerns(before, after) == [DocstringGone(name)]
        assert concerns(before, after, "f.py", "Remove the docstring.") == []
    assert concerns(before, before.replace("What A is", "An A")) == []
    assert concerns('"""A file."""\na = 1\n', "a = 2\n") == [DocstringGone("")]
    assert concerns("", "a = 2\n") == []


def test_what_is_mostly_deleted() -> None:
    body = "".join(f"    a{n} = {n}\n" for n in range(9))
    before = f"def f():\n{body}    return 1\n\n\ndef g():\n{body}    return 2\n"
    hollow = before.replace(body, "", 1)
    assert concerns(before, hollow, "f.py", "Fix it.") == [MostlyDeleted("f", 11, 2)]
    assert concerns(before, hollow, "f.py", "Shorten f.") == []
    assert MostlyDeleted("", 22, 4) in concerns(before, before.replace(body, ""))


@pytest.mark.parametrize(
    "line",
    [
        "# ... rest of the code",
        "// ... existing code ...",
        "# The rest of the function remains the same",
        "/* unchanged code */",
        "    # … (same as before)",
        "<!-- rest of the page -->",
        "# Rest of your code here",
        "// keep the rest of the file as it was",
        "# Other methods here...",
        "-- code omitted",
        "# ... (existing methods)",
    ],
)
def test_elisions(line: str) -> None:
    assert concerns("a\nb\n", f"a\n{line}\n", "f.txt") == [Elided((2,))]


@pytest.mark.parametrize(
    "line",
    [
        "# the rest",
        "...",
        "# existing users",
        "code remains here",
        "# skip the rest of the line",
        "# The rest of the file is read when somebody asks for it.",
        "# ... and then it is closed",
        "# must not break existing code",
        "# What gives way to other code was meant to, and the rest of the edit may rely on it.",
    ],
)
def test_what_only_looks_like_an_elision(line: str) -> None:
    assert not concerns("a\nb\n", f"a\n{line}\n", "f.txt")


@pytest.mark.parametrize(
    ("after", "what", "lines"),
    [
        ("a\n```\n", "a code fence", (2,)),
        ("a\n<<<<<<< HEAD\n", "conflict markers", (2,)),
        ("</new>\nb\n", "tags of an answer", (1,)),
        ("a\n<|im_end|>\n", "chat markup", (2,)),
        ("1| a\n2| b\n", "line numbers", (1, 2)),
    ],
)
def test_markup(after: str, what: str, lines: tuple[int, ...]) -> None:
    assert concerns("a\nb\n", after, "f.txt") == [Marked(what, lines)]
    assert not concerns(f"{after}x\n", f"{after}y\n", "f.txt"), "the file holds it"


def test_fences_are_at_home_in_markdown() -> None:
    assert not concerns("a\nb\n", "a\n```\nc\n```\n", "f.md")


def test_odd_characters() -> None:
    after = "a = \u201cx\u201d\n"
    seen = concerns('a = "y"\n', after, "f.txt")
    assert seen == [OddCharacters(("\u201c", "\u201d"), (1,))]
    assert not concerns('a = "y"\n', after, "f.txt", "use \u201cx\u201d")


def test_indentation() -> None:
    assert concerns("a:\n    b\n", "a:\n    b\n\tc\n", "f.txt") == [MixedIndentation((3,))]
    assert concerns("a:\n\tb\n", "a:\n\tb\n    c\n", "f.txt") == [MixedIndentation((3,))]
    assert not concerns("a:\n\tb\n", "a:\n\tb\n\t c\n", "f.txt")
    assert not concerns("a\n", "a\n\tb\n", "f.txt"), "nothing is indented yet"


def test_each_guard_can_be_switched_off() -> None:
    before = 'import a\n\n\ndef f():\n    return "x"\n'
    after = "def g():\n\treturn \u201cx\u201d\n```\n# rest of the code\n"
    assert len(concerns(before, after)) > 3
    assert concerns(before, after, "f.py", "do it", *GUARDS) == []


def test_bytes_that_are_no_text_are_no_concern() -> None:
    task = Task.of(Source.from_bytes(b"\xff = 1\n"), "do it", "f.py")
    assert concerns_about(task, b"\xff = 2\n") == ()


def test_every_concern_has_words() -> None:
    many = tuple(range(1, 9))
    assert words_for_concern(Undefined("key", (14, 16))).startswith("used key on lines 14, 16 and")
    assert "nor imported" in words_for_concern(Undefined("Any", (1,), is_new=True))
    for concern in (
        NoChange(), NoLongerParses(1, "r"), DefinitionsGone(("a",)), ImportsGone(("a",)),
        KeysGone(("a",)), HalfRenamed("a", (1,)), Missing(("a",)), MostlyDeleted("", 9, 1),
        InDocstring((1,), 2), Elided((1,)), Marked("w", many), OddCharacters(("\u00a0",), (1,)),
        MixedIndentation((1,)), DocstringGone(""), Repeated(1, 3), Unreachable(2, "return", 1),
    ):  # fmt: skip
        assert words_for_concern(concern)
    assert "1, 2, 3, 4, 5 and more" in words_for_concern(Elided(many))


def test_no_guard_objects_to_a_right_edit() -> None:
    for task in load_suite().tasks:
        assert concerns_about(task.task, task.reference.encode()) == (), task.name


DEPOSITS = """\
import logging

LIMIT = 3


class Account:
    def deposit(self, amount):
        self.balance += amount

    # Not below zero.
    def withdraw(self, amount):
        self.balance -= amount

    def transfer(self, amount, other):
        self.withdraw(amount)
        other.deposit(amount)
"""
MORE = DEPOSITS.replace("+= amount", "+= 2 * amount")


@pytest.mark.parametrize(
    ("changes", "instruction", "lines"),
    [
        ([("-= amount", "-= amount + 1")], "deposit should double it.", (12,)),
        ([("LIMIT = 3", "LIMIT = 4\nLEAST = 1")], "deposit should double it.", (3, 4)),
        ([("LIMIT = 3\n", "")], "deposit should double it.", (3,)),
        ([("-= amount", "-= amount + 1")], "Log deposits and every withdrawal.", ()),
        ([("-= amount", "-= amount + 1")], "Account should double it.", ()),
        ([("-= amount", "-= amount + 1")], "Double it.", ()),
        ([("-= amount", "-= amount + 1")], "deposit and all other methods: double it.", ()),
        ([("-= amount", "-= amount + 1")], "Double it in deposit and everywhere.", ()),
        ([("# Not below zero", "# Not below 0")], "deposit should double it.", (10,)),
        ([("# Not below zero", "# Not below 0")], "deposit and withdraw should log.", ()),
        ([("import logging", "import logging\nimport os")], "deposit should double it.", ()),
        ([("import logging\n", "import logging\n\n")], "deposit should double it.", ()),
        ([("other.deposit(amount)", "other.deposit(1)")], "deposit should double it.", ()),
        ([("LIMIT = 3", "LIMIT = 4")], "deposit should heed `LIMIT`.", ()),
        (
            [("LIMIT = 3", "LIMIT = 3\nFEE = 1"), ("2 * amount", "amount - FEE")],
            "A fee to deposit.",
            (),
        ),
        ([("LIMIT = 3", "FEE = 3"), ("2 * amount", "amount - FEE")], "A fee to deposit.", ()),
    ],
)
def test_changes_outside_of_what_is_named(
    changes: list[tuple[str, str]], instruction: str, lines: tuple[int, ...]
) -> None:
    after = MORE
    for old, new in changes:
        assert old in after
        after = after.replace(old, new)
    seen = concerns(DEPOSITS, after, "f.py", instruction)
    assert [each for each in seen if isinstance(each, Straying)] == [Straying(lines)] * bool(lines)


def test_changes_outside_of_what_is_named_where_none_is_inside() -> None:
    assert concerns(DEPOSITS, DEPOSITS.replace("-= amount", "-= 1"), "f.py", "deposit it") == []
    assert concerns("def deposit\n\na: 1\n", "def deposit 2\n\na: 2\n", "f.md", "deposit") == []


@pytest.mark.parametrize(
    ("before", "after", "name", "seen"),
    [
        ("class A:\n    x = 1\n", "class A:\n    x = 1\n" * 2, "f.py", ("A",)),
        ("def f():\n    pass\n", "def f():\n    pass\n" * 2, "f.py", ("f",)),
        ("def f():\n    pass\n" * 2, "def f():\n    return\n" * 2, "f.py", ()),
        ("class A:\n    pass\n", "class A:\n    def f(s): 1\n    def f(s): 2\n", "f.py", ("A.f",)),
        ("a = 1\n", "@overload\ndef f(): ...\n@overload\ndef f(): ...\n", "f.py", ()),
        ("a = 1\n", "if a:\n    def f(): 1\nelse:\n    def f(): 2\n", "f.py", ()),
        ("class A {\n}\n", "class A {\n}\nclass A {\n}\n", "f.js", ("class A",)),
        ("int f(int a) {\n}\n", "int f(int a) {\n}\n" * 2, "f.c", ("int f(int a)",)),
        ("int f(int a) {\n}\n", "int f(int a) {\n}\nint f(char a) {\n}\n", "f.cc", ()),
        ("fn f() {\n}\n", "fn f() {\n}\nmod a {\n    fn f() {\n    }\n}\n", "f.rs", ()),
        ("if (a) {\n}\n", "if (a) {\n}\nif (a) {\n}\n", "f.js", ()),
    ],
)
def test_what_is_defined_a_second_time(
    before: str, after: str, name: str, seen: tuple[str, ...]
) -> None:
    found = concerns(before, after, name)
    assert [each for each in found if isinstance(each, Doubled)] == [Doubled(seen)] * bool(seen)


BLOCK = '"""One.\n\nTwo.\nThree.\n"""\n\nA = 1\n\n\ndef f():\n    return A\n'


@pytest.mark.parametrize(
    ("after", "instruction", "seen"),
    [
        ("A =" + BLOCK.partition("A =")[2], "Sort it.", [Deleted(1, 6)]),
        ("A =" + BLOCK.partition("A =")[2], "Remove the docstring.", []),
        ("A =" + BLOCK.partition("A =")[2], "Rewrite it.", []),
        ("# 1\n# 2\n\nA =" + BLOCK.partition("A =")[2], "Sort it.", []),
        (BLOCK.partition("A =")[2].strip() + "\n" + BLOCK.partition("A =")[0], "Sort it.", []),
        (BLOCK.replace("Two.\n", ""), "Sort it.", []),
    ],
)
def test_a_block_that_nobody_spoke_of(after: str, instruction: str, seen: list[Deleted]) -> None:
    found = concerns(BLOCK, after, "f.py", instruction)
    assert [each for each in found if isinstance(each, Deleted)] == seen


REQUESTS = "def pad(a):\n    return a\n\n\ndef fill(a):\n    return pad(a) + 1\n"
USED = "def one(a):\n    return a + 1\n\n\ndef fill(a):\n    return one(a)\n"


@pytest.mark.parametrize(
    ("before", "after", "instruction", "seen"),
    [
        (REQUESTS, REQUESTS.replace("pad(a) +", "a +"), "Remove pad.", StillThere(("pad",))),
        (REQUESTS, REQUESTS.replace("1", "2"), "Delete `fill()`, please.", StillThere(("fill",))),
        (
            REQUESTS,
            REQUESTS.replace("pad(a) +", "a +"),
            "Inline the function pad into fill and remove it.",
            StillThere(("pad",)),
        ),
        (REQUESTS, REQUESTS.partition("def fill")[2], "Remove the function pad.", None),
        (REQUESTS, REQUESTS.replace("pad(a) +", "a +"), "Remove pad from fill.", None),
        (REQUESTS, REQUESTS.replace("1", "2"), "Remove the parameter pad of fill.", None),
        (
            REQUESTS,
            USED.replace("one(a)\n", "a + 1\n"),
            "Extract + 1 into a function one.",
            Unused("one"),
        ),
        (REQUESTS, USED, "Extract + 1 into a function one.", None),
    ],
)
def test_what_was_asked_for_and_not_done(
    before: str, after: str, instruction: str, seen: StillThere | Unused | None
) -> None:
    found = concerns(before, after, "f.py", instruction)
    assert [each for each in found if isinstance(each, StillThere | Unused)] == [seen] * bool(seen)
