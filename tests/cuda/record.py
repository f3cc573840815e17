#!/usr/bin/env python3
"""Runs programs of this folder under `lanescope record -- lanescope cuda`. The recordings replay bit for bit, and the
programs' own output and exit status stay the same. Usage: record.py LANESCOPE WORKER FOLDER"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

lanescope, worker, programs = (pathlib.Path(word) for word in sys.argv[1:4])
problems = []


def expect(what, condition):
    if not condition:
        problems.append(what)


def run(*words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300, **more)


def record(folder, program, *options, arguments=(), by=lanescope, **more):
    return run(by, "record", "-o", folder, *options, "--", lanescope, "cuda", "--", programs / f"cuda_{program}", *arguments, **more)


def packages(folder):
    return sorted(pathlib.Path(folder).glob("*.lspkg"))


def recorded(package):
    return json.loads((package / "recorded.json").read_text())


def replays(folder):
    """For each program: the recorder does not change it, and its recordings replay."""
    for program in ("streams", "cluster", "shared", "threads", "cooperative", "state"):
        where = folder / program
        plain = run(lanescope, "cuda", "--", programs / f"cuda_{program}")
        got = record(where, program)
        expect(f"{program} prints the same: {got.stdout!r}, {got.stderr!r}", got.stdout == plain.stdout)
        expect(f"{program} ends with {got.returncode}", got.returncode == plain.returncode)
        expect(f"{program}: no package: {got.stderr}", packages(where))
        table = run(lanescope, "emulate", where)
        lines = table.stdout.splitlines()
        grades = [line.split("  ")[0] for line in lines[:-1]]
        complete = [recorded(package)["state"] == "complete" for package in packages(where)]
        expect(f"{program} replays: {table.stdout}{table.stderr}",
               grades == ["exact" if one else "not comparable" for one in complete] and any(complete))
        expect(f"{program}: a part of a package is left", not list(where.glob("*.part")))


def one(folder):
    """For one package: its files, and the commands that accept it."""
    record(folder, "streams")
    package = packages(folder)[0]
    about = recorded(package)
    expect("the state", about["state"] == "complete" and about["launch"] == 1)
    expect("the device", "H100" in about["device"]["name"])
    expect("the call stack", any("cuda_streams" in frame for frame in about["stack"]))
    expect("others may not read it", (package / "buffer1.npy").stat().st_mode & 0o077 == 0)
    alone = run(lanescope, "emulate", package)
    expect(f"emulate: {alone.stdout}{alone.stderr}", alone.returncode == 0 and "exact" in alone.stdout)
    checked = run(lanescope, "check", package)
    expect(f"check: {checked.stdout}{checked.stderr}", checked.returncode == 0)
    debugged = run(lanescope, "debug", package, "--commands", "/dev/stdin", input="continue\n")
    expect(f"debug: {debugged.stdout}{debugged.stderr}", debugged.returncode == 0)
    expected = package / "expected" / "buffer0.out.npy"
    bytes_ = bytearray(expected.read_bytes())
    bytes_[-1] ^= 0x40
    expected.write_bytes(bytes_)
    wrong = run(lanescope, "emulate", package)
    expect(f"another result is told: {wrong.stdout}", wrong.returncode == 1 and "different" in wrong.stdout and "`out`" in wrong.stdout)
    about["ptx_by_name"] = "dump/scale.ptx"
    (package / "recorded.json").write_text(json.dumps(about))
    for words in (package, folder):
        named = run(lanescope, "emulate", words)
        expect(f"PTX found by its name: {named.stdout}", "in `dump/scale.ptx`, and may be another compilation's" in named.stdout)


def fixed(folder):
    """A number in the PTX that is an array's address, the names of parameters, and memory that no parameter names."""
    got = record(folder, "fixed")
    expect(f"three kernels: {got.stderr}", len(packages(folder)) == 3 and "left out" not in got.stderr)
    for name, buffers in (("count", 1), ("chase", 3)):
        package = next(one for one in packages(folder) if recorded(one)["kernel"] == name)
        launch = json.loads((package / "launch.json").read_text())
        expect(f"{name} has its memory: {launch}", launch["params"] == [] and len(launch["memory"]) == buffers)
        for command in ("emulate", "check"):
            got = run(lanescope, command, package)
            expect(f"{name}: {command}: {got.stdout}{got.stderr}", got.returncode == 0 and (command == "check" or "exact" in got.stdout))
    package = next(one for one in packages(folder) if recorded(one)["kernel"] == "look_up")
    launch = json.loads((package / "launch.json").read_text())
    expect(f"the array has its address: {launch}", len(launch["addresses"]) == 1 and launch["addresses"][0]["address"] in [buffer["address"] for buffer in recorded(package)["buffers"]])
    expect("the GPU's multiprocessors", launch["device"] == {"multiprocessors": 132})
    expect(f"numbers have names: {launch['params']}", (launch["params"][1].get("name"), launch["params"][1].get("value")) == ("scale", 0.5))
    got = run(lanescope, "emulate", package)
    expect(f"it replays: {got.stdout}{got.stderr}", got.returncode == 0 and "exact" in got.stdout)


