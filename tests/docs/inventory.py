#!/usr/bin/env python3
"""docs/tests.md: our tests for each test of upstream, from the comments in the tests.
Usage: inventory.py REPOSITORY [--update]; without --update it fails if the file is out of date.

tests/docs/inventory.txt lists the items. A comment directly above a test (or among the first comments of a snippet or a
lit test, for the whole file) names the items that it covers:

    // inventory: FA binary, select, CV bitcast (no f8)        # the same in Python and in snippets

A word of capitals is a group and applies to the names after it. Words in brackets name the part of the item that the
test leaves out. A name that the list lacks is newer than the list; it is allowed, and listed at the end."""
import pathlib
import re
import sys

COMMENT = re.compile(r"^\s*(?://|#)\s?(.*)$")
CPP_TEST = re.compile(r"^\s*TEST(?:_P|_F)?\((\w+),\s*(\w+)\)")
PYTHON_TEST = re.compile(r"^\s*def (\w+)\(")
GROUP = re.compile(r"[A-Z][A-Z0-9]+")
SUFFIXES = (".cpp", ".py", ".mlir", ".cu", ".gui")


class Problem(Exception):
    pass


def read_items(path):
    """({group: title}, {"GROUP name": (cases, reason)}) in order."""
    titles, items = {}, {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.split("#")[0].strip() if line.startswith("#") else line.strip()
        if not line:
            continue
        if heading := re.fullmatch(r"\[(\w+)\] (.+)", line):
            titles[heading[1]] = heading[2]
            continue
        item = re.fullmatch(r"(\w+) (\S+)(?: ×(\d+))?(?: : (.+))?", line)
        if not item or item[1] not in titles:
            raise Problem(f"{path}:{number}: expected `GROUP name [×cases] [: reason]` of a group above")
        key = f"{item[1]} {item[2]}"
        if key in items:
            raise Problem(f"{path}:{number}: `{key}` comes twice")
        items[key] = (int(item[3]) if item[3] else None, item[4])
    return titles, items


def read_names(text, place):
    """[("GROUP name", the omitted part)] of a comment's text."""
    out, group = [], None
    text = re.sub(r"\(([^)]*)\)", lambda note: "(" + note[1].replace(",", "\0") + ")", text)
    for part in text.split(","):
        part = part.strip().rstrip(".")
        match = re.fullmatch(r"(?:(%s)\s+)?([\w/]+)(?:\s+\(([^)]*)\))?" % GROUP.pattern, part)
        if not match or not (match[1] or group):
            raise Problem(f"{place}: `{part}` is not `[GROUP] name [(what is left out)]`")
        group = match[1] or group
        out.append((f"{group} {match[2]}", (match[3] or "").replace("\0", ",")))
    return out


def read_tests(root):
    """{"GROUP name": [(test, the part that it omits)]}."""
    found = {}
    own = pathlib.Path(__file__).resolve()
    for path in sorted(list((root / "tests").rglob("*")) + list((root / "kernels").rglob("*"))):
        if path.suffix not in SUFFIXES or path.resolve() == own:
            continue
        lines = path.read_text(errors="replace").splitlines()
        for start, line in enumerate(lines):
            comment = COMMENT.match(line)
            if not comment or not comment[1].startswith("inventory:"):
                continue
            place = f"{path.relative_to(root)}:{start + 1}"
            text, at = comment[1][len("inventory:"):], start + 1
            while at < len(lines) and text.rstrip().endswith(",") and (more := COMMENT.match(lines[at])):
                text, at = text + " " + more[1], at + 1
            test = test_below(lines, at, path, root)
            if not test:
                raise Problem(f"{place}: no test stands below the comment")
            for key, left_out in read_names(text.rstrip().rstrip(","), place):
                found.setdefault(key, []).append((test, left_out))
    return found


def test_below(lines, at, path, root):
    """The test that begins below the comment; the file if only comments are above the comment."""
    head = all(COMMENT.match(line) or not line.strip() for line in lines[:at])
    while at < len(lines) and (COMMENT.match(lines[at]) or lines[at].startswith("template")):
        at += 1
    line = lines[at] if at < len(lines) else ""
    relative = path.relative_to(root)
    if test := CPP_TEST.match(line):
        return f"{relative.as_posix()}: {test[1]}.{test[2]}"
    if test := PYTHON_TEST.match(line):
        return f"{relative.as_posix()}: {test[1]}"
    return relative.as_posix() if head and path.suffix != ".cpp" else None


def table(titles, items, found):
    counts = {"tested": 0, "in part": 0, "open": 0, "not here": 0}
    body = []
    for group, title in titles.items():
        body += ["", f"## {group}: {title}", "", "| item | cases | test |", "|---|---|---|"]
        for key, (cases, reason) in items.items():
            if key.split()[0] != group:
                continue
            tests = found.get(key, [])
            if tests:
                state = "tested" if any(not left_out for _, left_out in tests) else "in part"
                said = "; ".join(f"`{test}`" + (f" ({left_out})" if left_out else "") for test, left_out in tests)
            elif reason:
                state, said = "not here", f"*{reason}*"
            else:
                state, said = "open", "**open**"
            counts[state] += 1
            body.append(f"| {key.split()[1]} | {cases or ''} | {said} |")
    newer = sorted(key for key in found if key not in items)
    if newer:
        body += ["", "## Newer upstream tests that have one here", "", "| item | test |", "|---|---|"]
        for key in newer:
            said = "; ".join(f"`{test}`" + (f" ({left_out})" if left_out else "") for test, left_out in found[key])
            body.append(f"| {key} | {said} |")
    head = ["# Tests beside upstream's", "",
            "Which test of ours stands for which test of Mosaic GPU and of Pallas on Mosaic GPU (JAX, December 2025). Made by",
            "`python3 tests/docs/inventory.py . --update` from `tests/docs/inventory.txt` and the `inventory:` comments above the",
            "tests; a test fails when it is out of date. Words in brackets say what a test leaves out of the item.", "",
            "| tested | in part | open | does not apply |", "|---|---|---|---|",
            f"| {counts['tested']} | {counts['in part']} | {counts['open']} | {counts['not here']} |"]
    return "\n".join(head + body) + "\n", counts


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    try:
        titles, items = read_items(root / "tests/docs/inventory.txt")
        found = read_tests(root)
        for key in found:
            if key.split()[0] not in titles:
                raise Problem(f"`{key}`: there is no group `{key.split()[0]}` in tests/docs/inventory.txt")
            if key in items and items[key][1]:
                raise Problem(f"`{key}` has a test ({found[key][0][0]}) and a reason to have none; drop the reason")
    except Problem as problem:
        print(problem)
        return 1
    text, counts = table(titles, items, found)
    path = root / "docs/tests.md"
    if "--update" in sys.argv[2:]:
        path.write_text(text)
    elif not path.exists() or path.read_text() != text:
        print("docs/tests.md is out of date: python3 tests/docs/inventory.py . --update")
        return 1
    print(", ".join(f"{count} {state}" for state, count in counts.items()))
    return 0


sys.exit(main())
