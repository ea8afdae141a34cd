"""Read log files of the form ``2024-05-01 12:00:00 LEVEL message``."""

import re
from collections import Counter

LINE = re.compile(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) (\w+) (.*)")


def parse_line(line):
    match = LINE.match(line)
    if not match:
        return None
    date, time, level, message = match.groups()
    return {"date": date, "time": time, "level": level, "message": message}


def parse(lines):
    entries = []
    for line in lines:
        entry = parse_line(line)
        if entry:
            entries.append(entry)
    return entries


def count_levels(entries):
    return Counter(entry["level"] for entry in entries)


def errors(entries):
    result = []
    for entry in entries:
        if entry["level"] == "ERROR":
            result.append(entry)
    return result


def busiest_day(entries):
    days = Counter(entry["date"] for entry in entries)
    day, count = days.most_common(1)[0]
    return day


def summary(lines):
    entries = parse(lines)
    levels = count_levels(entries)
    parts = [f"{level}: {levels[level]}" for level in sorted(levels)]
    return ", ".join(parts)