def graphs(folder, program="graphs"):
    """Kernels of graphs: the nodes run one after another. Those of a graph that cannot be taken apart are recorded with
    the memory before the graph."""
    plain = run(lanescope, "cuda", "--", programs / f"cuda_{program}")
    got = record(folder / program, program, "--every", "launch")
    expect(f"graphs print the same: {got.stdout!r}, {got.stderr!r}", got.stdout == plain.stdout and got.returncode == plain.returncode)
    nodes = [about for about in map(recorded, packages(folder / program)) if about.get("graph", "").startswith("node ")]
    expect(f"nodes of graphs: {got.stderr}", len(nodes) == 7)
    apart = [about["state"] for about in nodes if "before the whole graph" not in about["graph"]]
    expect(f"nodes run alone: {apart}", apart == ["complete"] * 6)
    before = [about["state"] for about in nodes if "before the whole graph" in about["graph"]]
    expect(f"a graph with a node of the host: {before}", before == ["launched"])
    table = run(lanescope, "emulate", folder / program)
    grades = {line.split("  ")[0] for line in table.stdout.splitlines()[:-1]}
    expect(f"graphs replay: {table.stdout}", grades == {"exact", "not comparable"})
    listed = record(folder / f"{program}_list", program, "--list")
    expect(f"--list counts kernels of graphs: {listed.stdout}", "add" in listed.stdout and not packages(folder / f"{program}_list"))


def stubbed(folder):
    """A library of the program exports functions of the driver's names, as XLA's does."""
    graphs(folder, "graphs_stubbed")


def touched(folder):
    """--touched: the files keep only the pages that a replay accesses."""
    plain, cut = folder / "plain", folder / "cut"
    record(plain, "sparse")
    got = record(cut, "sparse", "--touched", by=worker)
    expect(f"--touched: {got.stderr}", "--touched: 1 package keeps " in got.stderr)
    files = [sorted(packages(where)[0].rglob("*.npy")) for where in (plain, cut)]
    disk = [sum(each.stat().st_blocks for each in of) * 512 for of in files]
    expect(f"less on the disk: {disk}", disk[1] * 10 < disk[0])
    sizes = [[each.stat().st_size for each in of] for of in files]
    expect(f"files of the same size: {sizes}", sizes[0] == sizes[1])
    about = recorded(packages(cut)[0])
    expect(f"what is kept: {about}", 0 < about["touched"]["kept"] < about["touched"]["of"] and all("kept" in buffer for buffer in about["buffers"]))
    again = run(lanescope, "emulate", packages(cut)[0])
    expect(f"it replays: {again.stdout}{again.stderr}", again.returncode == 0 and "exact" in again.stdout)
    none = record(folder / "none", "streams", "--touched", "--no-arrays", by=worker)
    expect(f"--touched without arrays: {none.stderr}", none.returncode == 2 and "--no-arrays" in none.stderr)


