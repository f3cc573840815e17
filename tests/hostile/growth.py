#!/usr/bin/env python3
"""Tests how an input's time grows with its size: four times the input may take only a little more than four times the
time.
Usage: growth.py LANESCOPE [--only TEXT] [--times]

Each family of inputs is measured at n, 2n and 4n, in seconds of processor time, less the time of an empty input of its
kind. A quadratic algorithm takes sixteen times as long at 4n; a case fails at more than nine times. A family takes a
few hundredths of a second at n. Differences below a tenth of a second pass, so that noise does not count."""
import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

MOST, NOISE, SECONDS = 9, 0.1, 120
PTX = """.version 8.0
.target sm_90a
.address_size 64
{globals}.visible .entry k(.param .u64 p)
{{
  .reg .b32 %r<100>;
  .reg .pred %p<9>;
{body}  ret;
}}
"""
LAUNCH = ('{"entry": "k", "grid": [1, 1, 1], "cluster": [1, 1, 1], "block": [32, 1, 1], "dynamic_smem": 0, '
          '"params": [{"kind": "buffer", "dtype": "f32", "shape": [16]}]}')


def ptx(body, variables=""):
    return PTX.format(body=body, globals=variables)


def module(body):
    return "module {\n  func.func @f() {\n" + body + "    return\n  }\n}\n"


def trace(events):
    return '{"traceEvents":[' + ",".join(events) + "]}"


