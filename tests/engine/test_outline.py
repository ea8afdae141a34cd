"""What is defined where, language by language."""

import pytest

from cedit_engine.outline import definitions, heads


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import a\n\ndef f():\n    return 1\n\nx = 2\n", [("f", 2, 4)]),
        ("class A:\n    def f(self):\n        pass\n", [("A", 0, 3), ("f", 1, 3)]),
        ("export function f(a) {\n  return a;\n}\n\nf(1);\n", [("f", 0, 3)]),
        ("class A {\n  f(a) {\n    if (a) {\n    }\n  }\n}\n", [("A", 0, 6), ("f", 1, 5)]),
        ("func (s *Stack) Pop() (int, error) {\n\treturn 0\n}\n", [("Pop", 0, 3)]),
        ("int f(int a,\n      int b) {\n  return a;\n}\n", [("f", 0, 4)]),
        ("pub fn f() -> u8 {\n    1\n}\n", [("f", 0, 3)]),
        ("def self.f\n  1\nend\n", [("f", 0, 3)]),
        ("if (a) {\n}\n", []),
    ],
)
def test_definitions(text: str, expected: list[tuple[str, int, int]]) -> None:
    found = [
        (each.name, each.lines.start, each.lines.stop) for each in definitions(text.split("\n"))
    ]
    assert found == expected
    assert heads(text) == {name for name, _, _ in expected}
