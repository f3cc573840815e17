#!/usr/bin/env python3
"""Writes packages for tests/gpu/run.sh: JAX's dumped kernels with known results, and kernels that go wrong on purpose.

  tests/gpu/make_packages.py FOLDER

Needs only the standard library. Every value is a small integer, so that all results are exact.
"""
import json
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent
DUMPS = HERE.parent / "golden" / "jax_dumps"
CODES = {"f32": ("<f4", "f"), "f16": ("<f2", "e"), "u32": ("<u4", "I")}


def npy(path, dtype, shape, values):
    descr, code = CODES[dtype]
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {tuple(shape)!r}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                     + struct.pack(f"<{len(values)}{code}", *values))


def package(folder, name, ptx, launch, outputs, data=(), expected=(), **meta):
    """`data`, `expected`: (file name, dtype, shape, values)."""
    path = folder / f"{name}.lspkg"
    (path / "expected").mkdir(parents=True, exist_ok=True)
    (path / "kernel.ptx").write_text(ptx)
    (path / "launch.json").write_text(json.dumps(launch, indent=1))
    (path / "meta.json").write_text(json.dumps(
        {"format": 1, "kernel": name, "arch": "sm_90a", "outputs": outputs, **meta}, indent=1))
    for file, *array in data:
        npy(path / file, *array)
    for file, *array in expected:
        npy(path / "expected" / file, *array)
    if not expected:
        (path / "expected").rmdir()


def dump(name):
    folder = DUMPS / name
    return next(folder.glob("*.ptx")).read_text(), json.loads((folder / "launch.json").read_text())


def jax_packages(folder):
    grid = [(i * 7) % 101 - 50 for i in range(128 * 128)]
    for semantics in ("Lane", "Warpgroup"):
        shape = (128, 128)
        ptx, launch = dump(f"add_{semantics}")
        package(folder, f"jax_add_{semantics}", ptx, launch, [1], [("x.npy", "f32", shape, grid)],
                [("out.npy", "f32", shape, [v + 1 for v in grid])])
        ptx, launch = dump(f"tma_{semantics}")
        output = 1 if semantics == "Lane" else 0  # the order of the entry's parameters
        package(folder, f"jax_tma_{semantics}", ptx, launch, [output], [("x.npy", "f16", shape, grid)],
                [("out.npy", "f16", shape, [2 * v for v in grid])])
    a = [[(3 * i + 5 * k) % 7 - 3 for k in range(64)] for i in range(64)]
    b = [[(2 * k + j) % 9 - 4 for j in range(128)] for k in range(64)]
    product = [sum(a[i][k] * b[k][j] for k in range(64)) for i in range(64) for j in range(128)]
    ptx, launch = dump("wgmma_Warpgroup")
    package(folder, "jax_wgmma_Warpgroup", ptx, launch, [0],
            [("a.npy", "f16", (64, 64), sum(a, [])), ("b.npy", "f16", (64, 128), sum(b, []))],
            [("out.npy", "f32", (64, 128), product)])


HEAD = ".version 8.0\n.target sm_90a\n.address_size 64\n"
ENTRY = """.visible .entry k(.param .u64 out)
{
  .reg .b64 %rd<4>;
  .reg .b32 %r<4>;
  .reg .pred %p<2>;
  ld.param.u64 %rd1, [out];
  cvta.to.global.u64 %rd1, %rd1;
"""
PRINT = HEAD + """.extern .func (.param .b32 result) vprintf (.param .b64 format, .param .b64 arguments);
.global .align 1 .b8 format[10] = {104, 101, 108, 108, 111, 32, 37, 100, 10, 0};
""" + ENTRY.replace("{\n", "{\n  .local .align 8 .b8 arguments[8];\n  .reg .b64 %SPL;\n", 1) + """
  mov.u64 %SPL, arguments;
  mov.b32 %r1, 42;
  st.local.b32 [%SPL], %r1;
  cvta.local.u64 %rd2, %SPL;
  mov.u64 %rd3, format;
  cvta.global.u64 %rd3, %rd3;
  {
    .param .b64 first;
    .param .b64 second;
    .param .b32 result;
    st.param.b64 [first], %rd3;
    st.param.b64 [second], %rd2;
    call.uni (result), vprintf, (first, second);
  }
  st.global.b32 [%rd1], %r1;
  ret;
}
"""
FAULTS = {
    # name: (body that finds the output's address in %rd1, the kinds of error on GPU and emulator)
    "fault_bad_address": ("  mov.b64 %rd2, 64;\n  mov.b32 %r1, 1;\n  st.global.b32 [%rd2], %r1;\n  ret;\n",
                          "kernel-fault global-out-of-bounds"),
    # The loop counts, because the emulator recognises a loop that repeats itself exactly.
    "fault_endless_loop": ("  mov.b32 %r2, 0;\nagain:\n  add.u32 %r2, %r2, 1;\n  ld.volatile.global.b32 %r1, [%rd1];\n  setp.eq.b32 %p1, %r1, 0;\n  @%p1 bra again;\n  ret;\n",
                           "kernel-timeout timeout"),
    "fault_trap": ("  trap;\n  ret;\n", "kernel-fault trap"),
    "fault_beyond_the_end": ("  mov.b32 %r1, 7;\n  st.global.b32 [%rd1+16], %r1;\n  ret;\n",
                             "out-of-bounds global-out-of-bounds"),
    "fault_before_the_begin": ("  mov.b32 %r1, 7;\n  st.global.b32 [%rd1+-4], %r1;\n  ret;\n",
                               "out-of-bounds global-out-of-bounds"),
    "fault_bad_ptx": ("  no.such.instruction %r1;\n  ret;\n", "ptx-rejected unknown-instruction"),
}


def hand_written_packages(folder):
    launch = {"entry": "k", "grid": [1, 1, 1], "block": [1, 1, 1],
              "params": [{"kind": "buffer", "dtype": "u32", "shape": [4], "out": "out.npy", "name": "out"}]}
    for name, (body, error) in FAULTS.items():
        package(folder, name, HEAD + ENTRY + body + "}\n", launch, [0], expected_error=error)
    package(folder, "fault_wrong_launch", HEAD + ENTRY + "  ret;\n}\n", {**launch, "params": []}, [],
            expected_error="launch")
    package(folder, "fault_too_much_smem", HEAD + ENTRY + "  ret;\n}\n", {**launch, "dynamic_smem": 1 << 20}, [0],
            expected_error="launch")
    package(folder, "print", PRINT, launch, [0], expected=[("out.npy", "u32", (4,), [42, 0, 0, 0])],
            expected_printed="hello 42\n")
    # Sorted last. It shows that the faults before it left no trace.
    package(folder, "zz_still_works", HEAD + ENTRY + "  mov.b32 %r1, 9;\n  st.global.b32 [%rd1+12], %r1;\n  ret;\n}\n",
            launch, [0], expected=[("out.npy", "u32", (4,), [0, 0, 0, 9])])


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    target = pathlib.Path(sys.argv[1])
    jax_packages(target)
    hand_written_packages(target)
    print(f"{len(list(target.glob('*.lspkg')))} packages in {target}")
