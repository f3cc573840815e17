#!/usr/bin/env python3
"""Mutation test of the synchronisation in the library and the samples. Each wait, arrival, signal, commit and count is
deleted or weakened, one at a time, and `lanescope check` has to report it at its line. mutants.json lists mutants that
behave like the kernel, with the reason. Usage: mutants.py LANESCOPE REPOSITORY [--every N] [--only WORDS] [--list]
[--python PYTHON]

`--every N` takes each Nth mutant (CI's sample). Without it, the test takes all mutants, which needs some minutes.
Samples that are programs run in PYTHON, and are left out without it.

A finding is at the line if it, or one of its notes, is at most NEAR lines from the mutated statement (it names the copy
or the product that the statement guarded), or if it names the statement's barrier or the missing call, which may be in
another function."""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

NEAR = 12
PYTHON = sys.argv[sys.argv.index("--python") + 1] if "--python" in sys.argv else ""
WORSE = ["line", "elsewhere", "wrong", "no"]
STATEMENT = re.compile(r"^(\s*)((?:\w+\.)*(barrier_wait|barrier_arrive|barrier_arrive_tx|commit_smem|commit_tmem|"
                       r"tcgen05_commit_arrive|wait_load_tmem|wait_smem_to_gmem|wgmma_wait|wait_for_wgmma|"
                       r"named_barrier_sync|semaphore_signal(?:_parallel|_multicast)?|semaphore_wait|cluster_barrier|commit_gmem|async_store_wait)\()")
COUNT = re.compile(r"((?<!\w)(?:Cluster)?Barrier)\(([^()]*(?:\([^()]*\)[^()]*)*)\)")


def statement_end(lines, first):
    """The last line of the statement that begins in line `first`, where its brackets are closed."""
    depth, line = 0, first
    while True:
        code = lines[line].split("#")[0]
        depth += sum(code.count(c) for c in "([{") - sum(code.count(c) for c in ")]}")
        if depth <= 0 or line + 1 == len(lines):
            return line
        line += 1


def replaced(lines, first, last, text):
    return lines[:first] + [text] + [""] * (last - first) + lines[last + 1:]


def mutants_of(path, name):
    """Yields (key, line from 1, words that a finding may name, text)."""
    lines = path.read_text().split("\n")
    seen = {}

    def key(statement, how):
        base = f"{name} | {' '.join(statement.split())} | {how}"
        seen[base] = seen.get(base, 0) + 1
        return base + (f" | {seen[base]}" if seen[base] > 1 else "")

    for n, line in enumerate(lines):
        match = STATEMENT.match(line)
        if match:
            last = statement_end(lines, n)
            statement = " ".join(part.split("#")[0].strip() for part in lines[n:last + 1])
            words = [match[3], *re.findall(r"\(([A-Za-z_]\w*)", statement)[:1]]
            yield key(statement, "delete"), n + 1, words, "\n".join(replaced(lines, n, last, match[1] + "pass"))
            call = match[3]
            if call in ("wgmma_wait", "wait_smem_to_gmem", "async_store_wait"):
                count = re.search(call + r"\((\d+)", line)
                more = line.replace(count[0], f"{call}({int(count[1]) + 1}") if count else None
                if more:
                    yield key(statement, "one more in flight"), n + 1, words, "\n".join(replaced(lines, n, last, more))
                if call == "wait_smem_to_gmem" and "wait_read_only" not in statement and count:
                    weak = line.replace(count[0], f"{count[0]}, wait_read_only=True")
                    yield key(statement, "read only"), n + 1, words, "\n".join(replaced(lines, n, last, weak))
            # With several devices: the signal goes to this device, and the wait sees only this device.
            if call == "semaphore_signal" and "device_id=" in statement:
                alone = re.sub(r", device_id=(?:[^(),]|\([^()]*\))+", "", line)
                yield key(statement, "no device"), n + 1, words, "\n".join(replaced(lines, n, last, alone))
            if call == "semaphore_wait" and "mesh=" in path.read_text():
                narrow = re.sub(r"\)(\s*(?:#.*)?)$", r', memory_scope="gpu")\1', line)
                yield key(statement, "within the device"), n + 1, words, "\n".join(replaced(lines, n, last, narrow))
        if line.lstrip().startswith("#"):
            continue
        for match in COUNT.finditer(line.split("  #")[0]):
            arguments = match[2]
            counted = re.search(r"num_arrivals=(\d+)", arguments)
            changes = []
            if counted:
                arrivals = int(counted[1])
                for other in {arrivals - 1, arrivals + 1} - {0}:
                    changes.append((f"{other} arrivals", arguments.replace(counted[0], f"num_arrivals={other}")))
            else:
                changes.append(("2 arrivals", "num_arrivals=2" + (", " + arguments if arguments else "")))
            if "orders_tensor_core=True" in arguments:
                changes.append(("no order", arguments.replace("orders_tensor_core=True", "orders_tensor_core=False")))
            for how, other in changes:
                text = line[:match.start()] + f"{match[1]}({other})" + line[match.end():]
                yield key(match[0], how), n + 1, None, "\n".join(replaced(lines, n, n, text))