PYTHON = """
import ctypes, sys
sys.path.insert(0, sys.argv[1])
import lanescope
cuda = ctypes.CDLL("libcuda.so.1")
ptx = b'''.version 8.0
.target sm_80
.address_size 64
.visible .entry first(.param .u64 to) { .reg .b32 %r1; .reg .b64 %rd1; ld.param.u64 %rd1, [to]; mov.u32 %r1, 7; st.global.u32 [%rd1], %r1; ret; }
.visible .entry second(.param .u64 to) { .reg .b32 %r1; .reg .b64 %rd1; ld.param.u64 %rd1, [to]; mov.u32 %r1, 8; st.global.u32 [%rd1], %r1; ret; }
'''
context, module, memory = (ctypes.c_void_p() for _ in range(3))
assert cuda.cuInit(0) == cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == cuda.cuCtxSetCurrent(context) == 0
assert cuda.cuModuleLoadData(ctypes.byref(module), ptx) == cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(64)) == 0
def launch(name):
    function = ctypes.c_void_p()
    assert cuda.cuModuleGetFunction(ctypes.byref(function), module, name) == 0
    one = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
    assert cuda.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, None, one, None) == 0
launch(b"first")
with lanescope.recorded(sys.argv[2], kernel="^second$"):
    launch(b"first")
    launch(b"second")
    launch(b"second")
with lanescope.recorded(every="launch"):
    launch(b"first")
    launch(b"first")
launch(b"second")
for wrong in ({"kernel": "("}, {"every": "other"}, {"launch": 0}, {"launch": 1.5}):
    try:
        with lanescope.recorded(**wrong):
            print("accepts", wrong)
    except (lanescope.Error, ValueError, TypeError) as error:
        assert "lanescope record" not in str(error), error
print("done")
"""


def python(folder):
    """`with lanescope.recorded(…)` in a program that the recorder is in from its start, and in one that lacks it."""
    package = pathlib.Path(__file__).resolve().parents[2] / "repl" / "python"
    words = [sys.executable, "-c", PYTHON, package, folder / "inside"]
    got = run(worker, "record", "-o", folder / "own", "--paused", "--", lanescope, "cuda", "--", *words)
    expect(f"a paused program: {got.stdout}{got.stderr}", got.returncode == 0 and got.stdout == "done\n")
    told = [line for line in got.stderr.splitlines() if " in " in line]
    expect(f"both folders are named: {told}", any(line.startswith("1 package in ") and line.endswith("/inside") for line in told) and any(line.startswith("2 packages in ") and line.endswith("/own") for line in told))
    expect("one kernel in the block's folder", [recorded(one)["kernel"] for one in packages(folder / "inside")] == ["second"])
    expect("the command's folder", [recorded(one)["kernel"] for one in packages(folder / "own")] == ["first", "first"])
    alone = run(lanescope, "cuda", "--", *words)
    expect(f"without the recorder: {alone.stderr}", alone.returncode == 1 and "lanescope record --paused" in alone.stderr)


TORCH = PYTHON.partition("def launch")[0].replace("sys.path.insert(0, sys.argv[1])\nimport lanescope\n", "") + """
function = ctypes.c_void_p()
assert cuda.cuModuleGetFunction(ctypes.byref(function), module, b"first") == 0
one = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
assert cuda.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, None, one, None) == 0
print("trained", sys.argv[1:])
sys.exit(int(sys.argv[1]))
"""


