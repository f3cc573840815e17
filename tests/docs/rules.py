#!/usr/bin/env python3
"""The checker's rules in code (core/gpu/emulator/check/Rules.h), docs/checks.md and docs/rules.md are the same.
Usage: rules.py REPOSITORY [--update]; --update writes docs/rules.md."""
import pathlib
import re
import sys

STRING = r'"((?:[^"\\]|\\.)*)"'
HEADINGS = {"Fault": "## Faults", "Hazard": "## Hazards", "Note": "## Notes", "OnRequest": "## On request"}
GRADES = {"OnRequest": "on request"}  # text, if it differs from the enumerator


def rows_of(source, name):
    """The rows of a table: lists of its strings and enumerators."""
    body = source[source.index(f"inline constexpr auto {name} ="):]
    body = body[:body.index("});")]
    body = body[body.index("({") + 2:]
    return [[word[1].replace('\\"', '"') if word[0].startswith('"') else word[2] for word in re.finditer(STRING + r"|RuleGrade::(\w+)", row)]
            for row in re.findall(r"\{((?:" + STRING + r"|[^{}\"])*)\}", body) for row in [row[0]]]


def sections_of(page):
    """{"Fault": names of the rows below its heading}"""
    found = {}
    for grade, heading in HEADINGS.items():
        begin = page.index(heading + "\n") + len(heading)
        end = page.find("\n## ", begin)
        rows = re.findall(r"^\| (`[^|]*`) \|", page[begin:end if end > 0 else None], re.M)
        found[grade] = {name for row in rows for name in re.findall(r"`([a-z0-9-]+)`", row)}
    return found


def page_of(rules, leniencies):
    out = ["# Every rule of the checker", "",
           "Made by `tests/docs/rules.py . --update` of `core/gpu/emulator/check/Rules.h`. [checks.md](checks.md) says what to write instead. A and B are",
           "threads of two warps unless the example says otherwise. The grade is the worst that the rule reports.", "",
           "| rule | grade | what it reports | smallest example | section of the PTX ISA |", "|---|---|---|---|---|"]
    cell = lambda text: text.replace("|", "\\|")
    for name, grade, isa, gist, broken in rules:
        out.append(f"| `{name}` | {GRADES.get(grade, grade.lower())} | {cell(gist)} | `{cell(broken)}` | {cell(isa)} |")
    out += ["", "## Leniencies: let pass on purpose", "",
            "The ISA promises none of this. With `--strict-rule NAME`, `check`, `run` and `emulate` report as faults what a rule finds. A rule on request",
            "reports nothing by itself: for each one that is named, the kernel runs once more. If no rule can report a use, the reason says why.", "",
            "| what passes | why | to be strict |", "|---|---|---|"]
    for what, why, strict in leniencies:
        out.append(f"| {cell(what)} | {cell(why)} | {f'`--strict-rule {strict}`' if strict else 'no rule can'} |")
    return "\n".join(out) + "\n"


def main():
    root = pathlib.Path(sys.argv[1])
    source = (root / "core/gpu/emulator/check/Rules.h").read_text()
    rules, leniencies = rows_of(source, "kRules"), rows_of(source, "kLeniencies")
    problems = [f"a row of kRules has {len(row)} parts: {row}" for row in rules if len(row) != 5]
    problems += [f"a row of kLeniencies has {len(row)} parts: {row}" for row in leniencies if len(row) != 3]
    if problems:
        print("\n".join(problems))
        return 1
    names = [row[0] for row in rules]
    problems += [f"`{name}` is a rule twice" for name in sorted(set(names)) if names.count(name) > 1]
    problems += [f"the leniency \"{row[0]}\" names `{row[2]}`, which is no rule" for row in leniencies if row[2] and row[2] not in names]
    sections = sections_of((root / "docs/checks.md").read_text())
    problems += [f"docs/checks.md has no row of `{name}` below \"{HEADINGS[grade]}\"" for name, grade, *_ in rules if name not in sections[grade]]
    problems += [f"`{name}` of docs/checks.md is not in kRules" for name in sorted(set().union(*sections.values()) - set(names))]
    page, path = page_of(rules, leniencies), root / "docs/rules.md"
    if "--update" in sys.argv:
        path.write_text(page)
    elif not path.exists() or path.read_text() != page:
        problems.append("docs/rules.md is out of date: tests/docs/rules.py . --update")
    print("\n".join(problems) or f"{len(rules)} rules and {len(leniencies)} leniencies, in code and in docs")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
