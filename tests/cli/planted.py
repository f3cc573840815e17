#!/usr/bin/env python3
"""Plants faults in the PTX of correct kernels, the corpus's cases (corpus.py): deletes a wait, fence or arrival, flips
a parity, reduces a count or a number of bytes. Each fault must be reported: as an error, as a hazard that the kernel
itself does not have, or as a run that does not end. The script lists missed faults. planted_equivalent.txt has changes
without effect, with the reason.

A case gives at most one mutant of each kind, at the middle one of the places to which the kind applies.
Usage: planted.py LANESCOPE FOLDER [--arch sm_90a] [--only TEXT] [--kinds KIND,…] [--sample N] [--least N] [--share
0.95]"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import corpus

TIMEOUT = 120
SCHEDULES = ("0", "1")  # the second one runs if the first one reports nothing
STATEMENT = r"^[ \t]*(?:@!?%?\w+[ \t]+)?"


def deleted(pattern):
    """Deletes a line's statement."""
    expression = re.compile(STATEMENT + r"(" + pattern + r")[^;]*;", re.M)
    return expression, lambda match: "// planted"


def wait_not_done(match):
    """Makes a wait return true without a test."""
    return f"setp.eq.b32 {match['p']}, 0, 0;"


def other_parity(match):
    return (f"{{ .reg .b32 %planted; xor.b32 %planted, {match['parity']}, 1; {match['head']} %planted{match['tail']}; }}"
            if not match["parity"].isdigit() else f"{match['head']} {int(match['parity']) ^ 1}{match['tail']};")


def less(step):
    def change(match):
        return match["head"] + str(int(match["count"], 0) + step) + match["tail"]
    return change


WAIT = r"mbarrier\.(?:try|test)_wait\.parity[\w.:]*"
KINDS = {
    "no wgmma wait": deleted(r"wgmma\.wait_group"),
    "no wgmma fence": deleted(r"wgmma\.fence"),
    "no bulk wait": deleted(r"cp\.async\.bulk\.wait_group"),
    "no cp.async wait": deleted(r"cp\.async\.wait_(?:group|all)"),
    "no proxy fence": deleted(r"fence\.proxy\.async"),
    "no memory fence": deleted(r"(?:membar\.gl|fence\.(?:acq_rel|sc)\.gpu)"),
    "no barrier": deleted(r"bar(?:rier)?(?:\.cta)?\.sync"),
    "no cluster barrier": deleted(r"barrier\.cluster\.wait"),
    "no arrival": deleted(r"mbarrier\.arrive(?!\.expect_tx)"),
    "no expectation": deleted(r"mbarrier\.(?:arrive\.)?expect_tx"),
    "no commit": deleted(r"tcgen05\.commit"),
    "no load wait": deleted(r"tcgen05\.wait::ld"),
    "no store wait": deleted(r"tcgen05\.wait::st"),
    "no mbarrier wait": (re.compile(r"(?:@%?\w+[ \t]+)?" + WAIT + r"[ \t]+(?P<p>%?\w+),[^;]*;"), wait_not_done),
    "other parity": (re.compile(r"(?P<head>" + WAIT + r"[ \t]+%?\w+,[ \t]*\[[^\]]*\],)[ \t]*(?P<parity>[%\w]+)(?P<tail>[^;]*);"), other_parity),
    "smaller count": (re.compile(r"(?P<head>mbarrier\.init[\w.:]*[ \t]+\[[^\]]*\],[ \t]*)(?P<count>\d+)(?P<tail>;)"), less(-1)),
    "larger count": (re.compile(r"(?P<head>mbarrier\.init[\w.:]*[ \t]+\[[^\]]*\],[ \t]*)(?P<count>\d+)(?P<tail>;)"), less(1)),
    "fewer bytes": (re.compile(r"(?P<head>mbarrier\.(?:arrive\.)?expect_tx[^;]*,[ \t]*)(?P<count>\d+)(?P<tail>;)"), less(-16)),
    "more pending": (re.compile(r"(?P<head>(?:wgmma|cp\.async|cp\.async\.bulk)\.wait_group(?:\.read)?(?:\.sync\.aligned)?[ \t]+)(?P<count>\d+)(?P<tail>;)"), less(1)),
}


BARRIER = re.compile(r"^[ \t]*bar(?:rier)?(?:\.cta)?\.sync\b[^;]*;|^[ \t]*barrier\.cluster\.wait[^;]*;", re.M)
# For each memory: the instructions that read it and that write it. An address without a space may belong to any memory.
USES = [
    (r"\bld\.shared|\bld\.[vbusf]\d|ldmatrix|wgmma\.mma|global\.shared::cta|tcgen05\.(?:mma|cp)\b",
     r"\bst\.shared|\bst\.[vbusf]\d|stmatrix|\bst\.(?:bulk|async)|\.shared(?:::\w+)?\.global|try_cancel|tcgen05\.alloc"),
    (r"mbarrier[.:]", r"mbarrier\.(?:init|inval)"),
    (r"tcgen05\.(?:ld|mma)\b", r"tcgen05\.(?:st|mma|cp|shift|alloc|dealloc)\b"),
    (r"\bld\.(?:global|[vbusf]\d)|\.shared(?:::\w+)?\.global", r"\bst\.(?:global|[vbusf]\d)|global\.shared::cta"),
]
# Effects of one thread that others see after a barrier, or that it signals itself; and instructions that this script
# does not analyse.
CARRIED = r"wait_group|wait_all|(?<!tcgen05\.)\bfence|tensormap|\bcall\b|\batom|\bred\b|\.(?:release|acquire|relaxed|volatile)\b|@!?%?\w+[ \t]+mbarrier\.\w+_wait"
TOLD = r"mbarrier\.arrive|cluster\.arrive|tcgen05\.commit"


