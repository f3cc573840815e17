#!/usr/bin/env python3
"""Checks that docs/diagnostics.md follows from the registry of kinds (layouts/support/kinds, and the checker's rules).
Every kind that the sources name has a row there, the sources name the kind of every row, and a test provokes it: its
own example, or a test that names it.
Usage: diagnostics.py LANESCOPE REPOSITORY [--update]; --update writes the page."""
import json
import pathlib
import re
import subprocess
import sys

WORD = r'"([a-z][a-z0-9]*(?:-[a-z0-9]+)*)"'
# Forms in which sources give a diagnostic its kind: the first argument, or one after the place or the faulty
# instruction; the last argument of `fail(message, kind)`; a constant or a member of that name.
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
# The form of a message with parameters; its literal may be broken over lines.
FORM = re.compile(r'\bMessage\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)')
FIELD = re.compile(r"(?<!\{)\{([a-z_]+)\}")
FOLDERS = ("layouts", "core", "viz", "repl", "app")
HEAD = """# Kinds of diagnostics

Made by `tests/docs/diagnostics.py LANESCOPE . --update` from the registry in `layouts/support/kinds`, which `lanescope explain` prints too.

Every error, warning and note has a `kind`: a stable name that tests and tools match on. One fault has one kind, whichever program, language
or notation meets it; the message says the rest. `lanescope explain KIND` prints a kind's entry, `explain("KIND")` does so in the language, and
`lanescope explain` lists all. With `--json` an entry has `kind`, `area`, `severities`, `meaning`, `mend` (what to do) and, where there is one,
`example` with `form` (`expression`, `snippet` or `ptx`), `input` and `message`, and `parameters` with the type of each; a rule of the checker
has `grade` and `section` instead of `severities` and `mend`. Without a kind, `--json` gives all entries as `kinds`.

A diagnostic of most kinds has `parameters`: the names and numbers that its message speaks of, for programs. They are an object of texts and
integers in the JSON of `check`, of the worker and of the page, `data` of a language server's diagnostic, `properties` of a SARIF result, and
`Finding.parameters` in Python. A message has only those that it speaks of, and a new version may add some. Every
finding of the emulator at an instruction has `instruction`, `block` and `warp`, and `lane` and `thread` if it concerns one lane.

An example in PTX is the body of a kernel that one warp runs: its 32-bit registers are `%r0` to `%r59`, its 64-bit ones `%d0` to `%d59`, its
predicates `%p0` to `%p19`, and `%d50` and `%d51` hold the addresses of two buffers of 32 words.
"""


def kinds_of(folder):
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".h", ".cpp"):
            text = re.sub(r"^\s*//.*$", "", path.read_text(), flags=re.M)
            for maker in MAKERS:
                for match in maker.finditer(text):
                    found.setdefault(match[1], path.name)
    return found


def cell(words):
    return words.replace("|", "\\|").replace("\n", " ⏎ ")


def code(words):
    return f"`` {cell(words)} ``" if "`" in words else f"`{cell(words)}`"


def rows_of(entries):
    if "grade" in entries[0]:
        yield "[checks.md](checks.md) says what to write instead; [rules.md](rules.md) has an example of each and what it rests on."
        yield ""
        yield "| kind | grade | what is at fault |"
        yield "|---|---|---|"
        for entry in entries:
            yield f"| `{entry['kind']}` | {entry['grade']} | {cell(entry['meaning'])} |"
        return
    yield "| kind | comes as | what is at fault | what to do |"
    yield "|---|---|---|---|"
    for entry in entries:
        yield f"| `{entry['kind']}` | {', '.join(entry['severities'])} | {cell(entry['meaning'])} | {cell(entry['mend'])} |"
    parameters = [entry for entry in entries if "parameters" in entry]
    if parameters:
        yield ""
        yield "| kind | its parameters |"
        yield "|---|---|"
    for entry in parameters:
        yield f"| `{entry['kind']}` | {', '.join(f'`{name}` ({kind})' for name, kind in entry['parameters'].items())} |"
    examples = [entry for entry in entries if "example" in entry]
    if examples:
        yield ""
        yield "| example | kind | message |"
        yield "|---|---|---|"
    for entry in examples:
        yield f"| {code(entry['example']['input'])} | `{entry['kind']}` | {cell(entry['example']['message'])} |"


def page_of(kinds):
    areas = {}
    for entry in kinds:
        areas.setdefault(entry["area"], []).append(entry)
    out = [HEAD]
    for area, entries in areas.items():
        out += [f"## {area}", "", *rows_of(entries), ""]
    return "\n".join(out).rstrip("\n") + "\n"


def sources_of(root):
    """The text of all sources except the registry's own."""
    return "\n".join(path.read_text() for folder in FOLDERS for path in sorted((root / folder).rglob("*"))
                     if path.suffix in (".h", ".cpp") and "support/kinds" not in path.as_posix())


def parameters_in(sources):
    """The names of parameters that the forms of messages have, and those that `with` adds."""
    fields = {name for form in FORM.findall(sources) for name in FIELD.findall(form)}
    return fields | set(re.findall(r'\.with\("([a-z_]+)"', sources))


def problems_of(kinds, root):
    made = {}
    for folder in FOLDERS:
        made |= kinds_of(root / folder)
    tests = "\n".join(path.read_text(errors="ignore") for area in ("unit", "sweep", "emulator", "cli", "malformed", "gui", "lit")
                      for path in sorted((root / "tests" / area).rglob("*"))
                      if path.suffix in (".h", ".cpp", ".py", ".txt", ".gui", ".mlir"))
    tested = {word for words in re.findall(r'"([a-z][a-z0-9-]*)"|\bfault: ([a-z0-9-]+)|^([a-z0-9-]+): ', tests, re.M) for word in words}
    sources, internal = sources_of(root), {"lane-race", "verified-guess"}
    names = {entry["kind"] for entry in kinds}
    declared = {name for entry in kinds for name in entry.get("parameters", ())}
    used = parameters_in(sources)
    yield from (f"no kind of layouts/support/KindParameters.inc has the parameter `{name}`" for name in sorted(used - declared))
    yield from (f"no message has the parameter `{name}` of layouts/support/KindParameters.inc" for name in sorted(declared - used))
    yield from (f"`{kind}` ({made[kind]}) has no row in layouts/support/kinds" for kind in sorted(set(made) - names - internal))
    for entry in kinds:
        kind = entry["kind"]
        if f'"{kind}"' not in sources:
            yield f"`{kind}` of layouts/support/kinds is in no source"
        ran = entry.get("example", {}).get("form") in ("expression", "snippet", "ptx")  # tests/unit/diagnostics runs these
        if not ran and "untested" not in entry and kind not in tested:
            yield f"`{kind}` is provoked by no test"


def main():
    lanescope, root = sys.argv[1], pathlib.Path(sys.argv[2])
    kinds = json.loads(subprocess.run([lanescope, "explain", "--json"], capture_output=True, text=True, check=True).stdout)["kinds"]
    problems = list(problems_of(kinds, root))
    page, path = page_of(kinds), root / "docs/diagnostics.md"
    if "--update" in sys.argv:
        path.write_text(page)
    elif path.read_text() != page:
        problems.append("docs/diagnostics.md is out of date: tests/docs/diagnostics.py LANESCOPE . --update")
    print("\n".join(problems) or f"{len(kinds)} kinds of diagnostics, each with a test")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
