#!/usr/bin/env python3
"""`lanescope check` on files of other compilers (Triton's cache, JAX's dumps, nvcc's PTX), sketched launches,
schedules, and code that runs have not covered. Usage: check_others.py LANESCOPE REPOSITORY"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


SUM_OF_WARPS = """.version 9.0
.target sm_90a
.address_size 64
.shared .align 4 .b32 total;
.visible .entry k(.param .u64 p0, .param .u64 p1)
{
.reg .pred %p<4>;
.reg .b32 %r<9>;
.reg .b64 %d<9>;
ld.param.u64 %d0, [p0];
ld.param.u64 %d1, [p1];
mov.u32 %r0, %tid.x;
setp.ne.u32 %p1, %r0, 0;
mov.u32 %r1, %ctaid.x;
mul.wide.u32 %d2, %r1, 4;
add.s64 %d0, %d0, %d2;
ld.global.u32 %r2, [%d0];
@!%p1 st.shared.u32 [total], 0;
bar.sync 0;
red.shared.add.u32 [total], %r2;
bar.sync 0;
@%p1 bra END;
ld.shared.u32 %r3, [total];
st.global.u32 [%d1], %r3;
END:
ret;
}
"""


def main():
    lanescope, repository = sys.argv[1], pathlib.Path(sys.argv[2])
    golden = repository / "tests/golden"
    failures, done = [], 0

    def run(*words, cwd=None):
        return subprocess.run([lanescope, *map(str, words)], capture_output=True, text=True, timeout=120, cwd=cwd)

    def expect(condition, what):
        nonlocal done
        done += 1
        if not condition:
            failures.append(what)

    # Triton's cache: the metadata has warps and shared memory, the IR names and types. The rest is guessed, and
    # reported.
    cache = run("check", golden / "triton_cache")
    expect(cache.returncode == 0 and re.search(
        r"nothing found in \d+ runs, launched as guessed: grid 1x1x1; grid 1x1x1 shows nothing between blocks\n$", cache.stdout), cache)
    expect("0 faults" not in cache.stdout and "invented numbers" in cache.stderr, cache)
    told = json.loads(run("check", golden / "triton_cache", "--format", "json").stdout)
    expect(told["guessed"][0]["grid"] == [1, 1, 1] and "`grid`: one block" in told["guessed"][0]["guesses"], told)
    sarif = json.loads(run("check", golden / "triton_cache", "--format", "sarif").stdout)
    expect(len(sarif["runs"][0]["properties"]["guessed"]) == 2, sarif)
    wider = run("check", golden / "triton_cache", "--grid", "4")
    expect(wider.stdout.endswith("launched as guessed: grid 4x1x1\n"), wider)
    expect("guessed: `grid`: one block; parameter 0, `x`: f32[1048576]" in cache.stderr and "`n`: i32 256" in cache.stderr, cache)
    told = run("check", golden / "triton_cache", "--grid", "4", "--arg", "n=1000", "--arg", "R=4")
    expect(told.returncode == 0 and "`n`" not in told.stderr and "`grid`" not in told.stderr, told)
    add = next((golden / "triton_cache").glob("*/k_add.ptx"))
    beyond = run("check", add, "--arg", "n=99000000", "--grid", "97000")
    expect(beyond.returncode == 1 and "with the guessed launch this kernel leaves its buffers" in beyond.stderr, beyond)
    for words, said in ((["--arg", "m=3"], "no parameter of `k_add` that is passed by value is called `m`"),
                        (["--arg", "n=x"], "`x` is no value for `n`, which is i32"), (["--arg", "n"], "NAME=VALUE"),
                        (["--grid", "0"], "one to three sizes"), (["--grid", "1,2,3,4"], "one to three sizes"),
                        (["--seed", "slow"], "there is no schedule `slow`")):
        refused = run("check", add, *words)
        expect(refused.returncode in (1, 2) and said in refused.stderr, (words, refused))
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        shutil.copytree(golden / "triton_cache", folder / "cache")
        metadata = next((folder / "cache").glob("*/k_add.json"))
        for text, said in (("{", "no JSON object"), ("[]", "no JSON object"),
                           ('{"num_warps": 0, "shared": 0}', "are not what a kernel can have")):
            metadata.write_text(text)
            damaged = run("check", metadata.with_suffix(".ptx"))
            expect(damaged.returncode == 1 and said in damaged.stderr, damaged)
        metadata.unlink()
        partly = run("check", folder / "cache")
        expect(partly.returncode == 1 and "nothing says how" in partly.stderr and re.search(
            r"nothing found in \d+ runs?, launched", partly.stdout), partly)

        # JAX's dumps: the module has the launch, and arrays are random.
        dump = run("check", repository / "samples/dumps")
        expect(dump.returncode == 0 and re.fullmatch(r"0 faults, 0 hazards, 0 notes in \d+ runs?\n", dump.stdout) and not dump.stderr, dump)
        for name in ("tma_Warpgroup", "add_Warpgroup"):
            shutil.copytree(golden / "jax_dumps" / name, folder / name)
            (folder / name / "launch.json").unlink()
            number = {"tma_Warpgroup": 5, "add_Warpgroup": 4}[name]
            (folder / name / "kernel.ptx").rename(folder / name / f"k_{number}.ptx")
            dump = run("check", folder / name)
            expect(dump.returncode == 0 and "0 faults" in dump.stdout, (name, dump))
        waitless = (folder / "tma_Warpgroup/k_5.ptx").read_text().replace("mbarrier.try_wait", "mbarrier.test_wait")
        expect(waitless.count("mbarrier.test_wait"), "the dump has a wait")

        # nvcc's PTX with a launch description whose array is missing.
        nvcc = run("check", golden / "nvcc", "--seeds", "2", "--adversarial")
        expect(nvcc.returncode == 0 and "random numbers stand in" in nvcc.stderr, nvcc)
        expect(nvcc.stdout.endswith("0 faults, 0 hazards, 0 notes in 15 runs\n"), nvcc)
        expect("launch.json:26:12: note: `x.npy` is not there; random numbers stand in" in nvcc.stderr, nvcc)

        # Without a launch: the command writes a sketch, which can be run after it is filled in.
        shutil.copy(golden / "nvcc/ring.ptx", folder / "ring.ptx")
        lonely = run("check", folder / "ring.ptx")
        expect(lonely.returncode == 1 and "lanescope emulate" in lonely.stderr, lonely)
        sketch = run("emulate", folder / "ring.ptx")
        expect(sketch.returncode == 2 and "launch.json" in sketch.stdout and "parameter 2" in sketch.stderr, sketch)
        launch = json.loads((folder / "launch.json").read_text())
        expect(launch["block"] == [160, 1, 1] and "placeholders" in launch["comment"][0], launch)
        again = run("emulate", folder / "ring.ptx")
        expect(again.returncode == 0 and "a sketch: its `comment` names the numbers" in again.stderr, again)
        (folder / "out_1.npy").unlink()
        (folder / "alone.ptx").write_text(".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry alone() { ret; }\n")
        another = run("emulate", folder / "alone.ptx")
        expect(another.returncode == 2 and "alone.launch.json" in another.stdout, another)
        expect(run("emulate", folder / "alone.ptx").returncode == 0, "the sketch of its own is taken")
        launch["params"][2]["value"] = 7
        launch["params"][0]["shape"] = launch["params"][1]["shape"] = [14336]
        (folder / "launch.json").write_text(json.dumps(launch))
        ran = run("emulate", folder / "ring.ptx", "--launch", folder / "launch.json", "--trace", folder / "trace.json")
        expect(ran.returncode == 0 and (folder / "out_1.npy").exists(), ran)
        summary = run("trace", folder / "trace.json", "--summary")
        expect("mbarrier wait" in summary.stdout and "bulk load" in summary.stdout, summary)
        (folder / "wanted").mkdir()
        (folder / "out_1.npy").rename(folder / "wanted/out_1.npy")
        same = run("emulate", folder / "ring.ptx", "--launch", folder / "launch.json", "--expected", folder / "wanted")
        expect(same.returncode == 0, same)
        data = bytearray((folder / "wanted/out_1.npy").read_bytes())
        data[-1] ^= 0x7F
        (folder / "wanted/out_1.npy").write_bytes(data)
        other = run("emulate", folder / "ring.ptx", "--launch", folder / "launch.json", "--expected", folder / "wanted")
        expect(other.returncode == 1 and "1 of 14336 elements differ" in other.stderr, other)
        expect(re.search(r": (\S+) instead of (?!\1)\S+(, \d+ ulps? apart)?\n", other.stderr), other)

        # A run that continues after a fault still compares its outputs.
        data[-1] ^= 0x7F
        (folder / "wanted/out_1.npy").write_bytes(data)
        text = (folder / "ring.ptx").read_text()
        past = "mov.u64 %past, -4;\nld.global.u32 %lost, [%past];\n"
        entry = text.index("{", text.index(".entry")) + 1
        (folder / "past.ptx").write_text(text[:entry] + "\n.reg .b64 %past;\n.reg .b32 %lost;\n" + past + text[entry:])
        ends = run("emulate", folder / "past.ptx", "--launch", folder / "launch.json", "--expected", folder / "wanted")
        expect(ends.returncode == 1 and "--keep-going" in ends.stderr and "wrote" not in ends.stdout, ends)
        goes = run("emulate", folder / "past.ptx", "--launch", folder / "launch.json", "--expected", folder / "wanted", "--keep-going")
        expect(goes.returncode == 1 and "in none of the kernel's arrays" in goes.stderr and "wrote" in goes.stdout, goes)
        expect("elements differ" not in goes.stderr and "`--fast` looks for no races" in goes.stderr, goes)

        # A fault that one schedule shows names the schedule, and only that schedule shows the fault again.
        (folder / "late.py").write_text(LATE)
        found = run("check", folder / "late.py", "--adversarial", "--format", "json")
        findings = json.loads(found.stdout)["findings"]
        expect(found.returncode == 1 and findings and findings[0]["schedule"] == "0", found)
        for schedule in ("slow-copies:2", "late-arrivals", "slow-warpgroup-0"):
            slow = run("run", repository / "samples/kernels/double.py", "--device", "emulator", "--seed", schedule)
            expect(slow.returncode == 0, slow)
        replay = run("check", folder / "late.py", "--seed", findings[0]["schedule"] if findings else "0")
        expect(replay.returncode == 1 and "in 1 run\n" in replay.stdout, replay)

    # Code that a run has not covered, and a size that would cover it.
    coverage = run("check", repository / "tests/golden/coverage/short_ring.py", "--coverage")
    expect(coverage.returncode == 0 and "[coverage-never-reused]: `copy_gmem_to_smem(" in coverage.stdout, coverage)
    expect("320 in place of 192 (line 21) shows 2 of these: numbers 1, 2\n" in coverage.stdout, coverage)
    report = json.loads(run("check", repository / "tests/golden/coverage/short_ring.py", "--coverage", "--format", "json").stdout)
    rules = {gap["rule"] for gap in report["coverage"]["gaps"]}
    expect({"coverage-one-parity", "coverage-never-reused"} <= rules and report["coverage"]["sizes"], report["coverage"])
    sarif = json.loads(run("check", repository / "tests/golden/coverage/short_ring.py", "--coverage", "--format", "sarif").stdout)
    expect(all(result["level"] == "note" for result in sarif["runs"][0]["results"]) and sarif["runs"][0]["results"], sarif)

    # Coverage makes each warp late that uses a word which others update. Arrays without data hold zeros, which hide a race.
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "k.ptx").write_text(SUM_OF_WARPS)
        buffer = {"kind": "buffer", "dtype": "u32", "shape": [2]}
        (folder / "launch.json").write_text(json.dumps(
            {"entry": "k", "grid": [2, 1, 1], "block": [512, 1, 1], "params": [buffer, {**buffer, "out": "y.npy"}]}))
        late = json.loads(run("check", folder, "--coverage", "--format", "json").stdout)
        expect(late["coverage"]["late"] == {"suspected": 3, "tried": 3, "breaking": 0}, late)
        expect([(f["grade"], f["rule"]) for f in late["findings"]] == [("note", "equal-write")], late)
        one = run("check", folder, "--coverage", "--seed", "slow-warp-0")
        expect("1 of 16 warps were late" in one.stdout and one.returncode == 0, one)

    # The same for one run, in the language.
    with tempfile.TemporaryDirectory() as temporary:
        program = pathlib.Path(temporary) / "shown.py"
        text = (repository / "tests/golden/coverage/short_ring.py").read_text()
        program.write_text(text + "print(run(copy_columns, x, coverage=True).coverage)\nprint(run(copy_columns, x).coverage)\n")
        shown = run("run", program, "--device", "emulator")
        expect(shown.returncode == 0 and "`copy_gmem_to_smem(" in shown.stdout and shown.stdout.endswith("shown in full\n\nNone\n"), shown)
        program.write_text(text + 'run(copy_columns, x, device="gpu", coverage=True)\n')
        refused = run("run", program, "--device", "emulator")
        expect(refused.returncode == 1 and 'device="emulator"' in refused.stderr, refused)

    for failure in failures:
        print("FAILED:", failure)
    print(f"check_others: {done - len(failures)} of {done}")
    return 1 if failures else 0


# The kernel reads the second half before its copy is complete.
LATE = """@kernel(scratch=[SMEM((2, 64, 64), f32), Barrier(num_barriers=2)])
def late(x: GMEM((128, 64), f32), out: Out((128, 64), f32), tiles, loaded):
  for half in static_range(2):
    copy_gmem_to_smem(x.at[ds(half * 64, 64)], tiles.at[half], loaded.at[half])
  barrier_wait(loaded.at[0])
  for half in static_range(2):
    out[ds(half * 64, 64), :] = load(tiles.at[half], layout=WGMMA)
  barrier_wait(loaded.at[1])

late(random((128, 64), f32, seed=1))
"""

sys.exit(main())
