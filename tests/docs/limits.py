#!/usr/bin/env python3
"""The tables of docs/limits.md equal those of the sources (core/data/FileLimits.h; `Limits` in
repl/lang/evaluate/Evaluator.h).
Usage: limits.py REPOSITORY [--update]; --update writes the page."""
import pathlib
import re
import sys

FILE_ROW = re.compile(r'\{FileRole::\w+, (\d+), "([^"]*)"\}')
SNIPPETS = {  # members of `Limits`: their meaning, and the format of the value
    "callDepth": ("nested calls of a snippet's functions", lambda n: f"{n}"),
    "stackBytes": ("stack that expressions and calls may take", lambda n: f"{n >> 20} MiB"),
    "containerItems": ("items of one list, tuple or dict", lambda n: f"{n:,}"),
    "stringBytes": ("one string", lambda n: f"{n >> 20} MiB"),
    "arrayBytes": ("one array that a snippet makes", lambda n: f"{n >> 20} MiB"),
}
MEMBER = re.compile(r"^  (?:int|int64_t|uint64_t) (\w+) = ([^;]*);", re.M)


def size(mebibytes):
    return f"{mebibytes / 1024:g} GiB" if mebibytes >= 1024 and mebibytes % 1024 == 0 else f"{mebibytes} MiB"


def files_of(root):
    rows = FILE_ROW.findall((root / "core/data/FileLimits.h").read_text())
    return ["| what is read | at most |", "|---|---|"] + [f"| {what} | {size(int(mebibytes))} |" for mebibytes, what in rows], len(rows)


def number(text):
    """The value of "3 << 20", "20'000'000", "int64_t{1} << 30"."""
    text = re.sub(r"u?int64_t\{(\d+)\}", r"\1", text).replace("'", "")
    if not re.fullmatch(r"\d+( << \d+)?", text):
        sys.exit(f"limits.py: cannot read the limit `{text}`")
    base, _, shift = text.partition(" << ")
    return int(base) << int(shift or 0)


def snippets_of(root):
    source = (root / "repl/lang/evaluate/Evaluator.h").read_text()
    body = source[source.index("struct Limits {"):]
    values = dict(MEMBER.findall(body[:body.index("};")]))
    rows = [f"| {what} | {said(number(values[name]))} |" for name, (what, said) in SNIPPETS.items()]
    return ["| what | at most |", "|---|---|"] + rows, len(rows)


def main():
    root = pathlib.Path(sys.argv[1])
    page = root / "docs/limits.md"
    old = new = page.read_text()
    for name, (table, rows) in {"files": files_of(root), "snippets": snippets_of(root)}.items():
        if rows < 5:
            sys.exit(f"limits.py: found only {rows} limits of {name}")
        new = re.sub(rf"(?s)<!-- {name} -->\n.*?<!-- end -->", lambda _: "\n".join([f"<!-- {name} -->", *table, "<!-- end -->"]), new)
    if "--update" in sys.argv:
        page.write_text(new)
    elif new != old:
        print("docs/limits.md is out of date: python3 tests/docs/limits.py . --update")
        return 1
    print("docs/limits.md has the limits of the sources")
    return 0


if __name__ == "__main__":
    sys.exit(main())
