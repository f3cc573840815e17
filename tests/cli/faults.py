#!/usr/bin/env python3
"""Planted faults. Each snippet in tests/emulator has one fault, marked on its line: `# fault: KIND-OR-TEXT`. The run
must fail with a message at exactly that line that has that text, on every schedule of the copies and with any number of
threads. The text of a `# note: TEXT` must be among the notes in the same way. A `# hazard: TEXT` is a warning of a run
that succeeds, and makes it fail with --strict. The same kernel without its fault must report nothing: `#+ LINE` adds a
line, `#= LINE` replaces the line above.
Usage: faults.py LANESCOPE REPOSITORY"""
import pathlib
import re
import subprocess
import sys
import tempfile

MARK = re.compile(r"# (fault|hazard|note): (.+)$")
SEVERITY = {"fault": "error", "hazard": "warning", "note": "note"}


REPAIR = re.compile(r"^( *)#([+=]) (.*)$")


def repaired(text):
    """The snippet without its fault; None if it does not say how to remove the fault."""
    lines, changed = [], False
    for line in text.splitlines():
        if match := REPAIR.match(line):
            changed = True
            if match[2] == "=":
                lines.pop()
            line = match[1] + match[3]
        lines.append(line)
    return "\n".join(lines) + "\n" if changed else None


def main():
    lanescope, repository = sys.argv[1], pathlib.Path(sys.argv[2])
    passed, failed = 0, 0
    schedules = [[], ["--seed", "5", "--threads", "1"]]
    paths = sorted((repository / "tests/emulator").glob("*.py"))
    hazards = [path for path in paths if "# hazard: " in path.read_text()]
    runs = [(path, schedule) for path in paths for schedule in schedules] + [(path, ["--strict"]) for path in hazards]
    for path, schedule in runs:
        result = subprocess.run([lanescope, "run", str(path), "--device", "emulator", *schedule], capture_output=True, text=True, timeout=120)
        wanted = [(number, *match.groups()) for number, line in enumerate(path.read_text().splitlines(), 1)
                  if (match := MARK.search(line))]
        missing = []
        for number, kind, words in wanted:
            severity = "error" if "--strict" in schedule and kind == "hazard" else SEVERITY[kind]
            pattern = re.escape(str(path)) + rf":{number}:\d+: {severity}: .*" + re.escape(words)
            if not re.search(pattern, result.stderr): # standard output belongs to the snippet
                missing.append(f"line {number}: {severity} with '{words}'")
        fails = path not in hazards or "--strict" in schedule
        if result.returncode == int(fails) and wanted and not missing:
            passed += 1
        else:
            failed += 1
            print(f"FAILED {path.name} {' '.join(schedule)}: exit status {result.returncode}; missing {missing}\n{result.stdout}{result.stderr}")
    for path in paths:
        if text := repaired(path.read_text()):
            with tempfile.NamedTemporaryFile("w", suffix=".py") as good:
                good.write(text)
                good.flush()
                result = subprocess.run([lanescope, "run", good.name, "--device", "emulator"], capture_output=True, text=True, timeout=120)
            if result.returncode == 0 and not result.stderr and "warning: " not in result.stdout:
                passed += 1
            else:
                failed += 1
                print(f"FAILED {path.name} without its fault: exit status {result.returncode}\n{result.stdout}{result.stderr}")
    print(f"faults: {passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


sys.exit(main())
