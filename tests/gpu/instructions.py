#!/usr/bin/env python3
"""Writes packages that compare the emulator's instructions bit for bit with a GPU's.

  tests/gpu/instructions.py FOLDER [--lanescope build/release/bin/lanescope]
  tests/gpu/run.sh FOLDER RESULTS

Each package is one kernel of one family: integers, bits, floats, halves, conversions, comparisons, video, variants (forms
that ptxas takes beyond the ISA's syntax blocks), forms (all that work on one lane's registers), mma.sync, wgmma
(with base offsets and spread tiles), clusters (multicast, remote stores and arrivals). Inputs are random with a fixed
seed, and include special values. The expected outputs are the emulator's. Instructions that PTX calls approximate are
left out, and matrices hold small integers, so that sums are exact. Needs the standard library and `lanescope`, but no
GPU.
"""
import argparse
import pathlib
import random
import struct
import subprocess
import tempfile

import lane_forms
from make_packages import package

HEAD = ".version 8.7\n.target sm_90a\n.address_size 64\n"
THREADS = 256
SPECIAL = [0, 1, 0x80000000, 0x80000001, 0x7FFFFFFF, 0xFFFFFFFF, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000,
           0x7F7FFFFF, 0x00800000, 0x007FFFFF, 0x3C003C00, 0x7BFF0001, 0xFC007C00, 0x3F803F80, 0x477FE000, 0x4F000000,
           0x5F000000, 0x33800000, 0x38D1B717, 0x0000FFFF, 0x00FF00FF, 31, 32, 33, 64, 0x43E00000, 0xC3E00000]


def f16(value):
    return struct.unpack("<H", struct.pack("<e", value))[0]


