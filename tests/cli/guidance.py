#!/usr/bin/env python3
"""Mistakes that a first-time user makes on the command line and in the REPL, and the words of the answers.
Usage: guidance.py LANESCOPE REPOSITORY"""
import pathlib
import subprocess
import sys
import tempfile

# Arguments (`@` is a folder with the files below), exit status, words of standard error. Words after `!` must be
# absent.
COMMANDS = [
    ("run @/k.ptx", 1, ["this is PTX", "`lanescope emulate ", "`lanescope check ", "!expected"]),
    ("compile @/k.ptx", 1, ["this is PTX"]),
    ("open @/k.ptx", 1, ["this is PTX"]),
    ("trace @/k.ptx", 1, ["this is PTX"]),
    ("show @/k.ptx", 1, ["this is PTX"]),
    ("eval @/k.ptx", 1, ["this is PTX"]),
    ("@/k.ptx", 2, ["this is PTX"]),
    ("open @/a.py", 1, ["this is a snippet", "`lanescope run "]),
    ("show @/a.py", 1, ["this is a snippet"]),
    ("eval @/a.py", 1, ["this is a snippet"]),
    ("emulate @/a.py", 1, ["this is a snippet"]),
    ("run @/sc.mlir", 1, ["this is a SparseCore's module", "`lanescope emulate "]),
    ("run @/t.json", 1, ["this is a trace", "`lanescope trace "]),
    ("run @/launch.json", 1, ["this is a launch description", "--launch"]),
    ("run @/x.npy", 1, ["arrays of NumPy", "load("]),
    ("run @/notes.txt", 1, ["text of an unknown kind"]),
    ("run @", 1, ["this is a folder", "`lanescope open "]),
    ("debug @/other.ptx", 1, ["this describes a launch of `k`", "`other`: it is not taken", "nothing says how"]),
    ("run", 2, ["file is required", "As in: lanescope run samples/kernels/double.py"]),
    ("run @/a.py --param stages", 2, ["it takes NAME=VALUE"]),
    ("run @/a.py --param stages=5", 1, ["there is no parameter `stages`"]),
    ("show wgmma", 1, ["did you mean `WGMMA`?"]),
    ("rum", 2, ["did you mean `run`?"]),
    ("run @/a.py --n 4", 2, ["--n", "own options come after `--`: lanescope run FILE.py -- --size 5"]),
    ("check @/a.py --n 4", 2, ["own options come after `--`: lanescope check FILE.py -- --size 5"]),
    ("compile @/a.py --n 4", 2, ["--n", "As in: lanescope compile"]),
    ("explain rac", 1, ["no kind of diagnostic `rac`", "did you mean `race`?"]),
    ("explain nothing-like-it", 1, ["`lanescope explain` lists them"]),
    ("explain race unknown-name", 2, []),
]
# Lines of the REPL, and words of the error.
ENTRIES = [
    ("tl.load(x)", "`tl.load` is Triton's; here `x[...]` reads"),
    ("tl.dot(a, b)", "wgmma(acc, a, b)"),
    ("tl.program_id(0)", "axis_index(name)"),
    ("tl.unheard_of", "Pallas' words"),
    ("triton.jit", "@kernel(grid="),
    ("cute.copy(a, b)", "copy_gmem_to_smem(src, dst, barrier)"),
    ("cute.make_layout((8, 4))", "layout("),
    ("cutlass.Float32", "`f32`"),
    ("cuda.syncthreads()", "Barrier"),
    ("threadIdx.x", "warpgroup"),
    ("blockIdx.x", "CUDA's"),
    ("T.gemm(a, b)", "wgmma(acc, a, b)"),
    ("plgpu.wgma", "did you mean `wgmma`?"),
    ("jnp.zeroes(3)", "did you mean `zeros`?"),
    ("np.random.default_rng(0)", "`lanescope run FILE` runs a file with imports in Python"),
    ("import torch", "snippets have no imports"),
    ("import jax.numpy as np", "`jnp.` names what snippets have of it"),
    ("os.path", "`os` is Python, which snippets and kernels do not have"),
    ("raise ValueError(1)", "`raise` is Python, which snippets and kernels do not have"),
    ("x = float32", "`float32` is `f32` here"),
    ("swizzle(128)", "SwizzleTransform(128)"),
    ("help wgmma", "`help` is a function"),
    ("show WGMMA", "`show(WGMMA)`"),
    ("ls", "a command of a shell"),
    ("wgmma()", "`wgmma` works inside kernels"),
    ("zeros(3, 4)", "a shape of several sizes is a tuple: `zeros((3, 4))`"),
    ('zeros(3, "f31")', 'there is no dtype `f31`'),
    ("owners(WGMMA)", "it is called as `owners("),
    ("WGMA", "did you mean `WGMMA`?"),
]
FILES = {
    "other.ptx": ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry other() { ret; }\n",
    "k.ptx": ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k() { ret; }\n",
    "a.py": "x = 1\n",
    "sc.mlir": 'module {\n  "tpu.wait"() : () -> ()\n}\n',
    "t.json": '{"traceEvents": []}',
    "launch.json": '{"entry": "k", "grid": 1, "block": 32, "params": []}',
    "x.npy": "\x93NUMPY",
    "notes.txt": "words and words\n",
}


