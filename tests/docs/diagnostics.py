#!/usr/bin/env python3
"""One fault has one kind, and each kind a test: every kind of diagnostic in the sources is a row of docs/diagnostics.md, every row
is in the sources, and a test names it. Usage: diagnostics.py REPOSITORY"""
import pathlib
import re
import sys

WORD = r'"([a-z][a-z0-9]*(?:-[a-z0-9]+)*)"'
# How sources give a diagnostic its kind: the first argument, or one after the place or the instruction that is at fault; the
# last argument of `fail(message, kind)`; a constant or a member of that name.
MAKERS = [re.compile(pattern, re.S) for pattern in (
    r"(?<!fields\.)\b(?:error|fail|fault|refuse|report|warn|note|outOfBounds|guarded)\w*\(\s*(?:[^\"(),;]+,\s*){0,3}" + WORD + r"\s*,",
    r"\berror\([^(),;]+\? " + WORD + r"\s*:\s*\"",
    r"\berror\([^(),;]+\? \"[a-z-]+\"\s*:\s*" + WORD,
    r"\brunTool\([^;]*,\s*" + WORD + r"\s*,\s*said",
    r"Severity::\w+,\s*" + WORD,
    r"\bfail\w*\([^;]*,\s*" + WORD + r"\)\s*;",
    r"\b(?:std::string kind|kKind|k\w+Kind|kKernel\w+)(?:\[\])? = " + WORD,
    r"\w(?:\.|->)kind = (?:[^;\"]*\? )?" + WORD,
    r"\w(?:\.|->)kind = [^;\"]*\? \"[a-z-]+\"\s*: " + WORD,
)]
ROW = re.compile(r"^\| `([a-z0-9-]+)`", re.M)
EXEMPT = re.compile(r"^\| `([a-z0-9-]+)` \|.*\(no test: [^)]+\) \|$", re.M)  # what no input provokes, and why


def kinds_of(folder):
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".h", ".cpp"):
            text = re.sub(r"^\s*//.*$", "", path.read_text(), flags=re.M)
            for maker in MAKERS:
                for match in maker.finditer(text):
                    found.setdefault(match[1], path.name)
    return found


def main():
    root = pathlib.Path(sys.argv[1])
    page = (root / "docs/diagnostics.md").read_text()
    rows = ROW.findall(page)
    made = {}
    for folder in ("layouts", "core", "viz", "repl", "app"):
        made |= kinds_of(root / folder)
    tests = "\n".join(path.read_text(errors="ignore") for area in ("unit", "sweep", "emulator", "cli", "malformed", "gui", "lit")
                      for path in sorted((root / "tests" / area).rglob("*"))
                      if path.suffix in (".h", ".cpp", ".py", ".txt", ".gui", ".mlir"))
    problems = [f"`{kind}` is listed twice" for kind in sorted(set(rows)) if rows.count(kind) > 1]
    problems += [f"`{kind}` ({made[kind]}) is not in docs/diagnostics.md" for kind in sorted(set(made) - set(rows))]
    problems += [f"`{kind}` of docs/diagnostics.md is in no source" for kind in sorted(set(rows) - set(made))]
    problems += [f"`{kind}` is provoked by no test" for kind in sorted(set(rows) - set(EXEMPT.findall(page)))
                 if not re.search(rf'"{kind}"|\bfault: {kind}\b(?!-)|^{kind}: ', tests, re.M)]
    print("\n".join(problems) or f"{len(rows)} kinds of diagnostics, each with a test")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