def straightened(text, part):
    """Part of a kernel without wait loops, branches within the part, comments, and reads of the address of tensor
    memory, which no thread writes again."""
    part = re.sub(r"(?:LAB_WAIT|DONE|waitLoop):|bra(?:\.uni)?[ \t]+(?:LAB_WAIT|DONE|waitLoop);|//[^\n]*", "", part)
    for label in re.findall(r"^(\$\w+):", part, re.M):
        jumps = [match.start() for match in re.finditer(r"\bbra(?:\.uni)?[ \t]+" + re.escape(label) + r"\b", part)]
        everywhere = len(re.findall(r"\bbra(?:\.uni)?[ \t]+" + re.escape(label) + r"\b", text))
        if len(jumps) == everywhere and all(jump < part.index(label + ":") for jump in jumps):
            part = re.sub(r"\bbra(?:\.uni)?[ \t]+" + re.escape(label) + r"\b|^" + re.escape(label) + ":", "", part, flags=re.M)
    for read in re.finditer(r"ld\.shared\.b32[ \t]+(%r\d+),[^;]*;", part):
        if re.search(r"tcgen05\.[^;]*\[[ \t]*" + read[1] + r"\b", text):
            part = part.replace(read[0], "")
    return part


def threads_of(text, barrier):
    """The number of threads that meet at the barrier; None if it is not known."""
    block = re.search(r"\.(?:maxntid|reqntid)[ \t]+(\d+)", text)
    named = re.search(r",[ \t]*(\d+)[ \t]*;", barrier)
    return int(named[1]) if named else block and int(block[1])


def separates(text, begin, end):
    """True if the block's barrier at this place may order something: the code between the previous barrier and it,
    against the code between it and the next barrier. Also True if that is not straight-line code."""
    before = [match for match in BARRIER.finditer(text, 0, begin)][-1:]
    behind = BARRIER.search(text, end)
    first = straightened(text, text[before[0].end() if before else text.index(".entry"):begin])
    second = straightened(text, text[end:behind.start() if behind else len(text)].split("\tret;")[0])
    winding = r"^[ \t]*[$\w]+:|\bbra\b|\bret\b"
    for other, part in ((before[0] if before else None, first), (behind, second)):
        idle = not any(re.search(use, part, re.M) for use in (*sum(USES, ()), CARRIED, TOLD, winding))
        if other and idle and threads_of(text, other[0]) and threads_of(text, other[0]) == threads_of(text, text[begin:end]):
            return False  # the other barrier orders the same code
    if any(re.search(winding, part, re.M) for part in (first, second)) or re.search(CARRIED, first):
        return True
    touched = any(re.search(use, first) for reads, writes in USES for use in (reads, writes) if "mbarrier" not in use)
    if touched and re.search(TOLD, second):
        return True
    found = [[(bool(re.search(reads, part)), bool(re.search(writes, part))) for reads, writes in USES]
             for part in (first, second)]
    return any((a[0] and b[1]) or (a[1] and (b[0] or b[1])) for a, b in zip(*found))


def matters(kind, text, begin, end):
    """False if the statement from `begin` to `end` is known to order nothing: loaded registers may be used at once (PTX
    ISA, "Register dependencies, same thread"), a pair's blocks release tensor memory together, one thread issues the
    copies before and after it, or the code after it shares nothing."""
    if kind == "no load wait":
        return re.search(r"tcgen05\.(mma|st|cp)\b", text[end:]) is not None
    if kind == "no cluster barrier":
        return "tcgen05.dealloc.cta_group::2" not in text[end:end + 600]
    if kind == "no barrier" and not separates(text, begin, end):
        return False
    if kind == "no barrier":  # looks for later uses of shared memory, except the address of released tensor memory
        rest = re.sub(r"ld\.shared\.b32[^;]*;(?:[^;]*;){0,2}\s*tcgen05\.dealloc", "", text[end:])
        if not re.search(r"\.shared|matrix|cp\.async|cp\.reduce|mbarrier|wgmma\.mma|tcgen05\.(mma|st|cp)\b|global\.(?:acquire|relaxed)|atom|\bred\.", rest):
            return False
        return not ("expect_tx" in text[max(begin - 400, 0):begin] and "cp.async.bulk.tensor" in text[end:end + 700])
    return True