def torch(folder):
    """`python3 -m lanescope torch`: records a program, checks its kernels and compares their results."""
    script = folder / "train.py"
    script.write_text(TORCH)
    package = pathlib.Path(__file__).resolve().parents[2] / "repl" / "python"
    env = {**os.environ, "PYTHONPATH": str(package), "PATH": f"{lanescope.absolute().parent}:{os.environ['PATH']}"}
    command = [sys.executable, "-m", "lanescope", "torch", "-o", folder / "out"]
    got = run(lanescope, "cuda", "--", *command, script, "0", "--epochs", env=env)
    expect(f"a program's kernels: {got.stdout}{got.stderr}", got.returncode == 0 and "trained ['0', '--epochs']" in got.stdout and "0 faults" in got.stdout and "1 package: 1 exact" in got.stdout)
    got = run(lanescope, "cuda", "--", *command, script, "7", env=env)
    expect(f"the program's status: {got.stderr}", got.returncode == 7 and "status 7" in got.stderr)
    got = run(*command, script, "0", env=env)
    expect(f"no GPU: {got.stderr}", got.returncode == 3 and "Inductor's cache" in got.stderr)
    got = run(*command, folder / "none.py", env=env)
    expect(f"no file: {got.stderr}", got.returncode == 2 and "no file" in got.stderr)


def listed(folder):
    """`lanescope list`: a table of packages."""
    record(folder / "some", "streams", "--every", "launch")
    got = run(lanescope, "list", folder / "some")
    lines = got.stdout.splitlines()
    expect(f"a table: {got.stdout}{got.stderr}", got.returncode == 0 and len(lines) == 3 and lines[0].split()[:3] == ["launch", "grid", "block"])
    expect(f"a launch: {lines}", all("scale" in line and "complete" in line and "cuda_streams" in line for line in lines[1:]))
    stack = run(lanescope, "list", packages(folder / "some")[0], "--stack").stdout.splitlines()
    expect(f"its call stack: {stack}", len(stack) > 3 and any("main" in line for line in stack[2:]))
    none = run(lanescope, "list", folder)
    expect(f"no package: {none.stderr}", none.returncode == 1 and "no package" in none.stderr)


def choices(folder):
    listed = record(folder / "list", "streams", "--list")
    expect(f"--list: {listed.stdout}", "2,1,1" in listed.stdout and "scale" in listed.stdout and not packages(folder / "list"))
    record(folder / "images", "images")
    texts = {(package / "kernel.ptx").read_text() for package in packages(folder / "images")}
    expect("each PTX of one kernel's name", len(texts) > 1 and len(texts) == len(packages(folder / "images")))
    record(folder / "none", "streams", "--kernel", "^other$")
    expect("--kernel", not packages(folder / "none"))
    record(folder / "every", "streams", "--every", "launch")
    expect("--every launch", len(packages(folder / "every")) == 2)
    record(folder / "second", "streams", "--launch", "2")
    expect("--launch", [recorded(one)["launch"] for one in packages(folder / "second")] == [2])
    record(folder / "few", "streams", "--every", "launch", "--at-most", "1")
    expect("--at-most", len(packages(folder / "few")) == 1)
    record(folder / "bare", "streams", "--no-arrays")
    bare = packages(folder / "bare")[0]
    expect("--no-arrays", not list(bare.rglob("*.npy")) and not recorded(bare)["arrays"])
    told = run(lanescope, "emulate", bare)
    expect(f"--no-arrays is told: {told.stdout}", "without arrays" in told.stdout)
    record(folder / "small", "streams", "--max-bytes", "2K")
    sizes = [buffer["bytes"] for one in packages(folder / "small") for buffer in recorded(one)["buffers"]]
    expect(f"--max-bytes: {sizes}", sum(sizes) <= 2048)
    record(folder / "worker", "streams", by=worker)
    expect("the worker records, too", len(packages(folder / "worker")) == 1)


