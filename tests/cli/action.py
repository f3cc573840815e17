#!/usr/bin/env python3
"""The script of the GitHub action, and the hook for pre-commit, on an example project with a planted race.
Usage: action.py LANESCOPE REPOSITORY"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

LANESCOPE, REPOSITORY = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
SCRIPT = REPOSITORY / ".github/actions/check/check.sh"
failures = []


def expect(condition, what):
    if not condition:
        failures.append(what)


def main():
    with tempfile.TemporaryDirectory() as temporary:
        project = pathlib.Path(temporary)
        environment = dict(os.environ, PATH=f"{LANESCOPE.parent}:/usr/bin:/bin")

        def action(baseline="", files=("kernels", "--seeds", "1")):
            return subprocess.run(["sh", SCRIPT, "results", "found.sarif", "summary.md", "fault", baseline, *files], cwd=project,
                                  env=environment, capture_output=True, text=True, timeout=300)

        shutil.copytree(REPOSITORY / "tests/golden/nvcc", project / "kernels/ring")
        good = action()
        expect(good.returncode == 0 and "::error" not in good.stdout, good)

        # The wait for the copy is gone, so threads read what the copy still writes.
        ptx = project / "kernels/ring/ring.ptx"
        lines = ptx.read_text().splitlines()
        wait = max(n for n, line in enumerate(lines) if "mbarrier.try_wait" in line)
        lines[wait] = re.sub(r"mbarrier\.try_wait.*", "setp.eq.u32 P_OUT, %r5, %r5;", lines[wait])
        ptx.write_text("\n".join(lines) + "\n")
        bad = action()
        expect(bad.returncode == 1, bad)
        note = re.search(r"^::error file=(kernels/ring/ring\.ptx),line=(\d+),col=\d+,title=fault \[[a-z-]+\]::", bad.stdout, re.M)
        expect(note, bad)
        results = json.loads((project / "found.sarif").read_text())["runs"][0]["results"]
        places = [result["locations"][0]["physicalLocation"] for result in results]
        expect(note and int(note[2]) in [place["region"]["startLine"] for place in places], places)
        expect("| fault |" in (project / "summary.md").read_text(), "the summary has the finding")

        written = subprocess.run([LANESCOPE, "baseline", "results", "-o", "known.json"], cwd=project, capture_output=True, text=True)
        expect(written.returncode == 0, written)
        known = action("known.json")
        expect(known.returncode == 0 and "::error" not in known.stdout, known)

        expect(action(files=("--seeds", "none")).returncode == 2, "a wrong option")
        usage = subprocess.run(["sh", SCRIPT, "results"], capture_output=True, text=True)
        expect(usage.returncode == 2 and "Usage: check.sh" in usage.stderr, usage)

        hook = shlex.split(re.search(r"^  entry: (.*)$", (REPOSITORY / ".pre-commit-hooks.yaml").read_text(), re.M)[1])
        subprocess.run(["git", "init", "-q", "--separate-git-dir", project.parent / "elsewhere", project], check=True)  # as in a work tree
        path = f"{pathlib.Path(LANESCOPE).resolve().parent}:{os.environ['PATH']}"
        hooked = subprocess.run([*hook, "kernels/ring/ring.ptx"], cwd=project, env={**os.environ, "PATH": path}, capture_output=True,
                                text=True, timeout=300)
        expect(hooked.returncode == 1 and "kernels/ring/ring.ptx:" in hooked.stdout, hooked)
    for failure in failures:
        print("FAILED:", failure)
    print("action: the script turns red at the line of a planted race" if not failures else f"{len(failures)} failed")
    return 1 if failures else 0


sys.exit(main())
