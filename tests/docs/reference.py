#!/usr/bin/env python3
"""docs/reference.md: every builtin with its docstring, written by the program itself. The test also runs the first
examples of `help()`.
Usage: reference.py LANESCOPE REPOSITORY [--update]; without --update it fails if the file is out of date."""
import pathlib
import re
import subprocess
import sys
import tempfile

MARK = "@@ "
HEADING = """# Builtins

Every name that a snippet and the REPL know, by the texts that `help(name)` prints. Made by
`tests/docs/reference.py --update`; a test fails when it is out of date.
"""


def run(lanescope, text):
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(text)
        file.flush()
        result = subprocess.run([lanescope, "run", file.name], capture_output=True, text=True, timeout=120)
    if result.returncode:
        sys.exit(f"reference.py: {result.stderr}")
    return result.stdout


def groups(lanescope):
    """[(group, [name])] as `help()` lists them, without the keywords."""
    out = []
    # A heading and its examples come first, up to the second blank line.
    for line in run(lanescope, "help()\n").split("\n\n", 2)[2].splitlines():
        if line.startswith("  ") and out:
            out[-1][1].extend(line.split())
        elif line.strip():
            out.append((line.strip(), []))
    return [(group, names) for group, names in out if group != "keywords"]


def tasks(lanescope, repository):
    """Runs the first examples of `help()` as if they were typed. Returns their number."""
    examples = [re.split(r"\s{2,}", line.strip(), maxsplit=1)[1] for line in run(lanescope, "help()\n").split("\n\n")[1].splitlines()]
    for example in examples:
        typed = subprocess.run([lanescope], input=example + "\n", capture_output=True, text=True, timeout=120, cwd=repository)
        if typed.returncode or not typed.stdout or "error" in typed.stderr:
            sys.exit(f"reference.py: {example}: {typed.stderr or 'no answer'}")
    return len(examples)


def reference(lanescope):
    listed = groups(lanescope)
    names = [name for _, names in listed for name in names]
    texts = {}
    for part in run(lanescope, "".join(f'print("{MARK}{name}")\nhelp({name}, picture=False)\n' for name in names)).split(MARK)[1:]:
        name, _, text = part.partition("\n")
        texts[name] = text.strip("\n")
    lines = [HEADING]
    for group, members in listed:
        lines.append(f"## {group[0].upper()}{group[1:]}\n")
        for name in members:
            lines.append(f"### {name}\n\n```text\n{texts[name]}\n```\n")
    return "\n".join(lines)


def main():
    lanescope, repository = sys.argv[1], pathlib.Path(sys.argv[2])
    path = repository / "docs/reference.md"
    text = reference(lanescope)
    if "--update" in sys.argv[3:]:
        path.write_text(text)
        return 0
    if not path.exists() or path.read_text() != text:
        print(f"docs/reference.md is out of date: python3 tests/docs/reference.py {lanescope} . --update")
        return 1
    print(f"{tasks(lanescope, repository)} examples of help() run")
    print(f"{text.count('### ')} builtins, as documented")
    return 0


sys.exit(main())