def ends(folder):
    """Programs that crash, fork, unload modules, launch from many threads, or become another program."""
    for how, status, count in (("crash", 134, 1), ("exit", 7, 1), ("fork", 0, 2), ("unload", 0, 4), ("many", 0, 81), ("exec", 5, 1)):
        where = folder / how
        plain = run(lanescope, "cuda", "--", programs / "cuda_ends", how)
        got = record(where, "ends", "--every", "launch", arguments=[how])
        expect(f"{how}: {plain.returncode}, {got.returncode}, {got.stderr}", plain.returncode == got.returncode == status)
        expect(f"{how} prints the same: {plain.stdout!r} {got.stdout!r}", sorted(plain.stdout.splitlines()) == sorted(got.stdout.splitlines()))
        expect(f"{how}: {len(packages(where))} packages", len(packages(where)) == count)
        expect(f"{how}: all are complete", {recorded(one)["state"] for one in packages(where)} == {"complete"})
    table = run(lanescope, "emulate", folder / "unload")
    expect(f"each module's own PTX: {table.stdout}", table.stdout.count("exact  ") == 4)
    part = folder / "killed" / "add-4194304-1.lspkg.part"  # no process has such a number
    part.mkdir(parents=True)
    record(folder / "killed", "ends", arguments=["exit"])
    expect("what a killed process left is removed", not part.exists() and len(packages(folder / "killed")) == 1)


def whole(where):
    """Each package has its files, which can be read."""
    for package in packages(where):
        names = {each.name for each in package.iterdir()}
        expect(f"{package} is half: {names}", {"kernel.ptx", "launch.json", "meta.json", "recorded.json"} <= names)
        launch = json.loads((package / "launch.json").read_text())
        expect(f"{package} has its arrays", all((package / buffer["data"]).is_file() for param in launch["params"] for buffer in (param, *param.get("buffers", [])) if buffer.get("data")))
    for package in where.parent.rglob("*.lspkg"):
        expect(f"{package} is elsewhere", package.parent == where)


def variations(folder):
    """Programs with odd names, signals, threads and ends: they behave as without the recorder, and packages are whole."""
    for how, status, count in (("names", 0, 5), ("versions", 0, 2), ("closed", 0, 2), ("signals", 0, 21), ("repeat", 0, 1), ("destructors", 0, 3),
                               ("forks-later", 0, 1), ("leave", 0, None), ("segfault", 139, 1), ("killed", 137, None)):
        where = folder / how / "out"
        plain = run(lanescope, "cuda", "--", programs / "cuda_ends", how)
        got = record(where, "ends", arguments=[how])
        expect(f"{how}: {plain.returncode}, {got.returncode}, {got.stderr[-2000:]}", plain.returncode == got.returncode == status)
        expect(f"{how} prints the same: {plain.stdout!r} {got.stdout!r}", plain.stdout == got.stdout)
        expect(f"{how}: {len(packages(where))} packages", len(packages(where)) == count if count else packages(where))
        whole(where)
    counted = record(folder / "list", "ends", "--list", arguments=["repeat"])
    expect(f"launches are counted: {counted.stdout}", "10001" in counted.stdout)
    preloaded = record(folder / "preloaded" / "out", "ends", arguments=["closed"], env={**os.environ, "LD_PRELOAD": "libm.so.6"})
    expect(f"LD_PRELOAD is in use: {preloaded.stderr}", preloaded.returncode == 0 and len(packages(folder / "preloaded" / "out")) == 2)


