#!/usr/bin/env python3
"""Print a table of a CSV file's columns."""

import argparse
import csv
import sys


def read_rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def column_widths(rows, columns):
    widths = {}
    for column in columns:
        longest = max((len(row[column]) for row in rows), default=0)
        widths[column] = max(longest, len(column))
    return widths


def format_row(values, widths):
    return "  ".join(value.ljust(width) for value, width in zip(values, widths))


def format_table(rows, columns):
    widths = column_widths(rows, columns)
    sizes = [widths[column] for column in columns]
    lines = [format_row(columns, sizes)]
    lines.append(format_row(["-" * size for size in sizes], sizes))
    for row in rows:
        lines.append(format_row([row[column] for column in columns], sizes))
    return "\n".join(lines)


def numeric_sum(rows, column):
    total = 0.0
    for row in rows:
        try:
            total += float(row[column])
        except ValueError:
            pass
    return total


def build_parser():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", help="the CSV file")
    parser.add_argument("--columns", help="comma-separated names")
    parser.add_argument("--sum", metavar="COLUMN", help="add up a column")
    return parser


def main(argv=None):
    options = build_parser().parse_args(argv)
    rows = read_rows(options.file)
    if not rows:
        print("no rows")
        return 1
    columns = options.columns.split(",") if options.columns else list(rows[0])
    print(format_table(rows, columns))
    if options.sum:
        print(f"sum of {options.sum}: {numeric_sum(rows, options.sum)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
