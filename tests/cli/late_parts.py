#!/usr/bin/env python3
"""Commands load the compiler and the window only if they need them; without their files they say so.
Usage: late_parts.py LANESCOPE REPOSITORY"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

COMPILER, WINDOW = "liblanescope_compiler.so", "liblanescope_window.so"
BLOCKED = "#ttg.blocked<{sizePerThread=[1,4],threadsPerWarp=[8,4],warpsPerCTA=[4,1],order=[1,0]}>"


def run(lanescope, words, folder, **environment):
    return subprocess.run([lanescope, *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=os.environ | environment)


def main():
    lanescope, repository = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    if not (lanescope.parent.parent / "lib/lanescope" / COMPILER).exists():
        print("skipped: this build links all parts into the program")
        return 77
    failed = 0

    def expect(what, holds, said):
        nonlocal failed
        failed += not holds
        print(f"ok: {what}" if holds else f"FAILED: {what}: {said}")

    snippet = repository / "samples/kernels/double.py"
    trace = repository / "tests/golden/mosaic_matmul_trace.json.gz"
    needed = [(["compile", snippet], {COMPILER}), (["show", "WGMMA", "-o", "picture.png"], {WINDOW})]
    needed += [(words, set()) for words in (["--version"], ["--help"], ["show", "WGMMA"], ["show", BLOCKED], ["show", "WGMMA", "-o", "picture.svg"],
                                            ["eval", "owners(WGMMA, (64, 16), (3, 4))"], ["explain", "race"], ["check", repository / "tests/golden/nvcc"],
                                            ["trace", trace, "--summary"], ["link", "WGMMA"])]  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for words, parts in needed:
            ended = run(lanescope, words, folder, LD_DEBUG="files")
            loaded = {part for part in (COMPILER, WINDOW) if re.search(f"calling init: .*/{part}", ended.stderr)}
            said = [line for line in ended.stderr.splitlines() if not line.lstrip()[:1].isdigit()]
            expect(f"`{' '.join(map(str, words))[:60]}` loads {sorted(parts) or 'nothing'}", ended.returncode == 0 and loaded == parts, (ended.returncode, loaded, said[:5]))
        (folder / "bin").mkdir()
        alone = shutil.copy(lanescope, folder / "bin/lanescope")
        ended = run(alone, ["eval", "1 + 1"], folder)
        expect("the program alone evaluates", ended.stdout == "2\n", ended.stderr)
        for words in (["compile", snippet], ["show", "WGMMA", "-o", "picture.png"]):
            ended = run(alone, words, folder)
            expect(f"`{words[0]}` says what is missing", ended.returncode == 3 and "cannot load a part of the program: " in ended.stderr, ended.stderr)
        (folder / "lib").mkdir()
        shutil.copy(lanescope.parent.parent / "lib/lanescope" / COMPILER, folder / "lib")
        ended = run(alone, ["compile", snippet], folder)
        expect("`compile` finds the compiler where a wheel has it", ended.returncode == 0, ended.stderr)
        version = run(alone, ["--version"], folder).stdout.split()[1]
        other = version[:-1] + ("8" if version.endswith("9") else "9")
        contents = (folder / "lib" / COMPILER).read_bytes()
        (folder / "lib" / COMPILER).write_bytes(contents.replace(b"\0%s\0" % version.encode(), b"\0%s\0" % other.encode()))
        ended = run(alone, ["compile", snippet], folder)
        expect("`compile` refuses a compiler of another version", ended.returncode == 3 and f"is of version {other}, and the program of {version}" in ended.stderr, ended.stderr)
    return 1 if failed else 0


sys.exit(main())
