import string


def is_palindrome(text):
    letters = [c.lower() for c in text if c.isalpha()]
    return letters == letters[::-1]


def word_count(text):
    counts = {}
    for word in text.split():
        counts[word] = counts.get(word, 0) + 1
    return counts


def truncate(text, width):
    if len(text) <= width:
        return text
    return text[: width - 3] + "..."


def slugify(text):
    text = text.strip().lower()
    allowed = string.ascii_lowercase + string.digits + "-"
    text = text.replace(" ", "-")
    return "".join(c for c in text if c in allowed)


def caesar(text, shift):
    result = ""
    for c in text:
        if c in string.ascii_lowercase:
            position = string.ascii_lowercase.index(c)
            result += string.ascii_lowercase[(position + shift) % 26]
        elif c in string.ascii_uppercase:
            position = string.ascii_uppercase.index(c)
            result += string.ascii_uppercase[(position + shift) % 26]
        else:
            result += c
    return result


def initials(name):
    return "".join(part[0].upper() for part in name.split())