def targets(text):
    """The target in the file's own command. A kernel for Ampere copies by TMA on Hopper, where more can be missing."""
    named = re.search(r"--arch (sm_\w+)", text)
    arch = named[1] if named else "sm_90a"
    return [arch, "sm_90a"] if arch == "sm_80" else [arch]


def check(lanescope, text, arch, folder, *options):
    file = pathlib.Path(folder) / "mutant.py"
    file.write_text(text)
    try:
        program = ["--python", PYTHON] if "\nimport " in text else []
        done = subprocess.run([lanescope, "check", str(file), *program, "--arch", arch, "--format", "json", "--threads", "1", *options],
                              capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        return {"findings": [], "runs": 0}, "no answer in 300 s"
    try:
        return json.loads(done.stdout), done.stderr
    except ValueError:
        return {"findings": [], "runs": 0}, done.stderr


def told(report, errors, line, words, lines):
    near = 20 if "import jax" in lines else NEAR  # Python calls a pipeline's body at the pipeline's call
    """'line', 'elsewhere', 'wrong' (the result alone is) or 'no'."""
    findings = [f for f in report["findings"] if f["grade"] != "note"]
    best = "no"
    for finding in findings:
        places = [finding["line"]] + [note["line"] for note in finding["related"]]
        texts = " ".join([finding["message"], *(note["message"] for note in finding["related"])])
        named = words and any(f"`{word}" in texts for word in words)
        # An endless wait is reported at a line that names the barrier.
        named = named or (words and any(0 < place <= len(lines) and words[-1] in lines[place - 1] for place in places))
        best = "line" if named or any(abs(place - line) <= near for place in places) else best
        best = "elsewhere" if best == "no" else best
    if findings:
        return best
    match = re.search(r"mutant\.py:(\d+):\d+: error", errors)
    if match and "assert" not in errors:  # it does not even compile
        return "line" if abs(int(match[1]) - line) <= near or words is None else "elsewhere"
    return "wrong" if match else "no"


def judge(task):
    lanescope, (key, line, words, text) = task
    with tempfile.TemporaryDirectory() as folder:
        result, said = "no", ""
        for arch, options in [(arch, options) for options in ([], ["--adversarial"]) for arch in targets(text)]:
            report, errors = check(lanescope, text, arch, folder, *options)
            again = told(report, errors, line, words, text.split("\n"))
            if WORSE.index(again) <= WORSE.index(result):
                result, said = again, report["findings"][0]["rule"] if report["findings"] else ""
            if result == "line":
                break
    return key, line, result, said


def main():
    lanescope, repository = sys.argv[1], pathlib.Path(sys.argv[2])
    every = int(sys.argv[sys.argv.index("--every") + 1]) if "--every" in sys.argv else 1
    only = sys.argv[sys.argv.index("--only") + 1] if "--only" in sys.argv else ""
    equivalents = json.loads((repository / "tests/cli/mutants.json").read_text())
    mutants = []
    for folder in ("kernels", "samples/kernels", "samples/multi", *(["samples/pallas"] if PYTHON else [])):
        for path in sorted((repository / folder).glob("*.py")):
            mutants += mutants_of(path, path.relative_to(repository).as_posix())
    keys = {mutant[0] for mutant in mutants}
    stale = [key for key in equivalents if key not in keys and (PYTHON or not key.startswith("samples/pallas"))]
    chosen = [mutant for n, mutant in enumerate(mutants) if only in mutant[0] and n % every == every // 2]
    chosen = [mutant for mutant in chosen if mutant[0] not in equivalents]
    if "--list" in sys.argv:
        for key, line, words, _ in chosen:
            print(line, words, key)
        return 0
    counts = {"line": 0, "elsewhere": 0, "wrong": 0, "no": 0}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for key, line, result, said in pool.map(judge, [(lanescope, mutant) for mutant in chosen]):
            counts[result] += 1
            if result != "line":
                print(f"{result.upper()} {key} (line {line}) {said}", flush=True)
    for key in stale:
        print(f"STALE {key}: there is no such mutant any more")
    total = len(chosen)
    score = counts["line"] / total if total else 1
    print(f"mutants: {len(mutants)} in all, {len(equivalents)} equivalent; {counts['line']} of {total} told at their lines "
          f"({score:.1%}), {counts['elsewhere']} elsewhere, {counts['wrong']} by a wrong result alone, {counts['no']} not")
    return 1 if score < 0.98 or stale else 0


if __name__ == "__main__":
    sys.exit(main())
