#!/usr/bin/env python3
"""Runs every example of docs/python.md as a separate file. Usage: examples.py REPOSITORY, with the package on
PYTHONPATH.

An example whose first line is `# needs: PACKAGE, …` is left out, and named, if one of these packages is missing."""

import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile


def missing(text):
    """The packages that an example needs and this Python lacks."""
    needed = re.match(r"# needs: (.*)\n", text)
    return [each for each in needed[1].split(", ") if importlib.util.find_spec(each) is None] if needed else []


def main():
    examples = re.findall(r"```python\n(.*?)```", pathlib.Path(sys.argv[1], "docs/python.md").read_text(), re.S)
    assert len(examples) >= 4, "docs/python.md has lost its examples"
    with tempfile.TemporaryDirectory() as folder:
        left_out = 0
        for number, text in enumerate(examples):
            if absent := missing(text):
                print(f"example {number} is left out: there is no {' and no '.join(absent)} here")
                left_out += 1
                continue
            path = pathlib.Path(folder, f"example{number}.py")
            path.write_text(text)
            done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=120)
            if done.returncode:
                sys.exit(f"example {number} of docs/python.md fails:\n{text}\n{done.stdout}{done.stderr}")
    print(f"{len(examples) - left_out} of {len(examples)} examples run")


main()
