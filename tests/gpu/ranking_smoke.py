#!/usr/bin/env python3
"""Runs ranking.py without a GPU. It makes one family's packages, and the worker times them on the emulator, whose order
is the model's own. The comparison succeeds, and fails with the opposite times. Usage: ranking_smoke.py LANESCOPE
WORKER"""
import contextlib
import io
import json
import pathlib
import sys
import tempfile

import ranking


def main():
    lanescope, worker = sys.argv[1:3]
    problems = []

    def expect(condition, what):
        if not condition:
            problems.append(what)

    def run(*words):
        said = io.StringIO()
        sys.argv[1:] = [*map(str, words)]
        with contextlib.redirect_stdout(said):
            status = ranking.main()
        return status, said.getvalue()

    with tempfile.TemporaryDirectory() as temporary:
        folder, times = pathlib.Path(temporary) / "packages", pathlib.Path(temporary) / "times.json"
        status, said = run("make", folder, "--lanescope", lanescope, "--only", "split K")
        expect(status == 0 and len(list(folder.glob("*.lspkg"))) == 5, said)
        run("time", folder, "--worker", worker, "--device", "emulator", "-o", times)
        status, said = run("compare", folder, times)
        expect(status == 0 and "| split K | 5 | 10 | 10 |" in said and "100.0%" in said, said)
        measured = json.loads(times.read_text())
        times.write_text(json.dumps({family: {name: 1 / us for name, us in variants.items()}
                                     for family, variants in measured.items()}))
        status, said = run("compare", folder, times)
        expect(status == 1 and "| split K | 5 | 10 | 0 |" in said and said.count(" x on the GPU") == 10, said)
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"ranking: {3 - len(problems)} of 3 right")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
