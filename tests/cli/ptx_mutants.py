#!/usr/bin/env python3
"""Mutation test of PTX. In kernels with launch descriptions, each synchronising instruction is deleted or weakened, one
at a time, and `lanescope check` has to report it. In the library's kernels these are the fences, commits and waits that
our compiler inserts; tests/cli/mutants.py has those that snippets name.
Usage: ptx_mutants.py LANESCOPE FOLDER… [--every N] [--most N]       (folders with kernel.ptx and launch.json, at any
depth)
       ptx_mutants.py LANESCOPE GOLDEN --corpus [--every N]          (the corpus' archives, corpus.py)
       ptx_mutants.py LANESCOPE REPOSITORY --library [--every N]     (the library, compiled anew)
       … --share PERCENT                                             (the share that has to be reported)

Prints the mutants that are not reported, by rule of mutation. Such a mutant may behave like the kernel. Mutants of
which planted.py knows this from the code around the statement are not made. The test fails if a mutant is refused: it
has not run."""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import corpus
import planted

GUARD = r"(?:@!?%?\w+\s+)?"


def changes(line):
    """Yields (name of the change, the changed line). PTX has no empty statement: a deleted one leaves nothing."""
    code = line.split("//")[0]
    if re.search(r"fence\.proxy\.async", code):
        yield "proxy fence", re.sub(GUARD + r"fence\.proxy\.async[\w.:]*\s*;", "", line)
    if "wgmma.fence" in code:
        yield "wgmma fence", re.sub(GUARD + r"wgmma\.fence[\w.]*\s*;", "", line)
    if "wgmma.commit_group" in code:
        yield "wgmma commit", re.sub(GUARD + r"wgmma\.commit_group[\w.]*\s*;", "", line)
    if match := re.search(r"wgmma\.wait_group[\w.]*\s+(\d+)\s*;", code):
        yield "wgmma wait", line.replace(match[0], match[0].replace(f" {match[1]};", f" {int(match[1]) + 1};"))
    if match := re.search(GUARD + r"mbarrier\.arrive[\w.:]*\s[^;]*;", code):
        if "expect_tx" not in match[0]:
            yield "arrival", line.replace(match[0], "")
    if match := re.search(r"(mbarrier\.(?:try_wait|test_wait)[\w.:]*\s+)([%\w]+),\s*\[[^\]]*\],[^;]*;", code):
        yield "wait", line.replace(match[0], f"setp.eq.u32 {match[2]}, 0, 0;")
    if match := re.search(GUARD + r"(?:bar|barrier)(?:\.cta)?\.sync[\w.]*\s[^;]*;", code):
        yield "barrier", line.replace(match[0], "")
    if match := re.search(r"(mbarrier\.init[\w.:]*\s*\[[^\]]*\],\s*)(\d+)\s*;", code):
        if int(match[2]) > 1:
            yield "count", line.replace(match[0], f"{match[1]}{int(match[2]) - 1};")
    if "cp.async.bulk.commit_group" in code:
        yield "bulk commit", re.sub(GUARD + r"cp\.async\.bulk\.commit_group\s*;", "", line)
    if match := re.search(r"cp\.async\.(?:bulk\.)?wait_group(?:\.read)?\s+(\d+)\s*;", code):
        yield "group wait", line.replace(match[0], match[0].replace(f"{match[1]};", f"{int(match[1]) + 1};"))
    if match := re.search(GUARD + r"tcgen05\.(wait|fence)::\w+[\w.:]*\s*;", code):
        yield "tcgen05 " + match[1], line.replace(match[0], "")
    if "barrier.cluster.arrive" in code and "barrier.cluster.wait" in code:
        yield "cluster barrier", re.sub(GUARD + r"barrier\.cluster\.[\w.]*\s*;", "", line)


# planted.py's names of some of these.
KINDS = {"barrier": "no barrier", "tcgen05 wait": "no load wait", "cluster barrier": "no cluster barrier"}


def ptx_of(folder):
    return next(folder / name for name in ("kernel_fixed.ptx", "kernel.ptx") if (folder / name).exists())


def launch_of(folder):
    return next((folder / name for name in ("launch_full.json", "launch.json") if (folder / name).exists()), None)


