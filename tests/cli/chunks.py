#!/usr/bin/env python3
"""Pastes parts of compilers' output into `show` and `open`: a type, a line of TTGIR, a module, CuTe's printout, JAX's
dumps.
Usage: chunks.py LANESCOPE REPOSITORY"""
import pathlib
import subprocess
import sys
import tempfile

BLOCKED = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>"
MMA = "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>"
MODULE = f"""#blocked = {BLOCKED}
#mma = {MMA}
module attributes {{"ttg.num-warps" = 4 : i32}} {{
  tt.func public @kernel(%a: tensor<128x64xf16, #blocked>) {{
    %0 = ttg.convert_layout %a : tensor<128x64xf16, #blocked> -> tensor<128x64xf16, #mma>
    tt.return
  }}
}}
"""
ATOM = """MMA_Atom
  ThrID:      _32:_1
  Shape_MNK:  (_16,_8,_16)
  LayoutA_TV: ((_4,_8),(_2,_2,_2)):((_32,_1),(_16,_8,_128))
  LayoutC_TV: ((_4,_8),(_2,_2)):((_32,_1),(_16,_8))
"""
# The pasted text, then words that the picture's first lines and the notes on standard error must have.
SHOWN = [
    (f"tensor<128x64xf16, {BLOCKED}>", ["(128, 64)  f16"], []),
    (f"%acc = arith.constant dense<0.000000e+00> : tensor<128x64xf32, {MMA}> loc(#loc3)", ["(128, 64)  f32"], ["%acc"]),
    (MODULE, ["(128, 64)  f16"], ["#blocked in line 1", "#mma"]),
    (f"{BLOCKED}", ["triton layout"], []),
    (ATOM, ["cute layout"], ["`LayoutC_TV` of this printout is taken; it also holds LayoutA_TV"]),
]
# A text without a layout, and the words of the error.
REFUSED = [
    ("%0 = arith.addf %a, %b : tensor<128xf32>", "error"),
    (f"tensor<128x64xf16, {BLOCKED.replace('order = [1, 0]', 'order = [1, 1]')}>", "order"),
]


def main():
    lanescope, repository = sys.argv[1], pathlib.Path(sys.argv[2])
    problems, checks = [], 0

    def run(*arguments):
        return subprocess.run([lanescope, *map(str, arguments)], capture_output=True, text=True, timeout=120)

    def check(ok, what, result):
        nonlocal checks
        checks += 1
        if not ok:
            problems.append(f"{what}\nstatus {result.returncode}\n{result.stdout[:600]}\n{result.stderr[:600]}")

    for chunk, picture, notes in SHOWN:
        result = run("show", chunk)
        check(result.returncode == 0, f"show {chunk!r}", result)
        head = "\n".join(result.stdout.splitlines()[:3])
        for words in picture:
            check(words in head, f"show {chunk!r}: {words!r} is not in its first lines", result)
        for words in notes:
            check(words in result.stderr, f"show {chunk!r}: {words!r} is not noted", result)
    for chunk, words in REFUSED:
        result = run("show", chunk)
        check(result.returncode == 1 and words in result.stderr, f"show {chunk!r} is no error about {words!r}", result)
        check("^" in result.stderr, f"show {chunk!r}: no place is marked", result)
    with tempfile.TemporaryDirectory() as folder:
        # A whole dump: `open` lists it, and `show` draws its first layout if the text is pasted.
        dumps = sorted(path for path in (repository / "tests/golden/jax_dumps").rglob("*") if path.is_file())
        opened = drawn = 0
        for dump in dumps:
            result = run("open", dump)
            if result.returncode != 0:
                continue
            opened += 1
            check("kernel" in result.stdout, f"open {dump.name}", result)
            text = dump.read_text()
            if "#mosaic_gpu.TiledLayout" not in text or len(text) > 100_000:
                continue
            result = run("show", text)
            check(result.returncode == 0 and "shown is" in result.stderr, f"show of the text of {dump.name}", result)
            drawn += 1
        check(opened >= 4 and drawn >= 1, f"{opened} dumps opened, {drawn} drawn", result)
        # A Triton module is no Mosaic dump. `open` says so, and names the way to its layouts.
        module = pathlib.Path(folder) / "kernel.ttgir"
        module.write_text(MODULE)
        result = run("open", module)
        check(result.returncode == 1 and "its text holds 4 layouts" in result.stderr and "lanescope show" in result.stderr,
              "open of a module of Triton's", result)
        # In the REPL, in a string of several lines.
        result = run("eval", f'show("""{MODULE}""")')
        check(result.returncode == 0 and "(128, 64)  f16" in result.stdout, "show(…) of a module", result)
    for problem in problems:
        print(f"FAILED {problem}")
    print(f"chunks: {checks} checks, {len(problems)} failed")
    return 1 if problems else 0


sys.exit(main())