def mutants_of(text, kinds):
    """[(kind, line, text)]"""
    found = []
    for kind in kinds:
        expression, change = KINDS[kind]
        places = [match for match in expression.finditer(text) if matters(kind, text, match.start(), match.end())]
        if places:
            match = places[len(places) // 2]
            found.append((kind, text.count("\n", 0, match.start()) + 1,
                          text[:match.start()] + change(match) + text[match.end():]))
    return found


def emulate(lanescope, ptx, launch, schedule="0"):
    try:
        run = subprocess.run([lanescope, "emulate", str(ptx), "--launch", str(launch), "--threads", "1", "--seed", schedule],
                             capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return "error: no end", True
    messages = [re.sub(r".*?(error|warning): ", r"\1: ", line) for line in run.stderr.splitlines()
                if "error: " in line or "warning: " in line]
    return "\n".join(messages), run.returncode != 0


def told(lanescope, folder, kind, text, schedule):
    """The findings for a mutant, and True if its run failed."""
    launch = next(folder / name for name in ("launch_full.json", "launch.json") if (folder / name).exists())
    key = hashlib.sha1((kind + schedule).encode()).hexdigest()[:8]
    own = folder / key
    own.mkdir()
    for file in folder.glob("*.npy"):
        (own / file.name).symlink_to(file)
    (own / "kernel.ptx").write_text(text)
    description = json.loads(launch.read_text())
    for buffer in corpus.buffers(description):
        buffer.pop("out", None)
    (own / "launch.json").write_text(json.dumps(description))
    return emulate(lanescope, own / "kernel.ptx", own / "launch.json", schedule)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lanescope")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--arch", default="sm_90a")
    parser.add_argument("--only", default="")
    parser.add_argument("--kinds", default="")
    parser.add_argument("--sample", type=int, default=0, help="so many mutants, spread over the kinds; 0: all")
    parser.add_argument("--least", type=int, default=1, help="there are at least so many")
    parser.add_argument("--share", type=float, default=0.95, help="of the mutants that must be told")
    parser.add_argument("--verbose", action="store_true", help="what is told of each")
    arguments = parser.parse_args()
    if not arguments.folder.exists():
        print(f"skipped: no {arguments.folder}")
        return 77
    kinds = list(filter(None, arguments.kinds.split(","))) or list(KINDS)
    equivalent = {line.split("\t")[0] for line in pathlib.Path(__file__).with_name("planted_equivalent.txt").read_text().splitlines()}
    with tempfile.TemporaryDirectory() as temporary:
        cases = [case for case in corpus.find_cases(arguments.folder, pathlib.Path(temporary), arguments.arch, arguments.only)
                 if (case / "launch.json").exists() or (case / "launch_full.json").exists()]
        by_kind = collections.defaultdict(list)
        for case in cases:
            ptx = next(case / name for name in ("kernel_fixed.ptx", "kernel.ptx") if (case / name).exists())
            for kind, line, text in mutants_of(ptx.read_text(), kinds):
                if f"{case.name}:{kind}" not in equivalent:
                    by_kind[kind].append((case, kind, line, text))
        for found in by_kind.values():  # in a fixed pseudo-random order
            found.sort(key=lambda one: hashlib.sha1((one[0].name + one[1]).encode()).digest())
        chosen = []
        for number in range(max(map(len, by_kind.values()), default=0)):
            chosen += [found[number] for found in by_kind.values() if number < len(found)]
        if arguments.sample:
            chosen = chosen[:arguments.sample]
        missed, counts = [], collections.Counter()
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            def original(task):
                case, schedule = task
                launch = next(case / name for name in ("launch_full.json", "launch.json") if (case / name).exists())
                ptx = next(case / name for name in ("kernel_fixed.ptx", "kernel.ptx") if (case / name).exists())
                return case, emulate(arguments.lanescope, ptx, launch, schedule)[0]
            untold = chosen
            for schedule in SCHEDULES:
                tried, untold = untold, []
                originals = dict(pool.map(original, {(one[0], schedule) for one in tried}))
                for one, (words, failed) in zip(
                        tried, pool.map(lambda one: told(arguments.lanescope, one[0], one[1], one[3], schedule), tried)):
                    case, kind, line, _ = one
                    fresh = set(words.splitlines()) - set(originals[case].splitlines())
                    if not failed and not fresh:
                        untold.append(one)
                    elif arguments.verbose:
                        print(f"told {case.name}:{kind} (line {line}): {sorted(fresh)[0] if fresh else words}")
            counts.update(one[1] for one in chosen)
            for case, kind, line, _ in untold:
                missed.append(f"{case.name}:{kind}")
                print(f"MISSED {missed[-1]} (line {line})", flush=True)
    total = len(chosen)
    print(", ".join(f"{kind} {count}" for kind, count in sorted(counts.items())))
    print(f"{total} planted faults, {total - len(missed)} told")
    return 1 if total < arguments.least or total - len(missed) < arguments.share * total else 0


if __name__ == "__main__":
    sys.exit(main())
