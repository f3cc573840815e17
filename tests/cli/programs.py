#!/usr/bin/env python3
"""`lanescope check` and `lanescope debug` on Python programs, which run under CPython. Usage: programs.py LANESCOPE
REPOSITORY PYTHON"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

LANESCOPE, REPOSITORY, PYTHON = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:4])
HASTY = """import sys
import lanescope as ls

@ls.kernel(grid=(1,), scratch=[ls.SMEM((128,), ls.f32), ls.Barrier()])
def hasty(x: ls.GMEM((128,), ls.f32), out: ls.Out((128,), ls.f32), tile, loaded):
    ls.copy_gmem_to_smem(x, tile, loaded)
    out[...] = tile[...]

print("arguments", sys.argv[1:])
hasty(ls.ones((128,), ls.f32))
"""
SOUND = HASTY.replace("    out[...] = tile", "    ls.barrier_wait(loaded)\n    out[...] = tile")
CAUGHT = HASTY.replace("hasty(ls.ones((128,), ls.f32))", "try:\n    hasty(ls.ones((128,), ls.f32))\nexcept ls.Fault:\n    pass")
PTX = '''import lanescope as ls

ptx = ls.ptx("""
.version 8.0
.target sm_90
.address_size 64
.visible .entry both(.param .u64 p) {
  .reg .b64 %d<2>; .reg .b32 %r<2>;
  ld.param.u64 %d1, [p];
  mov.u32 %r1, %tid.x;
  st.global.u32 [%d1], %r1;
  ret;
}
""")
out = ls.zeros((1,), ls.i32)
ptx.launch(1, 64, out)
'''
TWO_FAULTS = PTX.replace("st.global.u32 [%d1], %r1;", "ld.global.u32 %r1, [%d1+4096];\n  ld.global.u32 %r1, [%d1+8192];")
problems, count = [], 0


def expect(what, good, result):
    global count
    count += 1
    if not good:
        problems.append(f"{what}: exit status {result.returncode}\n{result.stdout}{result.stderr}")


def run(*words, text=None):
    return subprocess.run([LANESCOPE, *map(str, words)], capture_output=True, text=True, input=text, timeout=300)


def findings(result):
    return json.loads(result.stdout)["findings"]


def check(folder):
    def of(text, *words, name="program.py"):
        path = folder / name
        path.write_text(text)
        return run("check", path, "--python", PYTHON, "--format", "json", *words)

    result = of(HASTY)
    expect("a fault", result.returncode == 1, result)
    found = findings(result)
    expect("one finding, at the user's line", len(found) == 1 and found[0]["line"] == 7 and found[0]["grade"] == "fault"
           and found[0]["rule"] == "copy-not-awaited" and found[0]["file"].endswith("program.py"), result)
    expect("the runs are counted", json.loads(result.stdout)["runs"] >= 1, result)
    expect("it says who ran it", "this file is a program" in result.stderr and PYTHON in result.stderr, result)
    result = of(SOUND, "--seeds", "3")
    expect("none", result.returncode == 0 and findings(result) == [] and json.loads(result.stdout)["runs"] == 4, result)
    result = of(CAUGHT)
    expect("a fault that the program catches", result.returncode == 1 and len(findings(result)) == 1, result)
    result = of("import lanescope\n[][0]\n")
    expect("an exception is at its line", result.returncode == 1 and "program.py:2:1" in result.stderr and "IndexError" in result.stderr, result)
    result = of("import lanescope\nx = (\n")
    expect("a syntax error too", result.returncode == 1 and "program.py:2" in result.stderr and "SyntaxError" in result.stderr, result)
    result = of("import os, lanescope\nos.kill(os.getpid(), 11)\n")
    expect("a crash costs that process", result.returncode == 1 and "signal 11" in result.stderr, result)
    result = of("import sys, lanescope\nprint('last words')\nsys.exit(3)\n")
    expect("an exit status", result.returncode == 1 and "exit status 3" in result.stderr and "last words" in result.stderr, result)
    result = of("import os, lanescope\nos.write(3, b'x'), [os.write(n, b'junk' * 100) for n in range(3, 9) if n != 3]\n")
    expect("noise on its descriptors is no hang", result.returncode in (0, 1), result)
    result = of(PTX)
    expect("PTX that a program launches", result.returncode in (0, 1) and json.loads(result.stdout)["runs"] >= 1, result)
    result = of(TWO_FAULTS)
    expect("a program stops at its first fault", result.returncode == 1 and len(findings(result)) == 1, result)
    result = of(TWO_FAULTS, "--keep-going")
    expect("--keep-going is the program's own run's, too", result.returncode == 1 and len(findings(result)) == 2, result)
    for named, place in ((TWO_FAULTS, "<ptx>"), (TWO_FAULTS.replace("ptx.launch", "ptx.path = 'mine.ptx'\nptx.launch"), "mine.ptx")):
        result = of(named, "--keep-going", "--seeds", "3")
        expect("later runs after a fault name its place in the same way", result.returncode == 1 and json.loads(result.stdout)["runs"] > 1
               and [found["file"] for found in findings(result)] == [place] * 2, result)
    result = of("import json\nprint(json.dumps([1]))\n")
    expect("no kernels", result.returncode == 0 and findings(result) == [], result)

    path = folder / "arguments.py"
    path.write_text("import sys, lanescope\nassert sys.argv[1:] == ['--size', '5'], sys.argv\nassert __name__ == '__main__'\n")
    result = run("check", path, "--python", PYTHON, "--", "--size", "5")
    expect("arguments behind --", result.returncode == 0, result)
    result = run("check", path, "--python", "/nowhere/python3")
    expect("no Python", result.returncode != 0 and "/nowhere/python3" in result.stderr, result)
    shadow = folder / "numpy.py"
    shadow.write_text("open('shadow-ran', 'w')\n")
    result = subprocess.run([LANESCOPE, "check", "--python", PYTHON, str(path), "--", "--size", "5"], cwd=folder, capture_output=True, text=True)
    expect("nothing of the working directory is imported before the program runs", not (folder / "shadow-ran").exists(), result)
    shadow.unlink()

    # A program's folder is that of the real file, as for the window's trust. A link's folder adds nothing to it.
    real, linked = folder / "real", folder / "linked"
    real.mkdir(), linked.mkdir()
    (real / "program.py").write_text("\ufeffimport lanescope\nimport beside\n")
    (real / "beside.py").write_text("")
    (linked / "beside.py").write_text("raise ImportError('of the folder of the link')\n")
    (linked / "program.py").symlink_to(real / "program.py")
    result = run("check", linked / "program.py", "--python", PYTHON)
    expect("imports come from where a program lies; a byte order mark is no text", result.returncode == 0, result)

    # The stand-in for JAX, which runs in a Python without JAX.
    result = run("check", pathlib.Path(REPOSITORY) / "samples/pallas/rmsnorm.py", "--python", PYTHON, "--format", "json")
    expect("a Pallas file", result.returncode == 0 and findings(result) == [] and json.loads(result.stdout)["runs"] >= 4, result)


def which_python(folder):
    """A file that imports something runs in Python, with or without a named Python. No other file does."""
    def environment(**more):
        return {name: value for name, value in os.environ.items() if name not in ("PATH", "VIRTUAL_ENV")} | more
    path = folder / "named.py"
    path.write_text("import sys\nprint(sys.argv[1:], 'lanescope' in sys.modules)\n")
    virtual = folder / "venv"
    (virtual / "bin").mkdir(parents=True)
    (virtual / "bin/python3").symlink_to(PYTHON)
    system = f"{pathlib.Path(PYTHON).parent}:{os.environ['PATH']}"
    for what, words in (("run", ["run", path]), ("its name alone", [path]), ("run with arguments", ["run", path, "a"])):
        for how, found in (("PATH", environment(PATH=system)), ("VIRTUAL_ENV", environment(PATH="/nowhere", VIRTUAL_ENV=str(virtual)))):
            result = subprocess.run([LANESCOPE, *map(str, words)], capture_output=True, text=True, env=found)
            expect(f"{what}, by {how}", result.returncode == 0 and result.stdout == f"{words[2:]} True\n", result)
    for command in ("run", "check", "debug"):
        result = subprocess.run([LANESCOPE, command, str(path)], capture_output=True, text=True, env=environment(PATH="/nowhere"))
        expect(f"{command} without any Python", result.returncode == 3 and "install Python" in result.stderr and "--python" in result.stderr, result)
        result = subprocess.run([LANESCOPE, command, str(path), "--python", "/nowhere/python3"], capture_output=True, text=True)
        expect(f"{command} with a Python that is not there", result.returncode == 3 and "/nowhere/python3" in result.stderr, result)
    for text in ("s = 'import os'\n", "# import os\n", '"""\nimport os\n"""\n', "x = (\n1)  # from a import b\n"):
        path.write_text(text + "print(len('four'))\n")
        result = subprocess.run([LANESCOPE, "run", str(path)], capture_output=True, text=True, env=environment(PATH="/nowhere"))
        expect(f"{text!r} imports nothing", result.returncode == 0 and result.stdout == "4\n", result)
    result = run("run", path, "a")
    expect("a snippet takes no arguments", result.returncode == 2 and "--param" in result.stderr, result)


def words_without_a_program(folder):
    path = folder / "k.ptx"
    path.write_text(".version 8.0\n")
    for words in (["--python", PYTHON], ["--", "--size", "5"]):
        for command in ("check", "debug"):
            result = run(command, path, *words)
            expect(f"{command} of PTX refuses {words[0]}", result.returncode == 2 and "are for Python programs" in result.stderr, result)


def debug(folder):
    path = folder / "debugged.py"
    path.write_text(HASTY)
    result = run("debug", path, "--python", PYTHON, "--commands", "-", text="where\nprint tile\n")
    expect("opens at the fault", result.returncode == 0 and "debugged.py" in result.stdout + result.stderr, result)
    expect("says which Python ran it", "this file is a program; `" in result.stderr, result)
    expect("its output is told", "arguments []" in result.stdout, result)
    path.write_text(SOUND)
    result = run("debug", path, "--python", PYTHON, "--kernel", "hasty", "--commands", "-", "--", "a", text="break 8\ncontinue\nprint tile\n")
    expect("stops at a line of the program", result.returncode == 0 and "8" in result.stdout and "arguments ['a']" in result.stdout, result)
    result = run("debug", path, "--python", PYTHON, "--kernel", "other", "--commands", "-", text="where\n")
    expect("no such kernel", result.returncode == 1 and "no kernel `other`" in result.stderr, result)


def lives(pid):
    try:
        return open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def ends(folder):
    """A program that hangs ends together with the command that runs it, however the command ends."""
    path = folder / "hang.py"
    path.write_text("import lanescope, os\nopen(__file__ + '.pid', 'w').write(str(os.getpid()) + ' ')\nwhile True:\n    pass\n")
    for how, most in ((signal.SIGKILL, 3), (signal.SIGINT, 5), (signal.SIGTERM, 3)):
        note = pathlib.Path(f"{path}.pid")
        note.unlink(missing_ok=True)
        command = subprocess.Popen([LANESCOPE, "check", path, "--python", PYTHON], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        end = time.monotonic() + 60
        while not (note.exists() and note.read_text().endswith(" ")) and time.monotonic() < end:
            time.sleep(0.05)
        program = int(note.read_text())
        command.send_signal(how)
        end = time.monotonic() + most
        while (lives(program) or command.poll() is None) and time.monotonic() < end:
            time.sleep(0.02)
        expect(f"a hanging program ends with {how.name}", not lives(program) and command.poll() is not None,
               subprocess.CompletedProcess([], command.poll(), "", ""))
        if command.poll() is None:
            command.kill()
        command.communicate()


def main():
    with tempfile.TemporaryDirectory() as folder:
        check(pathlib.Path(folder))
        debug(pathlib.Path(folder))
        which_python(pathlib.Path(folder))
        words_without_a_program(pathlib.Path(folder))
        ends(pathlib.Path(folder))
    print("\n".join(problems) or f"{count} answers about programs, as they should be")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
