#!/usr/bin/env python3
"""`lanescope check`: findings by grade of PTX, of snippets and of folders, as text, JSON and SARIF, and their exit statuses.
Usage: check.py LANESCOPE REPOSITORY"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

# A tile is read. After a barrier without a proxy fence (a hazard), bulk copies fill it again, and {WAIT} waits for
# them.
KERNEL = """.version 8.7
.target sm_90a
.address_size 64
.extern .shared .align 128 .b8 smem[];
.visible .entry k(.param .u64 a, .param .u64 b)
{
.reg .pred %p<4>;
.reg .b32 %r<8>;
.reg .b64 %d<8>;
ld.param.u64 %d1, [a];
ld.param.u64 %d2, [b];
mov.u32 %r1, %tid.x;
setp.eq.u32 %p1, %r1, 0;
@%p1 mbarrier.init.shared.b64 [smem+512], 1;
bar.sync 0;
@%p1 mbarrier.arrive.expect_tx.shared.b64 %d3, [smem+512], 128;
@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [smem], [%d1], 128, [smem+512];
W: mbarrier.try_wait.parity.shared.b64 %p2, [smem+512], 0;
@!%p2 bra W;
mul.wide.u32 %d4, %r1, 4;
mov.u64 %d5, smem;
add.s64 %d5, %d5, %d4;
ld.shared.u32 %r2, [%d5];
FENCE
bar.sync 0;
@%p1 mbarrier.arrive.expect_tx.shared.b64 %d3, [smem+512], 128;
@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [smem], [%d1], 128, [smem+512];
WAIT
ld.shared.u32 %r3, [%d5];
add.u32 %r2, %r2, %r3;
add.s64 %d6, %d2, %d4;
st.global.u32 [%d6], %r2;
ret;
}
"""
FENCE = "fence.proxy.async.shared::cta;"
WAIT = "X: mbarrier.try_wait.parity.shared.b64 %p3, [smem+512], 1;\n@!%p3 bra X;"
LAUNCH = {"entry": "k", "grid": [1, 1, 1], "cluster": [1, 1, 1], "block": [32, 1, 1], "dynamic_smem": 1024,
          "params": [{"kind": "buffer", "dtype": "u32", "shape": [32]}, {"kind": "buffer", "dtype": "u32", "shape": [32]}]}


def case(folder, name, fence=FENCE, wait=WAIT, launch=True):
    (folder / name).mkdir(parents=True)
    (folder / name / "kernel.ptx").write_text(KERNEL.replace("FENCE", fence).replace("WAIT", wait))
    if launch:
        (folder / name / "launch.json").write_text(json.dumps(LAUNCH))
    return folder / name / "kernel.ptx"


def main():
    lanescope, repository = sys.argv[1], pathlib.Path(sys.argv[2])
    failures, done = [], 0

    def run(*words):
        return subprocess.run([lanescope, "check", *map(str, words)], capture_output=True, text=True, timeout=120)

    def expect(condition, what):
        nonlocal done
        done += 1
        if not condition:
            failures.append(what)

    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        good, hazard, fault = case(folder, "good"), case(folder, "hazard", fence=""), case(folder, "fault", wait="")
        line = hazard.read_text().splitlines().index("@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                                                     "[smem], [%d1], 128, [smem+512];", 20) + 1

        clean = run(good)
        expect(clean.returncode == 0 and re.fullmatch(r"0 faults, 0 hazards, 0 notes in \d\d runs\n", clean.stdout), clean)
        expect(run(good).stdout == clean.stdout, "how many schedules there are does not depend on the machine's speed")
        told = run(hazard)
        expect(told.returncode == 0 and f"kernel.ptx:{line}:1: hazard [unfenced-overwrite]: " in told.stdout, told)
        expect(re.search(r"^0 faults, 1 hazard, 0 notes in \d\d runs$", told.stdout, re.M), told)
        one = run(hazard, "--seed", "0")
        expect(one.stdout.endswith("0 faults, 1 hazard, 0 notes in 1 run\n"), one)
        expect(run(hazard, "--strict").returncode == 1, "a hazard fails a strict check")
        expect(run(hazard, "--strict", "--checks", "unfinished-copy").returncode == 0, "a rule that was not chosen")
        expect(run("--checks", "race,unfenced-overwrite", hazard, "--strict").returncode == 1, "a rule that was chosen")
        one = run(hazard, "--strict-rule", "unfenced-overwrite")
        expect(one.returncode == 1 and "fault [unfenced-overwrite]: " in one.stdout, one)
        expect(run(hazard, "--strict-rule", "unfinished-copy").returncode == 0, "the strictness of another rule")
        on = run(fault, "--keep-going")
        expect(on.returncode == 1 and "fault [copy-not-awaited]: " in on.stdout, on)
        expect(run(good, "--time-limit", "0.5").returncode == 0, "a time that is enough")
        several = run(hazard, "--seeds", "3")
        expect(several.stdout.endswith("0 faults, 1 hazard, 0 notes in 3 runs\n"), several)
        wrong = run(fault, "--seeds", "2")
        expect(wrong.returncode == 1 and "fault [copy-not-awaited]: " in wrong.stdout and "in 2 runs" in wrong.stdout, wrong)
        expect(run(fault, "--checks", "unfinished-copy").returncode == 1, "a fault ends the run, whichever rules were chosen")

        listed = json.loads(run(fault, "--format", "json").stdout)
        expect(listed["runs"] > 1 and len(listed["findings"]) == 1, listed)
        first = listed["findings"][0]
        expect((first["grade"], first["rule"]) == ("fault", "copy-not-awaited") and first["file"].endswith("kernel.ptx"), first)
        expect(first["line"] > line and first["column"] == 1 and first["related"], first)
        expect({"instruction", "block", "warp"} <= set(first["parameters"]) and isinstance(first["parameters"]["warp"], int), first)
        expect(all(set(note) == {"message", "file", "line"} for note in first["related"]), first)

        sarif = json.loads(run(hazard, "--format", "sarif").stdout)
        result = sarif["runs"][0]["results"][0]
        expect(sarif["version"] == "2.1.0" and sarif["runs"][0]["tool"]["driver"]["rules"] == [{"id": "unfenced-overwrite"}], sarif)
        expect((result["ruleId"], result["level"]) == ("unfenced-overwrite", "warning"), result)
        expect(result["properties"]["parameters"]["instruction"], result)
        region = result["locations"][0]["physicalLocation"]["region"]
        expect(region == {"startLine": line, "startColumn": 1}, region)

        whole = run(folder)
        expect(whole.returncode == 1 and re.search(r"^1 fault, 1 hazard, 0 notes in \d+ runs$", whole.stdout, re.M), whole)
        lonely = case(folder, "lonely", launch=False)
        partly = run(folder)
        expect(partly.returncode == 1 and "nothing says how" in partly.stderr and "1 fault, 1 hazard" in partly.stdout, partly)
        alone = run(lonely)
        expect(alone.returncode == 1 and "no `--launch`, no `launch.json`" in alone.stderr, alone)
        expect(run(lonely, "--launch", good.parent / "launch.json").returncode == 0, "a launch given")

        (folder / "wrong.py").write_text("x = 1 +\n")
        broken = run(folder / "wrong.py")
        expect(broken.returncode == 1 and "wrong.py:1:" in broken.stderr, broken)
        for words, said in ((["--checks", "nonsense"], "there is no rule `nonsense`"),
                            (["--strict-rule", "races"], "there is no rule `races`; did you mean `race`?"),
                            (["--time-limit", "0"], "--time-limit"),
                            (["--seeds", "0"], "--seeds")):
            refused = run(good, *words)
            expect(refused.returncode in (1, 2) and said in refused.stderr, refused)
        (folder / "empty").mkdir()
        expect("there is no PTX in" in run(folder / "empty").stderr, "an empty folder")
        (folder / "a.xyz").write_text("words")
        expect("text of an unknown kind" in run(folder / "a.xyz").stderr, "another file")
        expect(run(folder / "absent.ptx").returncode == 1, "no such file")

    snippet = run(repository / "tests/emulator/missing_commit.py")
    expect(snippet.returncode == 1 and "missing_commit.py:" in snippet.stdout and "fault [" in snippet.stdout, snippet)
    mistyped = subprocess.run([lanescope, "chekc", "x.ptx"], capture_output=True, text=True)
    expect(mistyped.returncode == 2 and "there is no command `chekc`; did you mean `check`?" in mistyped.stderr, mistyped)
    sample = run(repository / "samples/kernels/double.py", "--seeds", "2")
    expect(sample.returncode == 0 and "0 faults, 0 hazards" in sample.stdout, sample)

    for failure in failures:
        print("FAILED:", failure)
    print(f"check: {done - len(failures)} of {done}")
    return 1 if failures else 0


sys.exit(main())