SNIPPETS = {
    "digits": lambda n: "x = " + "7" * (10 * n) + "\n",
    "hexadecimal": lambda n: "x = 0x" + "f" * (10 * n) + "\n",
    "sum": lambda n: "x = 1" + " + 1" * (3 * n) + "\n",
    "statements": lambda n: "x = 1\n" * (3 * n),
    "list": lambda n: "x = [" + "1," * (5 * n) + "]\n",
    "string": lambda n: "x = '" + "\\n" * (10 * n) + "'\n",
    "errors": lambda n: "x = (1 $ 2)\n" * n,
    "functions": lambda n: "".join(f"def f{i}(x):\n    return x\n" for i in range(n)),
    "formatted": lambda n: "x = 1\ny = f'" + "{x}" * (3 * n) + "'\n",
    "class": lambda n: "class C:\n" + "".join(f"    a{i} = {i}\n" for i in range(n)),
    "names": lambda n: "".join(f"v{i} = {i}\n" for i in range(n)),
    "append": lambda n: f"x = []\nfor i in range({3 * n}):\n    x.append(i)\n",
    "set": lambda n: f"x = set()\nfor i in range({2 * n}):\n    x.add(i)\n",
    "dict": lambda n: f"x = dict()\nfor i in range({2 * n}):\n    x[(i, str(i))] = i\n",
}
PTX_TEXTS = {
    "instructions": lambda n: ptx("  add.u32 %r1, %r2, %r3;\n" * n),
    "labels": lambda n: ptx("".join(f"L{i}:\n  @%p1 bra L{i * 7919 % n};\n" for i in range(n))),
    "chain": lambda n: ptx("".join(f"  @%p1 bra L{i};\n  add.u32 %r1, %r1, %r2;\nL{i}:\n" for i in range(n))),
    "backwards": lambda n: ptx("".join(f"L{i}:\n" for i in range(n)) + "".join(f"  @%p1 bra L{n - 1 - i};\n" for i in range(n))),
    "lines": lambda n: ptx("".join(f".loc 1 {i + 1} 0\n  add.u32 %r1, %r2, %r3;\n" for i in range(n)), '.file 1 "a.py"\n'),
    "variables": lambda n: ptx("", "".join(f".global .b32 v{i};\n" for i in range(n))),
    "registers": lambda n: ptx("".join(f"  .reg .b32 %q{i};\n  mov.u32 %q{i}, 1;\n" for i in range(n))),
    "scopes": lambda n: ptx("  { .reg .b32 %z; mov.u32 %z, 1; }\n" * n),
    "functions": lambda n: ptx("".join(f"  call f{i};\n" for i in range(n // 2)), "".join(f".func f{i} {{ ret; }}\n" for i in range(n // 2))),
    "number": lambda n: ptx("  mov.u32 %r1, " + "7" * (10 * n) + ";\n"),
}
MODULES = {
    "constants": lambda n: module("".join(f"    %{i} = arith.constant {i} : i32\n" for i in range(n))),
    "chain": lambda n: module("    %0 = arith.constant 1 : i32\n" + "".join(f"    %{i + 1} = arith.addi %{i}, %0 : i32\n" for i in range(n))),
    "integer": lambda n: module("    %0 = arith.constant " + "7" * (10 * n) + " : i32\n"),
    "hexadecimal": lambda n: module("    %0 = arith.constant 0x" + "f" * (10 * n) + " : i32\n"),
    "float": lambda n: module("    %0 = arith.constant 1." + "7" * (10 * n) + "e5 : f32\n"),
    "dense": lambda n: module("    %0 = arith.constant dense<" + "7" * (10 * n) + "> : vector<4xi32>\n"),
    "attribute": lambda n: "module attributes {a = " + "7" * (10 * n) + " : i64} {\n}\n",
    "type": lambda n: "module {\n  func.func private @f(memref<" + "7" * (10 * n) + "xi32>)\n}\n",
    "unknown": lambda n: module("".join(f'    %{i} = "foo.bar"() : () -> i32\n' for i in range(n))),
    "functions": lambda n: "module {\n" + "".join(f"  func.func private @f{i}()\n" for i in range(n)) + "}\n",
    "aliases": lambda n: "".join(f"#a{i} = [1, 2]\n" for i in range(n)) + "module {}\n",
}
TRACES = {
    "tracks": lambda n: trace('{"name":"n","ph":"X","ts":%d,"dur":1,"pid":1,"tid":%d}' % (i, i) for i in range(n)),
    "unended": lambda n: trace('{"name":"n","ph":"B","ts":%d,"pid":1,"tid":1}' % i for i in range(n)),
    "overlapping": lambda n: trace('{"name":"n","ph":"X","ts":%d,"dur":9999999,"pid":1,"tid":1}' % i for i in range(n)),
    "names": lambda n: trace('{"name":"n%d","ph":"X","ts":%d,"dur":1,"pid":1,"tid":1}' % (i, i) for i in range(n)),
    "digits": lambda n: trace(['{"name":"n","ph":"X","ts":' + "7" * (10 * n) + ',"dur":1,"pid":1,"tid":1}']),
}
LAUNCHES = {
    "digits": lambda n: '{"entry":"k","grid":[1,1,' + "7" * (10 * n) + '],"block":[32,1,1],"params":[]}',
    "parameters": lambda n: '{"entry":"k","grid":[1,1,1],"block":[32,1,1],"params":['
                            + ",".join(['{"kind":"scalar","dtype":"i32","value":3}'] * n) + "]}",
}


def families(folder):
    """(name, a function from n to the text, the command for a file)"""
    small = folder / "small.json"
    small.write_text(LAUNCH)
    kernel = folder / "kernel.ptx"
    kernel.write_text(ptx(""))
    for kind, texts, suffix, command in (
            ("snippet", SNIPPETS, ".py", lambda file: ["run", file]),
            ("ptx", PTX_TEXTS, ".ptx", lambda file: ["emulate", file, "--launch", str(small)]),
            ("module", MODULES, ".mlir", lambda file: ["open", file]),
            ("trace", TRACES, ".json", lambda file: ["trace", file, "--summary"]),
            ("launch", LAUNCHES, ".json", lambda file: ["emulate", str(kernel), "--launch", file])):
        for name, text in texts.items():
            yield f"{kind} {name}", text, folder / f"case{suffix}", command


def seconds_of(arguments):
    """The processor time of a command, and the reason if a signal or the time limit ended it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return SECONDS, f"did not end within {SECONDS} s"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    problem = f"ended by signal {-done.returncode}" if done.returncode < 0 else None
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, problem


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lanescope")
    parser.add_argument("--only", default="")
    parser.add_argument("--times", action="store_true", help="print each family's times")
    options = parser.parse_args()
    failed = measured = 0
    with tempfile.TemporaryDirectory(prefix="lanescope-growth-") as name:
        for family, text, path, command in families(pathlib.Path(name)):
            if options.only not in family:
                continue
            measured += 1
            times, problem = [], None
            for n in (2, 10000, 20000, 40000):
                path.write_text(text(n))
                seconds, problem = seconds_of([os.path.abspath(options.lanescope), *command(str(path))])
                times.append(seconds)
                if problem:
                    break
            if options.times:
                print(f"{family:22} " + " ".join(f"{seconds:7.3f}" for seconds in times), flush=True)
            base = times[0]
            if problem or times[-1] - base > max(NOISE, MOST * max(times[1] - base, NOISE / MOST)):
                failed += 1
                print(f"{family}: {problem or 'grows too fast'}: {' '.join(f'{seconds:.2f}' for seconds in times)} s at 2, n, 2n, 4n")
    print(f"{measured} families of inputs, {failed} of them failed")
    return 1 if failed or not measured else 0


if __name__ == "__main__":
    sys.exit(main())