def mutants_of(folder, name, most):
    text = ptx_of(folder).read_text()
    lines = text.split("\n")
    count, begin = collections.Counter(), 0
    for n, line in enumerate(lines):
        for what, other in changes(line):
            kind = KINDS.get(what)
            if what == "tcgen05 wait" and "wait::ld" not in line:
                kind = None
            if other == line or (what == "tcgen05 fence" and ".relaxed" not in text):
                continue  # arrivals and waits that are not relaxed order accesses (check/README.md)
            if kind and not planted.matters(kind, text, begin, begin + len(line)):
                continue
            count[what] += 1
            if count[what] <= most:
                yield folder, name, what, n + 1, "\n".join(lines[:n] + [other] + lines[n + 1:])
        begin += len(line) + 1


def check(lanescope, ptx, launch, *options):
    try:
        done = subprocess.run([lanescope, "check", str(ptx), "--launch", str(launch), "--format", "json", "--threads", "1",
                               *options], capture_output=True, text=True, timeout=120)
        return json.loads(done.stdout)["findings"], done.stderr
    except subprocess.TimeoutExpired:
        return [{"grade": "fault", "rule": "timeout"}], ""
    except ValueError:
        return None, done.stderr


def judge(task):
    lanescope, (folder, name, what, line, text) = task
    with tempfile.TemporaryDirectory() as temporary:
        ptx = pathlib.Path(temporary) / "mutant.ptx"
        ptx.write_text(text)
        for options in ([], ["--adversarial"]):
            findings, errors = check(lanescope, ptx, launch_of(folder), *options)
            if findings is None:
                return name, what, line, "refused", errors.strip().split("\n")[0]
            bad = [finding for finding in findings if finding["grade"] != "note"]
            if bad:
                return name, what, line, bad[0]["grade"], bad[0]["rule"]
    return name, what, line, "no", ""


def main():
    words = [word for word in sys.argv[1:]]
    number = lambda flag, otherwise: int(words[words.index(flag) + 1]) if flag in words else otherwise
    every, most = number("--every", 1), number("--most", 3)
    lanescope, places = words[0], [pathlib.Path(word) for word in words[1:] if not word.startswith("--") and not word.isdigit()]
    with tempfile.TemporaryDirectory() as temporary:
        folders = []
        if "--library" in words:
            for path in sorted([*(places[0] / "kernels").glob("*.py"), *(places[0] / "samples/kernels").glob("*.py")]):
                named = re.search(r"--arch (sm_\w+)", path.read_text())  # in the file's own command
                arch = named[1] if named else "sm_90a"
                out = pathlib.Path(temporary) / path.stem
                subprocess.run([lanescope, "compile", str(path), "--emit", "package", "--no-expected", "--arch", arch, "-o", str(out)],
                               capture_output=True, check=False)
                folders += sorted(out.glob("*.lspkg"))[:1]
        elif "--corpus" in words:
            if not places[0].exists():
                print(f"skipped: no {places[0]}")
                return 77
            for arch in ("sm_90a", "sm_100a"):
                folders += corpus.find_cases(places[0], pathlib.Path(temporary) / arch, arch, "")
        else:
            folders = sorted(path.parent for place in places for path in place.rglob("kernel.ptx"))
        folders = [folder for folder in folders if launch_of(folder)]
        mutants = []
        for folder in folders:
            name = folder.parent.name if "--library" in words else folder.name
            mutants += mutants_of(folder, name, most)
        mutants = [mutant for n, mutant in enumerate(mutants) if n % every == every // 2]
        counts = collections.defaultdict(collections.Counter)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for name, what, line, result, said in pool.map(judge, [(lanescope, mutant) for mutant in mutants]):
                counts[what][result] += 1
                if result in ("no", "refused"):
                    print(f"{result.upper()} {name}: {what} (line {line}) {said}", flush=True)
    for what, results in sorted(counts.items()):
        print(f"{what:16} " + ", ".join(f"{count} {result}" for result, count in sorted(results.items())))
    total = sum(sum(results.values()) for results in counts.values())
    told = sum(results["fault"] + results["hazard"] for results in counts.values())
    print(f"mutants of PTX: {told} of {total} told")
    refused = sum(results["refused"] for results in counts.values())
    return 1 if refused or told * 100 < number("--share", 0) * total else 0


sys.exit(main())
