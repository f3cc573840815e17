#!/usr/bin/env python3
"""Runs every example of docs/python.md as a file of its own. Usage: examples.py REPOSITORY, with the package on PYTHONPATH."""

import pathlib
import re
import subprocess
import sys
import tempfile


def main():
    examples = re.findall(r"```python\n(.*?)```", pathlib.Path(sys.argv[1], "docs/python.md").read_text(), re.S)
    assert len(examples) >= 4, "docs/python.md has lost its examples"
    with tempfile.TemporaryDirectory() as folder:
        for number, text in enumerate(examples):
            path = pathlib.Path(folder, f"example{number}.py")
            path.write_text(text)
            done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=120)
            if done.returncode:
                sys.exit(f"example {number} of docs/python.md fails:\n{text}\n{done.stdout}{done.stderr}")
    print(f"{len(examples)} examples run")


main()
