#!/usr/bin/env python3
"""Runs the samples and library kernels for every target on the emulator, and compares with the table of docs/targets.md.

    targets.py LANESCOPE REPOSITORY [--update] [--all] [--ptxas PTXAS]

A kernel runs if it ends with status 0, so its own comparison holds and the checker finds nothing. Otherwise its error
must name a feature that the target lacks. Without `--all` or `--update`, a few files are run. `--ptxas` also assembles
the PTX of each kernel that runs."""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

TARGETS = ["sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100f", "sm_100a", "sm_103", "sm_103a", "sm_110", "sm_110f", "sm_110a",
           "sm_120", "sm_120f", "sm_120a", "sm_121", "sm_121a"]  # fmt: skip
FEW = ["samples/kernels/ampere.py", "samples/kernels/double.py", "kernels/ampere_matmul.py", "kernels/matmul.py"]
SEVERAL_GPUS = ["kernels/all_gather_matmul.py", "kernels/matmul_reduce_scatter.py"]
# A pattern of an error, and the cell that stands for it.
REASONS = [(r"`wgmma` is an instruction of sm_90a alone|`wgmma` needs", "wgmma"), (r"has no tensor memory|needs tensor memory|tensor memory, which", "tcgen05"),
           (r"cluster launch control", "cluster launch control"), (r"cluster needs sm_90", "clusters"), (r"change of the number of registers", "setmaxnreg"),
           (r"bytes of shared memory|shared memory .* at most", "shared memory"), (r"sm_89 or newer", "8-bit floats"), 
           (r"chosen by an array|rows that an array", "TMA's gather"), (r"needs TMA|has no TMA", "TMA"), (r"dependent launch", "dependent launches"), (r"only copies by TMA", "TMA"), (r"needs sm_100a", "sm_100a")]  # fmt: skip


def attempt(lanescope, repository, file, target, ptxas):
    """The cell of the table, and what is wrong ("" if nothing is)."""
    with tempfile.TemporaryDirectory() as folder:
        command = [lanescope, "run", file, "--arch", target, "--device", "emulator", "--time-limit", "300"]
        if ptxas:
            command += ["--dump", folder]
        result = subprocess.run(command, capture_output=True, text=True, timeout=900, cwd=repository)
        if result.returncode == 0:
            for ptx in pathlib.Path(folder).rglob("*.ptx") if ptxas else []:
                done = subprocess.run([ptxas, f"-arch={target}", ptx, "-o", "/dev/null"], capture_output=True, text=True)
                if done.returncode:
                    return "no", f"ptxas refuses it: {done.stderr[:300]}"
            return "yes", ""
        reasons = [cell for pattern, cell in REASONS if re.search(pattern, result.stderr)]
        placed = re.search(r"^[^\n]*\.py:\d+:\d+: error: ", result.stderr, re.M)
        return (reasons[0], "") if reasons and placed else ("no", f"the error names nothing that is missing: {result.stderr[:400]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lanescope", type=pathlib.Path)
    parser.add_argument("repository", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--ptxas")
    options = parser.parse_args()
    repository, page = options.repository.resolve(), options.repository / "docs/targets.md"
    files = FEW
    if options.all or options.update:
        files = sorted(str(path.relative_to(repository)) for folder in ("samples/kernels", "kernels") for path in (repository / folder).glob("*.py"))
        files = [file for file in files if file not in SEVERAL_GPUS]
    jobs = [(file, target) for file in files for target in TARGETS]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = dict(zip(jobs, pool.map(lambda job: attempt(options.lanescope.resolve(), repository, *job, options.ptxas), jobs)))
    failed = [(job, problem) for job, (_, problem) in found.items() if problem]
    for (file, target), problem in failed:
        print(f"FAILED {file} for {target}: {problem}")
    rows = {file: f"| `{file}` | " + " | ".join(found[file, target][0] for target in TARGETS) + " |" for file in files}
    text = page.read_text()
    before, rest = text.split("<!-- matrix -->")
    after = rest.split("<!-- end -->")[1]
    if options.update and not failed:
        head = "| kernel | " + " | ".join(f"`{target}`" for target in TARGETS) + " |\n" + "|---" * (1 + len(TARGETS)) + "|"
        page.write_text(before + "<!-- matrix -->\n" + head + "\n" + "\n".join(rows.values()) + "\n<!-- end -->" + after)
    elif not failed:
        for file, row in rows.items():
            if row not in text:
                failed.append((file, row))
                print(f"FAILED {file}: docs/targets.md has another row; run with --update. Now: {row}")
    print(f"targets: {len(jobs) - len(failed)} of {len(jobs)} as documented")
    return 1 if failed else 0


sys.exit(main())
