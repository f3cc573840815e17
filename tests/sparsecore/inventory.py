#!/usr/bin/env python3
"""Runs the snippets of inventory/ for each chip, and again with a TensorCore's tiling. Their assertions are the tests,
and they have to print the texts of their lines `# prints: TEXT`.
Usage: inventory.py LANESCOPE REPOSITORY [ARCHIVE [FILE…]]   (the archive is not read)"""
import pathlib
import subprocess
import sys
import tempfile

CHIPS = {"7x": 16, "v5p": 8}


def main():
    lanescope, root = sys.argv[1], pathlib.Path(sys.argv[2])
    failed = count = 0
    for path in sorted((root / "tests" / "sparsecore" / "inventory").glob("*.py")):
        if sys.argv[4:] and path.stem not in sys.argv[4:]:
            continue
        for chip, lanes in CHIPS.items():
            for tiled in (False, True):
                head = f'chip = "{chip}"\nlanes = {lanes}\ntiled = {tiled}\n'
                with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
                    file.write(head + path.read_text())
                    file.flush()
                    done = subprocess.run([lanescope, "run", file.name, "--device", "emulator"], capture_output=True,
                                          text=True)
                count += 1
                expected = [line.removeprefix("# prints: ") for line in path.read_text().splitlines()
                            if line.startswith("# prints: ")]
                done.stderr += "".join(f"`{text}` is not printed\n" for text in expected if text not in done.stdout)
                if done.returncode or any(text not in done.stdout for text in expected):
                    failed += 1
                    print(f"{path.name} for {chip}{', tiled' if tiled else ''} (lines count 3 more):\n{done.stderr}")
    print(f"{count - failed} of {count} runs hold")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