def main():
    lanescope, failed = sys.argv[1], 0

    def check(what, answer, words):
        nonlocal failed
        wrong = [word for word in words if (word[1:] in answer if word.startswith("!") else word not in answer)]
        if wrong:
            failed += 1
            print(f"FAILED {what}: {wrong} in\n{answer}")

    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            pathlib.Path(folder, name).write_bytes(text.encode("latin-1"))
        for line, status, words in COMMANDS:
            done = subprocess.run([lanescope, *line.replace("@", folder).split()], capture_output=True, text=True, timeout=60)
            check(line, done.stderr, words)
            if done.returncode != status or done.stdout:
                failed += 1
                print(f"FAILED {line}: exit status {done.returncode}, standard output {done.stdout!r}")
        drawn = subprocess.run([lanescope, "show", "WGMMA", "64x8"], capture_output=True, text=True, timeout=60)
        check("show WGMMA 64x8", drawn.stdout, ["WGMMA  (64, 8)"])
        for asked, words in (("help", "Subcommands:"), ("help run", "lanescope run samples"), ("version", "lanescope ")):
            told = subprocess.run([lanescope, *asked.split()], capture_output=True, text=True, timeout=60)
            check(asked, told.stdout, [words])
    for entry, words in ENTRIES:
        done = subprocess.run([lanescope], input=entry + "\n", capture_output=True, text=True, timeout=60)
        check(entry, done.stderr, [words])
        failed += done.returncode != 1
    told = subprocess.run([lanescope], input="help(WGMMA)\n", capture_output=True, text=True, timeout=60).stdout
    check("help(WGMMA)", told, ["accumulator and 16-bit A operand", "T0"])
    # The result names the kernel's resources. Hazards are on standard error; standard output belongs to the snippet.
    repository = pathlib.Path(sys.argv[2])
    result = """@kernel()
def k(x: GMEM((128,), f32), out: Out((128,), f32)):
  out[...] = x[...] * 2
result = run(k, zeros((128,), f32), device="emulator")
print(result)
print(result.resources["threads"], result.resources["blocks_per_multiprocessor"] > 0)
"""
    done = subprocess.run([lanescope], input=result, capture_output=True, text=True, timeout=60)
    check("print(result)", done.stdout, ["128 threads", "bytes of shared memory", "a multiprocessor", "128 True"])
    hazard = repository / "tests/emulator/unfinished_source.py"
    done = subprocess.run([lanescope, "run", str(hazard), "--device", "emulator"], capture_output=True, text=True, timeout=60)
    check("a hazard", done.stderr, ["warning: "])
    check("a hazard's output", done.stdout, ["!warning: "])
    print(f"{len(COMMANDS) + len(ENTRIES) + 7} mistakes, {failed} answered otherwise")
    return 1 if failed else 0


sys.exit(main())