def full(folder):
    """A full disk, and a folder that becomes read-only while the program runs. Needs root, for a file system of its own."""
    if os.geteuid() or run("unshare", "-m", "true").returncode:
        return
    for size in ("40k", "100k", "300k"): # a package has about 30 KiB
        script = f"mkdir -p {folder}/small && mount -t tmpfs -o size={size} none {folder}/small && \"$@\"; status=$?; ls -R {folder}/small; exit $status"
        got = run("unshare", "-m", "bash", "-c", script, "-", lanescope, "record", "-o", folder / "small", "--", lanescope, "cuda", "--", programs / "cuda_ends", "signals")
        expect(f"a disk of {size}: {got.stdout}{got.stderr}", got.returncode == 0 and got.stdout.startswith("launched\ndone\n"))
        listed = [block for block in got.stdout.split("\n\n") if block.splitlines()[0].endswith(".lspkg:")]
        half = [block for block in listed if not {"kernel.ptx", "launch.json", "meta.json", "recorded.json"} <= set(block.split())]
        expect(f"a disk of {size}: {half} {got.stdout}", listed and not half and ".part" not in got.stdout and "recording stopped: cannot write" in got.stderr)
    (folder / "fixed").mkdir()
    script = f"mount -t tmpfs -o ro none {folder}/fixed && \"$@\""
    got = run("unshare", "-m", "bash", "-c", script, "-", lanescope, "record", "-o", folder / "fixed", "--", lanescope, "cuda", "--", programs / "cuda_ends", "closed")
    expect(f"a read-only folder: {got.stdout}{got.stderr}", got.returncode == 0 and got.stdout == "launched\ndone\n" and "recording stopped: cannot create" in got.stderr)


def bad(folder):
    hang = record(folder / "hang", "findings", "--kernel", "hang", arguments=["hang"])
    states = [recorded(one)["state"] for one in packages(folder / "hang")]
    expect(f"a hang leaves its package: {states} {hang.stderr}", states == ["failed"])
    told = run(lanescope, "emulate", packages(folder / "hang")[0]) if states else hang
    expect(f"the hang is explained: {told.stderr}", told.returncode == 1 and "deadlock" in told.stderr)
    checked = run(lanescope, "check", packages(folder / "hang")[0]) if states else hang
    expect(f"the place of a launch with findings: {checked.stderr}", "launch 1 of the recorded program, by cuda_findings" in checked.stderr)
    for package in packages(folder / "hang"):
        (package / "recorded.json").write_text(json.dumps({**recorded(package), "ptx_by_name": "dump/hang.ptx"}))
        for words in (package, folder / "hang"):
            named = run(lanescope, "emulate", words)
            expect(f"a fault of PTX found by its name: {named}", "in `dump/hang.ptx`, and may be" in named.stdout + named.stderr)
    for word, option in (("regular expression", ["--kernel", "("]), ("size", ["--max-bytes", "many"]), ("--every", ["--every", "other"])):
        got = record(folder / "never", "streams", *option)
        expect(f"{option}: {got.stderr}", got.returncode == 2 and word in got.stderr)
    for program in (lanescope, worker):
        none = run(program, "record")
        expect(f"no words: {none.stderr}", none.returncode == 2 and "which program?" in none.stderr)
    missing = run(lanescope, "record", "-o", folder / "missing", "--", folder / "no program")
    expect(f"no program: {missing.stderr}", missing.returncode == 127 and "does not start" in missing.stderr)
    full = record("/dev/full/x", "streams")
    expect(f"no folder: {full.stderr}", full.returncode == 3 and "cannot create" in full.stderr)
    limited = run("bash", "-c", f"ulimit -f 1; trap '' XFSZ; exec \"$@\"", "-", lanescope, "record", "-o", folder / "limited", "--",
                  programs / "cuda_shared", env={**os.environ, "LD_LIBRARY_PATH": str(lanescope.parent.parent / "lib/lanescope/cuda")})
    expect(f"a file that does not fit: {limited.stderr}", not packages(folder / "limited") and not list((folder / "limited").glob("*.part")))
    expect(f"the program goes on: {limited.stdout}{limited.stderr}", "shared memory is as large as asked for" in limited.stdout)


with tempfile.TemporaryDirectory() as scratch:
    for part in (replays, one, fixed, graphs, stubbed, touched, python, torch, listed, choices, ends, variations, full, bad):
        place = pathlib.Path(scratch) / part.__name__
        place.mkdir()
        part(place)
print("\n".join(problems) or "launches are recorded and replayed")
sys.exit(1 if problems else 0)