def f32(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def buffer(name, shape, **files):
    return {"kind": "buffer", "dtype": "u32", "shape": list(shape), "name": name, **files}


def emulated(folder, name, ptx, launch, data, lanescope):
    """Writes a package whose expected output is the emulator's."""
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        package(work, "k", ptx, {**launch}, [], data)
        inside = work / "k.lspkg"
        subprocess.run([lanescope, "emulate", str(inside / "kernel.ptx"), "--launch", str(inside / "launch.json")],
                       check=True, stdout=subprocess.DEVNULL, cwd=inside)
        raw = (inside / "out.npy").read_bytes()
        begin = 10 + struct.unpack("<H", raw[8:10])[0]
        values = struct.unpack(f"<{(len(raw) - begin) // 4}I", raw[begin:])
        shape = next(p["shape"] for p in launch["params"] if p["name"] == "out")
    package(folder, name, ptx, launch, [len(launch["params"]) - 1], data, [("out.npy", "u32", shape, values)])


def families():
    """Family -> lines that read %a, %b, %c (b32), %A, %B (b64), %x, %y, %z (f32), %u, %v, %w (f64), %h, %i, %j (b16) and
    write %r (b32) or, after a `>`, %d (b64)."""
    out = {name: [] for name in ("integer", "bits", "float", "half", "convert", "compare", "video", "variants")}
    add = lambda family, *lines: out[family].extend(lines)
    # Leaves out cases that the ISA does not define: operands of mul24.hi beyond 24 bits, positions and lengths beyond
    # 255.
    place = "and.b32 %s, %b, 255; and.b32 %r, %c, 255;"
    for t in ("u32", "s32"):
        narrow = f"bfe.{t} %s, %a, 0, 24; bfe.{t} %r, %b, 0, 24;"
        for op in ("add", "sub", "min", "max", "mul.lo", "mul.hi"):
            add("integer", f"{op}.{t} %r, %a, %b;")
        add("integer", f"mad.lo.{t} %r, %a, %b, %c;", f"mad.hi.{t} %r, %a, %b, %c;", f"sad.{t} %r, %a, %b, %c;",
            f"mul24.lo.{t} %r, %a, %b;", f"{narrow} mul24.hi.{t} %r, %s, %r;", f"{narrow} mad24.hi.{t} %r, %s, %r, %c;",
            f"div.{t} %r, %a, %b;", f"rem.{t} %r, %a, %b;", f">mul.wide.{t} %d, %a, %b;")
        for s in ("u32", "s32"):
            add("integer", f"dp4a.{t}.{s} %r, %a, %b, %c;", f"dp2a.lo.{t}.{s} %r, %a, %b, %c;", f"dp2a.hi.{t}.{s} %r, %a, %b, %c;")
        for m in ("clamp", "wrap"):
            add("bits", f"szext.{m}.{t} %r, %a, %b;")
        add("bits", f"bfe.{t} %r, %a, %b, %c;", f"bfind.{t} %r, %a;", f"bfind.shiftamt.{t} %r, %a;", f"shr.{t} %r, %a, %b;",
            f">{place} bfe.{t[0]}64 %d, %A, %s, %r;", f"bfind.{t[0]}64 %r, %A;", f">shr.{t[0]}64 %d, %A, %b;",
            f">mul.hi.{t[0]}64 %d, %A, %B;", f">div.{t[0]}64 %d, %A, %B;", f">rem.{t[0]}64 %d, %A, %B;")
    for op in ("min", "max"):
        add("integer", f"{op}.relu.s32 %r, %a, %b;", f"{op}.relu.s16x2 %r, %a, %b;", f"{op}.u16x2 %r, %a, %b;")
    add("integer", "add.sat.s32 %r, %a, %b;", "sub.sat.s32 %r, %a, %b;", "mad.hi.sat.s32 %r, %a, %b, %c;",
        "bfe.s32 %s, %a, 0, 24; bfe.s32 %r, %b, 0, 24; mad24.hi.sat.s32 %r, %s, %r, %c;", "add.cc.u32 %r, %a, %b; addc.u32 %r, %c, %a;",
        "sub.cc.u32 %r, %a, %b; subc.u32 %r, %c, %a;", "mad.lo.cc.u32 %r, %a, %b, %c; madc.hi.u32 %r, %a, %b, %c;")
    for m in ("clamp", "wrap"):
        add("bits", f"bmsk.{m}.b32 %r, %a, %b;", f"shf.l.{m}.b32 %r, %a, %b, %c;", f"shf.r.{m}.b32 %r, %a, %b, %c;")
    add("bits", "and.b32 %s, %b, 31; and.b32 %r, %c, 15; fns.b32 %r, %a, %s, %r;", "popc.b32 %r, %a;", "clz.b64 %r, %A;", "brev.b32 %r, %a;",
        "bfi.b32 %r, %a, %b, %c, %a;", f">{place} bfi.b64 %d, %A, %B, %s, %r;", "shl.b32 %r, %a, %b;", ">shl.b64 %d, %A, %b;",
        "lop3.b32 %r, %a, %b, %c, 0x1E;", "cnot.b32 %r, %a;")
    for m in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
        add("bits", f"prmt.b32{m} %r, %a, %b, %c;")
    for m in ("rn", "rz", "rm", "rp"):
        for op in ("add", "sub", "mul", "div"):
            add("float", f"{op}.{m}.f32 %r, %x, %y;", f">{op}.{m}.f64 %d, %u, %v;", f"{op}.{m}.ftz.f32 %r, %x, %y;")
        add("float", f"fma.{m}.f32 %r, %x, %y, %z;", f">fma.{m}.f64 %d, %u, %v, %w;", f"fma.{m}.ftz.sat.f32 %r, %x, %y, %z;")
        for op in ("rcp", "sqrt"):
            add("float", f"{op}.{m}.f32 %r, %x;", f">{op}.{m}.f64 %d, %u;")
    for op in ("min", "max"):
        for m in ("", ".ftz", ".NaN", ".xorsign.abs", ".NaN.xorsign.abs"):
            add("float", f"{op}{m}.f32 %r, %x, %y;")
            for t in ("f16x2", "bf16x2"):
                if not (m == ".ftz" and t == "bf16x2"):
                    add("half", f"{op}{m}.{t} %r, %a, %b;")
    for t in ("f16x2", "bf16x2"):
        for op in ("add", "sub", "mul"):
            for m in ("", ".ftz", ".sat", ".ftz.sat"):
                if not m or t == "f16x2":
                    add("half", f"{op}{m}.{t} %r, %a, %b;")
        for m in ("", ".relu", ".ftz", ".sat", ".ftz.sat", ".ftz.relu"):
            if m in ("", ".relu") or t == "f16x2":
                add("half", f"fma.rn{m}.{t} %r, %a, %b, %c;")
        for m in (".rn", ".rz", ".rn.relu", ".rz.relu", ".rn.satfinite", ".rn.relu.satfinite"):
            add("convert", f"cvt{m}.{t}.f32 %r, %x, %y;")
    for t in ("e4m3x2", "e5m2x2"):
        for m in ("", ".relu"):
            add("convert", f"cvt.rn.satfinite{m}.{t}.f32 %t, %x, %y; cvt.u32.u16 %r, %t;",
                f"cvt.rn.satfinite{m}.{t}.f16x2 %t, %a; cvt.u32.u16 %r, %t;", f"cvt.rn{m}.f16x2.{t} %r, %h;")
    for m in ("rn", "rz", "rna", "rn.relu", "rz.relu", "rna.satfinite"):
        add("convert", f"cvt.{m}.tf32.f32 %r, %x;")
    for t in ("u16", "s16"):
        add("convert", f"cvt.pack.sat.{t}.s32 %r, %a, %b;")
    for t in ("u8", "s8", "u4", "s4", "u2", "s2"):
        add("convert", f"cvt.pack.sat.{t}.s32.b32 %r, %a, %b, %c;")
    for m in ("rni", "rzi", "rmi", "rpi"):
        for t in ("u32", "s32"):
            add("convert", f"cvt.{m}.{t}.f32 %r, %x;", f"cvt.{m}.{t}.f64 %r, %u;", f"cvt.{m}.{t}.f16 %r, %h;")
        add("convert", f">cvt.{m}.s64.f32 %d, %x;", f">cvt.{m}.u64.f64 %d, %u;", f"cvt.{m}.f32.f32 %r, %x;")
    for m in ("rn", "rz", "rm", "rp"):
        add("convert", f"cvt.{m}.f32.s32 %r, %a;", f"cvt.{m}.f32.u64 %r, %A;", f"cvt.{m}.f32.f64 %r, %u;",
            f"cvt.{m}.f16.s32 %t, %a; cvt.u32.u16 %r, %t;")
    for c in ("eq", "ne", "lt", "ge", "equ", "ltu", "num", "nan"):
        add("compare", f"set.{c}.u32.f32 %r, %x, %y;", f"set.{c}.f32.f32 %r, %x, %y;", f"set.{c}.f16x2.f16x2 %r, %a, %b;",
            f"setp.{c}.f16x2 %p|%q, %a, %b; selp.u32 %r, 1, 2, %p; @%q add.u32 %r, %r, 4;")
    for c in ("lt", "ge"):
        add("compare", f"set.{c}.u32.s32 %r, %a, %b;", f"set.{c}.u32.u64 %r, %A, %B;", f"set.{c}.ftz.u32.f32 %r, %x, %y;")
    add("compare", "slct.u32.s32 %r, %a, %b, %c;", "slct.ftz.u32.f32 %r, %a, %b, %z;", "testp.subnormal.f32 %p, %x; selp.u32 %r, 1, 0, %p;")
    for op in ("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vset"):
        for n, (d, a, b) in enumerate((d, a, b) for d in ("u32", "s32") for a in ("u32", "s32") for b in ("u32", "s32")):
            if op.startswith("vsh") and b == "s32":
                continue
            mode = (".clamp", ".wrap")[n % 2] if op.startswith("vsh") else ""
            compare = (".eq", ".ne", ".lt", ".le", ".gt", ".ge")[n % 6]
            types = f"{a}.{b}{compare}" if op == "vset" else f"{d}.{a}.{b}"
            # Scalar `.sat`, `.max` of the result and the result's part `.h1` are left out: an H200 does other things there
            # than the ISA says (docs/numbers.md).
            form, part = f"{op}.{types}{mode}", ("b0", "b3", "h0", "h1")[n % 4]
            add("video", f"{form} %r, %a, %b;", f"{form} %r, %a, %b, %c;", f"{form} %r, %a.{part}, %b.b1, %c;",
                f"{form}.add %r, %a, %b, %c;")
            if part != "h1":
                add("video", f"{form} %r.{part}, %a, %b, %c;")
    for op, n in (("vadd", 2), ("vsub", 4), ("vabsdiff", 2), ("vmin", 4), ("vmax", 2), ("vavrg", 4), ("vavrg", 2)):
        add("video", f"{op}{n}.s32.s32.u32.sat %r, %a, %b, %c;", f"{op}{n}.u32.u32.u32 %r, %a, %b, %c;")
    add("variants", "add.rn.sat.f32.sat %r, %x, %y;", "fma.rn.sat.f32.sat %r, %x, %y, %z;", "mul.rm.sat.f32.sat %r, %x, %y;",
        "sub.ftz.sat.sat.f16x2 %r, %a, %b;", "fma.rn.sat.sat.f16x2 %r, %a, %b, %c;", "max.relu.relu.s32 %r, %a, %b;",
        "min.ftz.NaN.NaN.xorsign.abs.f16x2 %r, %a, %b;", "add.cc.cc.u32 %r, %a, %b; addc.cc.cc.u32 %r, %c, %a; addc.u32 %r, %r, %b;",
        "vadd.s32.s32.s32.sat.sat %r, %a, %b;")
    for c in ("lt", "ge", "ne", "neu", "nan"):
        add("variants", f"setp.{c}.f16x2 %p, %a, %b; selp.u32 %r, 1, 2, %p;", f"setp.{c}.ftz.f16x2 %p, %a, %b; selp.u32 %r, 1, 2, %p;",
            f"setp.{c}.bf16x2 %p, %a, %b; selp.u32 %r, 1, 2, %p;",
            f"setp.lt.u32 %q, %a, %c; setp.{c}.or.f16x2 %p, %a, %b, %q; selp.u32 %r, 1, 2, %p;")
    for n in range(4):
        add("variants", "{ .reg .b128 %Z; .reg .b32 %m<4>; mov.b128 %Z, {%a, %b, %c, %a}; mov.b128 {%m0, %m1, %m2, %m3}, %Z; "
            f"mov.b32 %r, %m{n}; }}")
    for t in ("b8", "u8", "s8", "b16", "u16", "s16"):
        # The upper half is left out: an H200 writes the lower half there once more.
        add("variants", ">{ .reg .b128 %Z, %Y; .reg .b64 %e; ld.global.nc.v2." + t + " {%Z, %Y}, [%P]; mov.b128 {%d, %e}, %Z; }")
    return out


def scalar_kernel(lines):
    body = HEAD + f""".visible .entry k(.param .u64 in, .param .u64 out)
{{
  .reg .pred %p, %q; .reg .b16 %h, %i, %j, %t, %n<3>; .reg .b32 %a, %b, %c, %r, %s, %me; .reg .b64 %A, %B, %C, %d, %P, %Q, %o;
  .reg .f32 %x, %y, %z; .reg .f64 %u, %v, %w;
  ld.param.u64 %P, [in]; ld.param.u64 %Q, [out];
  mov.u32 %me, %tid.x;
  mul.wide.u32 %o, %me, 4; add.u64 %P, %P, %o;
  mul.wide.u32 %o, %me, 8; add.u64 %Q, %Q, %o;
  ld.global.b32 %a, [%P]; ld.global.b32 %b, [%P+{4 * THREADS}]; ld.global.b32 %c, [%P+{8 * THREADS}];
  mov.b64 %A, {{%a, %b}}; mov.b64 %B, {{%b, %c}}; mov.b64 %C, {{%c, %a}};
  mov.b32 %x, %a; mov.b32 %y, %b; mov.b32 %z, %c; mov.b64 %u, %A; mov.b64 %v, %B; mov.b64 %w, %C;
  mov.b32 {{%h, %n0}}, %a; mov.b32 {{%i, %n1}}, %b; mov.b32 {{%j, %n2}}, %c;
"""
    for n, line in enumerate(lines):
        wide = line.startswith(">")
        line = line.lstrip(">")
        # PTX wants float registers for float results, but accepts b32 and b64 registers too.
        body += f"  {line} st.global.b{64 if wide else 32} [%Q+{8 * THREADS * n}], {'%d' if wide else '%r'};\n"
    return body + "  ret;\n}\n"


def words_of_lanes(seed):
    """Three words for each thread, special ones among them."""
    rng = random.Random(seed)
    columns = []
    for _ in range(3):
        column = SPECIAL * 2 + [rng.getrandbits(32) for _ in range(THREADS)]
        rng.shuffle(column)
        columns += column[:THREADS]
    return columns


def scalar_packages(folder, lanescope):
    columns = words_of_lanes(1)
    for family, lines in families().items():
        launch = {"entry": "k", "grid": [1, 1, 1], "block": [THREADS, 1, 1],
                  "params": [buffer("in", (3, THREADS), data="in.npy"),
                             buffer("out", (len(lines), THREADS, 2), out="out.npy")]}
        emulated(folder, f"ins_{family}", scalar_kernel(lines), launch, [("in.npy", "u32", (3, THREADS), columns)], lanescope)


def form_packages(folder, lanescope, seed):
    columns = words_of_lanes(seed)

    def write(name, ptx, shape):
        threads = shape[1]
        alone = threads == THREADS
        given = (3, THREADS) if alone else (threads, lane_forms.SLOT)
        launch = {"entry": "k", "grid": [1, 1, 1], "block": [threads, 1, 1],
                  "params": [buffer("in", given, data="in.npy"), *([] if alone else [buffer("memory", given)]),
                             buffer("out", shape, out="out.npy")]}
        emulated(folder, name, ptx, launch, [("in.npy", "u32", given, columns[:given[0] * given[1]])], lanescope)

    lane_forms.packages(folder, write)


BITS = {"f16": 16, "bf16": 16, "tf32": 32, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "s4": 4, "u4": 4, "b1": 1}
E4M3 = {0: 0, 1: 0x38, 2: 0x40, 3: 0x44}
E5M2 = {0: 0, 1: 0x3C, 2: 0x40, 3: 0x42}


def element(rng, kind):
    """A small integer of the type, or any bits of an integer type."""
    small = rng.randrange(-3, 4)
    if kind == "f16":
        return f16(small)
    if kind == "bf16":
        return f32(small) >> 16
    if kind == "tf32":
        return f32(small) | rng.getrandbits(12)
    if kind in ("e4m3", "e5m2"):
        return (E4M3 if kind == "e4m3" else E5M2)[abs(small)] | (0x80 if small < 0 else 0)
    return rng.getrandbits(BITS[kind])


def fragment(rng, kind, words):
    bits = BITS[kind]
    return [sum(element(rng, kind) << (bits * n) for n in range(32 // bits)) for _ in range(words)]


def mma_package(folder, lanescope):
    rng = random.Random(2)
    shapes = [(16, k, a, a, r) for k, a, r in ((8, "f16", "f16"), (8, "f16", "f32"), (16, "f16", "f16"), (16, "f16", "f32"),
              (8, "bf16", "f32"), (16, "bf16", "f32"), (4, "tf32", "f32"), (8, "tf32", "f32"))]
    shapes += [(16, k, a, b, r) for k in (16, 32) for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2") for r in ("f16", "f32")]
    for wide, narrow in (("8", 16), ("4", 32)):
        shapes += [(m, k, a + wide, b + wide, "s32") for a in "su" for b in "su" for m, k in ((8, narrow), (16, narrow), (16, 2 * narrow))]
    shapes += [(8, 128, "b1", "b1", "s32"), (16, 128, "b1", "b1", "s32"), (16, 256, "b1", "b1", "s32")]
    body, data = "", []
    for n, (m, k, a, b, result) in enumerate(shapes):
        na, nb = m * k * BITS[a] // 1024, 8 * k * BITS[b] // 1024
        nc = m // (8 if result == "f16" else 4)
        lanes = []
        for _ in range(32):
            c = [rng.getrandbits(8) for _ in range(nc)] if result == "s32" else fragment(rng, "f16", nc) if result == "f16" \
                else [f32(rng.randrange(-9, 10)) for _ in range(nc)]
            words = fragment(rng, a, na) + fragment(rng, b, nb) + c
            lanes += words + [0] * (12 - len(words))
        data += lanes
        group = lambda first, count: "{" + ", ".join(f"%r{first + i}" for i in range(count)) + "}"
        body += "".join(f"  ld.global.b32 %r{i}, [%P+{n * 1536 + 4 * i}];\n" for i in range(na + nb + nc))
        body += (f"  mma.sync.aligned.m{m}n8k{k}.row.col.{result}.{a}.{b}.{result}{'.and.popc' if a == 'b1' else ''} {group(16, nc)}, "
                 f"{group(0, na)}, {group(na, nb)}, {group(na + nb, nc)};\n")
        body += "".join(f"  st.global.b32 [%Q+{n * 512 + 4 * i}], %r{16 + i};\n" for i in range(nc))
    ptx = HEAD + """.visible .entry k(.param .u64 in, .param .u64 out)
{
  .reg .b32 %r<32>, %t; .reg .b64 %P, %Q, %o;
  ld.param.u64 %P, [in]; ld.param.u64 %Q, [out];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %o, %t, 48; add.u64 %P, %P, %o;
  mul.wide.u32 %o, %t, 16; add.u64 %Q, %Q, %o;
""" + body + "  ret;\n}\n"
    launch = {"entry": "k", "grid": [1, 1, 1], "block": [32, 1, 1],
              "params": [buffer("in", (len(shapes), 32, 12), data="in.npy"), buffer("out", (len(shapes), 32, 4), out="out.npy")]}
    emulated(folder, "ins_mma", ptx, launch, [("in.npy", "u32", (len(shapes), 32, 12), data)], lanescope)


def wgmma_packages(folder, lanescope):
    """Fills shared memory with elements in any order, because every layout of a descriptor reads some of them."""
    rng = random.Random(3)
    mode = {0: 0, 128: 1, 64: 2, 32: 3}
    cases = []  # name, a, b, result, N, descriptor of A and B as (start, leading, stride, base, swizzle), transposes
    for kinds in (("f16", "f16", "f32"), ("bf16", "bf16", "f32"), ("f16", "f16", "f16"), ("tf32", "tf32", "f32"), ("e4m3", "e5m2", "f32"),
                  ("e5m2", "e4m3", "f16"), ("s8", "u8", "s32"), ("u8", "s8", "s32"), ("b1", "b1", "s32")):
        for swizzle in (0, 32, 64, 128):
            stride, leading = (8 * swizzle, 0) if swizzle else (128, 4096)
            cases.append((f"{kinds[0]}_{kinds[1]}_{kinds[2]}_{swizzle}", *kinds, 32, (0, leading, stride, 0, swizzle),
                          (32768, leading, stride, 0, swizzle), (0, 0)))
    for swizzle in (0, 32, 64, 128):
        stride, leading = (8 * swizzle, 16 * swizzle) if swizzle else (256, 128)
        cases.append((f"transposed_{swizzle}", "f16", "f16", "f32", 72, (0, leading, stride, 0, swizzle),
                      (32768, leading, stride, 0, swizzle), (1, 1)))
    for row in (1, 2, 3, 5, 7):
        cases.append((f"base_{row}", "f16", "f16", "f32", 32, (row * 128, 0, 1024, row, 128), (32768 + row * 128, 0, 512, row, 64), (0, 0)))
    cases.append(("inside_the_pattern", "f16", "f16", "f32", 32, (64, 0, 1024, 0, 128), (32768 + 96, 0, 1024, 0, 128), (0, 0)))
    cases.append(("spread", "f16", "f16", "f32", 24, (0, 4096, 272, 0, 0), (32768, 2048, 512, 0, 0), (0, 1)))
    for name, a, b, result, columns, da, db, (ta, tb) in cases:
        words = fragment(rng, a, 8192) + fragment(rng, b, 8192)
        registers = columns // (4 if result == "f16" else 2)
        const = lambda d: d[1] // 16 << 16 | d[2] // 16 << 32 | d[3] << 49 | mode[d[4]] << 62
        accumulators = ", ".join(f"%acc{n}" for n in range(registers))
        depth = 256 // BITS[a]
        more = "" if result == "s32" else ", 1, -1"
        if BITS[a] == 16:
            more += f", {ta}, {tb}"
        ptx = HEAD + f""".extern .shared .align 1024 .b8 smem[];
.visible .entry k(.param .u64 in, .param .u64 out)
{{
  .reg .pred %p; .reg .b32 %t, %s, %n, %v, %acc<128>; .reg .b64 %P, %Q, %o, %da, %db;
  ld.param.u64 %P, [in]; ld.param.u64 %Q, [out];
  mov.u32 %t, %tid.x; mov.u32 %s, smem;
  mul.wide.u32 %o, %t, 4; add.u64 %P, %P, %o;
  shl.b32 %v, %t, 2; add.u32 %v, %s, %v; mov.u32 %n, 0;
COPY:
  ld.global.b32 %acc0, [%P]; st.shared.b32 [%v], %acc0;
  add.u64 %P, %P, 512; add.u32 %v, %v, 512; add.u32 %n, %n, 1;
  setp.lt.u32 %p, %n, 128; @%p bra COPY;
  fence.proxy.async.shared::cta; bar.sync 0;
  add.u32 %v, %s, {da[0]}; shr.u32 %v, %v, 4; cvt.u64.u32 %da, %v; or.b64 %da, %da, {const(da)};
  add.u32 %v, %s, {db[0]}; shr.u32 %v, %v, 4; cvt.u64.u32 %db, %v; or.b64 %db, %db, {const(db)};
""" + "".join(f"  mov.b32 %acc{n}, 0;\n" for n in range(registers)) + f"""  setp.ne.u32 %p, %n, 0;
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n{columns}k{depth}.{result}.{a}.{b}{'.and.popc' if a == 'b1' else ''} {{{accumulators}}}, %da, %db, %p{more};
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
  mul.wide.u32 %o, %t, {4 * registers}; add.u64 %Q, %Q, %o;
""" + "".join(f"  st.global.b32 [%Q+{4 * n}], %acc{n};\n" for n in range(registers)) + "  ret;\n}\n"
        launch = {"entry": "k", "grid": [1, 1, 1], "block": [128, 1, 1], "dynamic_smem": 65536,
                  "params": [buffer("in", (16384,), data="in.npy"), buffer("out", (128, registers), out="out.npy")]}
        emulated(folder, f"ins_wgmma_{name}", ptx, launch, [("in.npy", "u32", (16384,), words)], lanescope)


SYNC = "  barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;\n"
CLUSTER = HEAD + """.extern .shared .align 1024 .b8 smem[];
.visible .entry k(.param .u64 in, .param .u64 out)
{
  .reg .pred %p<6>; .reg .b16 %h; .reg .b32 %t, %s, %bar, %rank, %mine, %r<12>; .reg .b64 %P, %Q, %o;
  ld.param.u64 %P, [in]; ld.param.u64 %Q, [out];
  mov.u32 %t, %tid.x; mov.u32 %s, smem; add.u32 %bar, %s, 4096; mov.u32 %rank, %cluster_ctarank;
  mov.u32 %r0, %ctaid.x; mad.lo.u32 %r0, %r0, 32, %t; mul.wide.u32 %o, %r0, 4; add.u64 %Q, %Q, %o;
  shl.b32 %mine, %t, 2; add.u32 %mine, %mine, %s; st.shared.u32 [%mine], 7;
  setp.eq.u32 %p0, %t, 0; setp.eq.u32 %p1, %rank, 0; and.pred %p2, %p0, %p1;
  @%p0 mbarrier.init.shared::cta.b64 [%bar], 1;
  @%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 128;
  fence.mbarrier_init.release.cluster; fence.proxy.async.shared::cta;
""" + SYNC
WAIT = "W:\n  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%bar], 0; @!%p3 bra W;\n"
SHOW = "  ld.shared.u32 %r1, [%mine]; st.global.u32 [%Q], %r1;\n"


def cluster_packages(folder, lanescope):
    to_one = "  mapa.shared::cluster.u32 %r2, %mine, 1; mapa.shared::cluster.u32 %r3, %bar, 1;\n"
    last = "  setp.ne.u32 %p4, %rank, 1; @%p4 bra S;\n" + WAIT + SHOW + "S:\n"
    bodies = {
        "multicast": "  mov.b16 %h, 13;\n  @%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes."
                     "multicast::cluster [%s], [%P], 128, [%bar], %h;\n  setp.eq.u32 %p4, %rank, 1; @%p4 bra S;\n" + WAIT + "S:\n" + SHOW,
        "st_async": to_one + "  @%p1 st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r2], %t, [%r3];\n" + last,
        "red_async": to_one + "  @%p1 red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.u32 [%r2], %t, [%r3];\n" + last,
        "bulk": "  mapa.shared::cluster.u32 %r2, %s, 1; mapa.shared::cluster.u32 %r3, %bar, 1;\n  @%p2 cp.async.bulk.shared::cluster."
                "shared::cta.mbarrier::complete_tx::bytes [%r2], [%s], 128, [%r3];\n" + last,
        "memory": "  xor.b32 %r4, %rank, 2; mapa.shared::cluster.u32 %r2, %mine, %r4;\n  atom.shared::cluster.add.u32 %r5, [%r2], %rank;\n"
                  + SYNC + SHOW,
    }
    for name, body in bodies.items():
        launch = {"entry": "k", "grid": [4, 1, 1], "cluster": [4, 1, 1], "block": [32, 1, 1], "dynamic_smem": 8192,
                  "params": [buffer("in", (32,), data="in.npy"), buffer("out", (4, 32), out="out.npy")]}
        emulated(folder, f"ins_cluster_{name}", CLUSTER + body + SYNC + "  ret;\n}\n", launch,
                 [("in.npy", "u32", (32,), [n * n + 1 for n in range(32)])], lanescope)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--lanescope", type=lambda p: pathlib.Path(p).resolve(),
                        default=pathlib.Path(__file__).resolve().parents[2] / "build/release/bin/lanescope")
    parser.add_argument("--seed", type=int, default=11, help="of the operands of the forms")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    scalar_packages(arguments.folder, arguments.lanescope)
    form_packages(arguments.folder, arguments.lanescope, arguments.seed)
    mma_package(arguments.folder, arguments.lanescope)
    wgmma_packages(arguments.folder, arguments.lanescope)
    cluster_packages(arguments.folder, arguments.lanescope)
    print(f"{len(list(arguments.folder.glob('ins_*.lspkg')))} packages in {arguments.folder}")
