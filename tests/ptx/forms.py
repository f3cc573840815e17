#!/usr/bin/env python3
"""Writes the forms of PTX's instructions, one per line, from the syntax blocks of the PTX ISA.

  tests/ptx/forms.py DIR > forms.txt
  tests/ptx/forms.py textures > textures.txt         forms of textures and surfaces, which need no DIR

DIR holds a text file for each section of the ISA with the section's syntax block (`jialunzhang-psu/ptx-90-parser` has
them in crates/parser-gen/ptx_syntax). An optional part is written with and without; a part with a list of values is
written with each value. If that makes more than LIMIT forms, the output is a sample that contains each value. Then come
variants: the same forms with another type, or with one modifier more or less. Most of those are no PTX.
tests/gpu/ptx_forms.py tests which of them ptxas accepts.

Operands are letters, as in tests/emulator/sm90_forms.txt: h, r, l, q are registers of 16, 32, 64 and 128 bits, c of 8
bits, f and d are f32 and f64, p are predicates; {r*4} is a vector; numbers stand for themselves. """
import itertools
import pathlib
import random
import re
import sys

LIMIT = 160
WIDTHS = {"pred": "p", "b8": "c", "u8": "c", "s8": "c"}
SIXTEEN = {"f16", "bf16", "b16", "u16", "s16", "e4m3x2", "e5m2x2", "e2m3x2", "e3m2x2", "ue8m0x2"}
WIDE = {"b64", "u64", "s64", "f64", "f32x2"}
SCALARS = "b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64 pred u16x2 s16x2 f32x2 tf32".split()
TYPE = re.compile(r"^(pred|[bus](1|4|8|16|32|64|128|1024)|[us]16x2|f16|bf16|f32|f64|f16x2|bf16x2|f32x2|tf32|e\dm\d(x[24])?|ue\dm\d(x2)?)$")
BITS = {"e4m3": 8, "e5m2": 8, "e3m2": 8, "e2m3": 8, "e2m1": 8, "u8": 8, "s8": 8, "u4": 4, "s4": 4, "b1": 1, "f16": 16, "bf16": 16, "tf32": 32, "f64": 64}


def letter(type):
    """The register that holds a value of a type."""
    if type in WIDTHS:
        return WIDTHS[type]
    if type == "b128":
        return "q"
    if type in WIDE:
        return "d" if type == "f64" else "l"
    if type == "e2m1x2":
        return "c"
    return "h" if type in SIXTEEN else "f" if type == "f32" else "r"


def narrow(type):
    """The register of an operand of ld, st and cvt. An 8-bit operand may be in a wider register; Triton and nvcc use 16
    bits."""
    return "h" if type in ("b8", "u8", "s8") else letter(type)


GLOBAL = {  # lists that the later blocks of a section leave out
    ".cta_group": [".cta_group::1", ".cta_group::2"],
    ".collector_usage": [".collector::a::fill", ".collector::a::use", ".collector::a::lastuse", ".collector::a::discard"],
    ".to_proxy::from_proxy": [".proxy::tensormap::generic"],
    ".CmpOp": ".eq .ne .lt .le .gt .ge .equ .neu .ltu .leu .gtu .geu .num .nan".split(),
    ".BoolOp": [".and", ".or", ".xor"],
    ".space": [".global"],
}
EXTRA = """
setmaxnreg.inc.sync.aligned.u32 64
setmaxnreg.dec.sync.aligned.u32 64
wgmma.wait_group.sync.aligned 1
wgmma.wait_group.sync.aligned 0
pmevent 1
pmevent.mask 1
movmatrix.sync.aligned.m8n8.trans.b16 r, r
clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 r, q
clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 r, q
clusterlaunchcontrol.query_cancel.get_first_ctaid::z.b32.b128 r, q
clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {r*4}, q
clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, q
fence.proxy.tensormap::generic.acquire.cta [l], 128
fence.proxy.tensormap::generic.acquire.cluster [l], 128
fence.proxy.tensormap::generic.acquire.gpu [l], 128
fence.proxy.tensormap::generic.acquire.sys [l], 128
tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.cta.sync.aligned [l], [r], 128
tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.cluster.sync.aligned [l], [r], 128
tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [l], [r], 128
tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.sys.sync.aligned [l], [r], 128
tensormap.replace.tile.global_address.global.b1024.b64 [l], l
tensormap.replace.tile.rank.shared::cta.b1024.b32 [r], 3
tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [r], 3
tensormap.replace.tile.swizzle_mode.global.b1024.b32 [l], 2
tensormap.replace.tile.interleave_layout.global.b1024.b32 [l], 0
tensormap.replace.tile.fill_mode.global.b1024.b32 [l], 1
tensormap.replace.tile.swizzle_atomicity.global.b1024.b32 [l], 1
tensormap.replace.tile.box_dim.global.b1024.b32 [l], 0, r
tensormap.replace.tile.global_dim.global.b1024.b32 [l], 4, r
tensormap.replace.tile.global_stride.global.b1024.b64 [l], 3, l
tensormap.replace.tile.element_stride.global.b1024.b32 [l], 0, r
tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [l]
tcgen05.commit.cta_group::2.mbarrier::arrive::one.b64 [r]
tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.b64 [r]
tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [r], h
tcgen05.cp.cta_group::1.64x128b.warpx2::02_13 [r], l
tcgen05.cp.cta_group::1.64x128b.warpx2::01_23.b8x16.b4x16_p64 [r], l
tcgen05.cp.cta_group::2.32x128b.warpx4.b8x16.b6x16_p32 [r], l
mov.b64 {r*2}, l
mov.b64 l, {r*2}
mov.b64 {h*4}, l
mov.b64 l, {h*4}
mov.b32 {h*2}, r
mov.b32 r, {h*2}
mov.b128 {l*2}, q
mov.b128 q, {l*2}
mov.b128 {r*4}, q
mov.b128 q, {r*4}
mov.b32 r, %tid.x
mov.u32 r, %laneid
mov.u64 l, %clock64
mov.u64 l, %globaltimer
mov.b32 r, %clusterid.x
mov.b32 r, %lanemask_lt
mov.b32 r, %smid
mov.b32 r, %dynamic_smem_size
mov.b32 r, %total_smem_size
mov.pred p, %is_explicit_cluster
mov.b32 r, %cluster_nctarank
mov.u64 l, %gridid
mov.b32 r, %warpid
mov.b32 r, %nwarpid
mov.b32 r, %nsmid
mov.b32 r, %clock_hi
mov.b32 r, %globaltimer_lo
mov.b32 r, %envreg3
mov.b32 r, %pm0
mov.u64 l, %pm0_64
mov.b32 r, %reserved_smem_offset_begin
mov.b32 r, %aggr_smem_size
mov.u64 l, %current_graph_exec
"""

# --- syntax blocks ---------------------------------------------------------------------------------------------------


def statements(text):
    """(opcode, operands, values of its parts) for each statement of a section."""
    for block in re.split(r"\n\s*-{4,}[^\n]*", text):
        block = re.sub(r"//[^\n]*", "", block)
        block = re.sub(r"\bvop([24]?)\s*=\s*\{([^}]*)\}", "", block)
        lists = dict(GLOBAL)
        for names, values in re.findall(r"((?:(?:\.|::)[\w:]+\s*=\s*)+)\{([^}]*)\}", block):
            values = [v.strip().rstrip("*") for v in values.replace("\n", " ").split(",") if v.strip()]
            for name in re.findall(r"(?:\.|::)[\w:]+", names):
                lists[name] = values
        for statement in block.split(";"):
            statement = " ".join(statement.split())
            if not statement or "=" in statement.split(" ")[0] or statement[0] in ".:" or re.match(r"[\w-]+ = ", statement):
                continue
            statement = re.sub(r"^(?:(?:\.|::)[\w:]+ = (?:\.[\w:]+ = )*\{[^}]*\} ?)+", "", statement)
            if not statement or " = " in statement:
                continue
            head, _, operands = statement.partition(" ")
            yield head, operands.strip(), lists


def parts(head, lists):
    """The opcode's parts, each as a list of alternatives."""
    out = []
    for optional, required in re.findall(r"\{((?:\.|::)[^}]*)\}|((?:\.|::)?[\w]+(?:::[\w*]+)*)", head):
        values = expand(optional or required, lists)
        out.append([""] + values if optional else values)
    return out


def expand(part, lists, depth=0):
    if part in lists and depth < 3:
        return [e for value in lists[part] for e in expand(value, lists, depth + 1)]
    pieces = re.findall(r"(?:\.|::)?[^.:]+", part)  # .collector::buffer::op
    if len(pieces) > 1 and any(p in lists for p in pieces[1:]) and depth < 3:
        return ["".join(c) for c in itertools.product(*(lists.get(p, [p]) for p in pieces))]
    if len(pieces) > 1 and part.count(".") > 1:
        return ["".join(c) for c in itertools.product(*(expand(p, lists, depth + 1) if p in lists else [p] for p in pieces))]
    return [part]


def opcodes(alternatives, random):
    count = 1
    for each in alternatives:
        count *= len(each)
    if count <= LIMIT:
        return ["".join(c) for c in itertools.product(*alternatives)]
    seen = {}
    widest = max(len(each) for each in alternatives)
    orders = []
    for each in alternatives:
        order = [v for _ in range(-(-max(LIMIT, widest) // len(each))) for v in random.sample(each, len(each))]
        orders.append(order)
    for row in zip(*orders):
        seen["".join(row)] = None
    return list(seen)


# --- operands --------------------------------------------------------------------------------------------------------


def vector(what, count):
    return what if count == 1 else "{" + f"{what}*{count}" + "}"


def brace(what, count):
    return "{" + f"{what}*{count}" + "}"


def fragment(type, elements, kind):
    if type == "f64":
        return brace("d", elements // 32)
    bits = {"f16": 16, "bf16": 16}.get(type, 32) if kind == "c" else BITS[type]
    return brace("f" if type == "f32" else "r", max(1, elements * bits // 1024))


def mma(op, sparse):
    m, n, k = map(int, re.search(r"\.m(\d+)n(\d+)k(\d+)", op).groups())
    types = [t for t in op.split(".") if TYPE.match(t)]
    if "row" not in op and "col" not in op or len(types) < 4:
        return None
    d, a, b, c = types[:4]
    if (m, n, k) == (8, 8, 4) and a == "f16":
        return [brace("f", 8) if d == "f32" else brace("r", 4), brace("r", 2), brace("r", 2), brace("f", 8) if c == "f32" else brace("r", 4)]
    quarter = "kind::mxf4" in op  # two 4-bit elements per byte
    bits = lambda t: 4 if quarter and t == "e2m1" else BITS[t]
    def operand(t, elements):
        return brace("d", elements // 32) if t == "f64" else brace("r", max(1, elements * bits(t) // 1024))
    out = [fragment(d, m * n, "c"), operand(a, m * k // (2 if sparse else 1)), operand(b, n * k), fragment(c, m * n, "c")]
    if sparse:
        out += ["r", "0"]
    if "block_scale" in op:
        out += ["r", "{0, 0}", "r", "{0, 0}"]
    return out


WMMA = {  # the registers of a and b, and of c by its type
    ("m16n16k16", 16): (8, 8), ("m8n32k16", 16): (8, 8), ("m32n8k16", 16): (8, 8),
    ("m16n16k16", "bf16"): (4, 4), ("m8n32k16", "bf16"): (2, 8), ("m32n8k16", "bf16"): (8, 2),
    ("m16n16k16", 8): (2, 2), ("m8n32k16", 8): (1, 4), ("m32n8k16", 8): (4, 1),
    ("m16n16k8", 32): (4, 4), ("m8n8k4", 64): (1, 1), ("m8n8k32", 4): (1, 1), ("m8n8k128", 1): (1, 1),
}


def wmma(op, names):
    shape = re.search(r"m\d+n\d+k\d+", op)
    types = [t for t in op.split(".") if TYPE.match(t)]
    if not shape or not types:
        return None
    m, n, k = map(int, re.findall(r"\d+", shape.group()))

    def side(which, t):
        key = (shape.group(), "bf16" if t == "bf16" else BITS.get(t))
        if key not in WMMA:
            return None
        return brace("d" if t == "f64" else "r", WMMA[key][which])

    def sum_(t):
        return brace({"f16": "r", "f32": "f", "s32": "r", "f64": "d"}.get(t, "r"), m * n // 32 // (2 if t == "f16" else 1))

    if op.startswith("wmma.load"):
        which = op[10]
        r = sum_(types[-1]) if which == "c" else side("ab".index(which), types[-1])
        return r and [r, "[l]"] + (["r"] if "stride" in names else [])
    if op.startswith("wmma.store"):
        return ["[l]", sum_(types[-1])] + (["r"] if "stride" in names else [])
    if len(types) == 2:  # d and c; a and b are f16
        d, a, b, c = types[0], "f16", "f16", types[1]
    elif len(types) == 4:
        d, a, b, c = types
    else:
        return None
    sides = side(0, a), side(1, b)
    return None if None in sides else [sum_(d), *sides, sum_(c)]


def wgmma(op, names):
    n = int(re.search(r"n(\d+)k", op).group(1))
    types = [t for t in op.split(".") if TYPE.match(t)]
    d = brace("f" if types[0] == "f32" else "r", n // (4 if types[0] == "f16" else 2))
    out = {"d": d, "a": brace("r", 4), "a-desc": "l", "b-desc": "l", "scale-d": "p", "sp-meta": "r", "sp-sel": "0"}
    return [out.get(name, "0" if "trans" in name else "1") for name in names]


def loaded(op, type):
    count = {"v2": 2, "v4": 4, "v8": 8}.get(next((p for p in op.split(".") if p in ("v2", "v4", "v8")), ""), 1)
    return brace(narrow(type), count) if count > 1 else narrow(type)


MATRIX_WORDS = {"m8n8": 1, "m16n8": 1, "m8n16": 1, "m16n16": 2}


def operands(op, names):
    """The operands of a form in letters; None if the values do not fit together or are not supported here."""
    root = op.split(".")[0]
    types = [t for t in op.split(".") if TYPE.match(t)]
    first, last = (types[0], types[-1]) if types else ("b32", "b32")
    if root == "mma":
        return mma(op, op.startswith("mma.sp"))
    if root == "wmma":
        return wmma(op, names)
    if op.startswith("wgmma.mma_async"):
        return wgmma(op, names)
    if root in ("ld", "ldu"):
        return [loaded(op, last), "[l]"] + ["l"] * ("cache-policy" in names)
    if root == "st" and not op.startswith(("st.async", "st.bulk")):
        return ["[l]", loaded(op, last)] + ["l"] * ("cache-policy" in names)
    if root in ("atom", "red") and not op.startswith("red.async"):
        value = loaded(op, last)
        out = [value, "[l]", value] if root == "atom" else ["[l]", value]
        return out + [value] * ("c" in names) + ["l"] * ("cache-policy" in names)
    if root == "multimem":
        value = loaded(op, last)
        return [value, "[l]"] if "ld_reduce" in op else ["[l]", value]
    if root == "cvt":
        if op.startswith("cvt.pack"):
            return ["r"] * len(names)
        to, source = types[-2:]
        return [narrow(to)] + ["{f*4}" if n.startswith("{") else "r" if n == "rbits" else narrow(source) for n in names[1:]]
    if root in ("set", "slct", "setp", "selp", "testp"):
        if root == "setp":
            return ["p|p" if "|" in names[0] else "p", letter(last), letter(last)] + ["p"] * (len(names) > 3)
        if root == "set":
            return [letter(types[-2]), letter(last), letter(last)] + ["p"] * (len(names) > 3)
        if root == "slct":
            return [letter(first)] * 3 + [letter(last)]
        if root == "selp":
            return [letter(first)] * 3 + ["p"]
        return ["p", letter(first)]
    if root in ("shl", "shr"):
        return [letter(first)] * 2 + ["r"]
    if root in ("popc", "clz", "bfind"):
        return ["r", letter(first)]
    if root in ("bfe",):
        return [letter(first)] * 2 + ["r", "r"]
    if root in ("bfi",):
        return [letter(first)] * 3 + ["r", "r"]
    if root == "lop3":
        return ["r|p" if "|" in names[0] else "r", "r", "r", "r", "128"] + ["p"] * ("q" in names)
    if root in ("mad", "madc", "mul", "mad24", "mul24") and ".wide" in op:
        wide = {"16": "r", "32": "l"}.get(first[1:], "l")
        return [wide, letter(first), letter(first)] + [wide] * (root == "mad")
    if root in ("add", "sub", "fma") and len(types) == 2:  # mixed forms: f32 with f16 or bf16
        return ["f"] + [letter(last)] * (1 if root != "fma" else 2) + ["f"]
    if root in ("dp2a", "dp4a", "sad", "vmad") or re.match(r"v(add|sub|absdiff|min|max|avrg|set|sh[lr])[24]?$", root):
        count = len(names)
        return (["r"] if root != "sad" else [letter(first)]) + [letter(first) if root == "sad" else "r"] * (count - 1)
    if root == "match":
        return ["r|p" if "|" in names[0] else "r", letter(first), "r"]
    if root == "vote":
        return ["p" if "pred" in op else "r", "p"] + ["r"] * ("membermask" in names)
    if root in ("bar", "barrier") and "red" in op:
        return ["r" if "popc" in op else "p", "1"] + ["64"] * ("b" in names) + ["p"]
    if root in ("bar", "barrier") and "cluster" not in op and "warp" not in op:
        return ["1"] + ["64"] * ("b" in names)
    if root == "elect":
        return ["r|p", "r"]
    if root == "shfl":
        return ["r|p" if "|" in names[0] else "r", "r", "r", "r"] + ["r"] * ("membermask" in names)
    if root in ("isspacep", "istypep"):
        return ["p", "l"]
    if root in ("cvta", "mapa", "getctarank"):
        wide = letter(last) if last in ("u32", "u64") else "l"
        return {"cvta": [wide, wide], "mapa": [wide, wide, "r"], "getctarank": ["r", wide]}[root]
    if root in ("createpolicy",):
        return ["l", "[l]", "r", "r"] if "range" in op else ["l", "l"] if ".cvt" in op else ["l"] + ["1.0"] * (len(names) > 1)
    if root == "ldmatrix" or root == "stmatrix":
        count = int(re.search(r"\.x(\d)", op).group(1)) * MATRIX_WORDS.get(re.search(r"m\d+n\d+", op).group(), 1)
        r = brace("r", count)
        return [r, "[l]"] if root == "ldmatrix" else ["[l]", r]
    if root == "tcgen05":
        return tcgen05(op, names)
    if root == "cp":
        return copy(op, names)
    if root in ("mbarrier", "tensormap", "clusterlaunchcontrol", "st", "red", "prefetch", "prefetchu", "discard", "applypriority"):
        return [other(op, n, last) for n in names]
    if root in ("tex", "tld4", "txq", "suld", "sust", "sured", "suq", "call", "bra", "brx", "alloca"):
        return None
    if not names:
        return []
    return [letter(first) if n in ("d", "a", "b", "c") else "[l]" if n.startswith("[") else "r" for n in names]


def tcgen05(op, names):
    if ".ld" in op or ".st." in op:
        per = {"32x32b": 1, "16x64b": 1, "16x32bx2": 1, "16x128b": 2, "16x256b": 4}[re.search(r"\.(\d+x\w+)", op).group(1)]
        count = per * int(re.search(r"\.x(\d+)(?=\.|$)", op).group(1))
        if count > 128:
            return None
        r = brace("f" if op.endswith(".f32") else "r", count)
        return [{"r": r, "redval": "f" if op.endswith(".f32") else "r", "[taddr]": "[r]", "immHalfSplitoff": str(count)}[n] for n in names]
    lanes = 8 if "cta_group::2" in op else 4
    known = {"a-desc": "l", "b-desc": "l", "s-desc": "l", "idesc": "r", "enable-input-d": "p", "scale-input-d": "1",
             "disable-output-lane": brace("r", lanes), "zero-column-mask-desc": "l", "nCols": "r", "taddr": "r", "ctaMask": "h", "[mbar]": "[l]", "[dst]": "[r]"}
    return [known.get(n, "[r]" if n.startswith("[") else "r") for n in names]


def copy(op, names):
    dimensions = re.search(r"\.([1-5])d", op)
    d = int(dimensions.group(1)) if dimensions else 1
    coordinates = "[l, " + brace("r", 5 if "tile::gather4" in op or "tile::scatter4" in op else d) + "]"
    im2col = brace("h", 2 if "im2col::w" in op else max(d - 2, 1))
    known = {"tensorMap": coordinates, "[tensorMap, tensorCoords]": coordinates, "im2colInfo": im2col, "cache-policy": "l", "size": "r", "ctaMask": "h",
             "byteMask": "h", "cp-size": "4", "16": "16", "src-size": "r", "ignore-src": "p", "N": "1", "cp_mask": "h"}
    return [known.get(n, "[r]" if n in ("[dstMem]", "[mbar]", "[dst]", "[addr]") and "global.shared" not in op else "[l]") for n in names]


def other(op, name, type):
    known = {"_": "_", "state": "l", "waitComplete": "p", "phaseParity": "r", "suspendTimeHint": "r", "count": "r", "txCount": "r", "tx_count": "r",
             "new_val": letter(type), "ord": "0", "size": "128", "pred": "p", "try_cancel_response": "q", "reg": "r", "{xdim, ydim, zdim, _}": "{r*4}",
             "initval": "0", "a": "[l]", "value": loaded(op, type), "b": loaded(op, type)}
    return known.get(name, "[l]" if name.startswith("[") else "r")


def names_of(text):
    """The operands' names, at the top level of brackets and braces."""
    out, depth, name = [], 0, ""
    for c in text:
        depth += c in "[{"
        depth -= c in "]}"
        if c == "," and depth == 0:
            out.append(name.strip())
            name = ""
        else:
            name += c
    return [n for n in out + [name.strip()] if n]


def written(operands_text):
    """The operand lists of a statement, without and with each optional operand."""
    text = operands_text.replace("{!}", "").replace("{-}", "").replace("{.unified}", "")
    text = re.sub(r"\{\.\w+\}", "", text).replace(".dsel", "")
    text = text.replace("{|p}", "|p").replace("{|q}", "|q")
    optional = re.findall(r" ?\{ ?, ?([^{}]*)\}", text)
    head = re.sub(r" ?\{ ?, ?[^{}]*\}", "", text) if optional else text
    fixed = names_of(head)
    if not optional:
        return [fixed]
    lists = []
    for count in range(1 << len(optional)):
        chosen = [o.strip() for at, o in enumerate(optional) if count >> at & 1]
        lists.append(place(text, optional, count))
    return lists


def place(text, optional, chosen):
    at = iter(range(len(optional)))
    return names_of(re.sub(r" ?\{ ?, ?([^{}]*)\}", lambda m: ", " + m.group(1) if chosen >> next(at) & 1 else "", text))


def roots(section, text):
    """The opcodes of a section that describes several instructions (`vop`)."""
    group = re.search(r"\bvop[24]?\s*=\s*\{([^}]*)\}", text)
    return [v.strip() for v in group.group(1).split(",")] if group else None


def forms(folder):
    chance = random.Random(1)
    for path in sorted(pathlib.Path(folder).glob("*.txt")):
        text = path.read_text()
        for head, operands_text, lists in statements(text):
            instructions = roots(path.stem, text) if head.startswith("vop") else None
            for instruction in instructions or [None]:
                opening = re.sub(r"^vop[24]?", instruction, head) if instruction else head
                for names in written(operands_text):
                    hint = "cache-policy" in names
                    for op in opcodes(parts(opening, lists), chance):
                        if hint != (".L2::cache_hint" in op) and ("cache_hint" in head):
                            op = op.replace(".L2::cache_hint", "") if not hint else None
                        if op is None or ".param" in op and op.startswith(("ld", "st")):
                            continue
                        try:
                            made = operands(op, names)
                        except (KeyError, AttributeError, ValueError, IndexError):
                            made = None
                        if made is not None:
                            yield (op + " " + ", ".join(made)).strip()
    yield from EXTRA.strip().splitlines()


def variants(known):
    """Neighbours of forms: another type with its operands, one modifier more, one modifier less."""
    chance = random.Random(2)
    roots = {}
    for form in known:
        roots.setdefault(form.split(" ")[0].split(".")[0], []).append(form)
    extra = ".sat .ftz .rn .rz .relu .NaN .cc .approx .noftz .aligned .uni .v2 .satfinite .abs .hi .lo".split()
    for root, all_forms in sorted(roots.items()):
        if root in ("wgmma", "wmma", "tcgen05", "cp", "tensormap"):
            continue
        for form in chance.sample(all_forms, min(len(all_forms), 40)):
            op, _, operand = form.partition(" ")
            pieces = op.split(".")
            places = [at for at, p in enumerate(pieces) if at and TYPE.match(p)]
            if places and root not in ("mma", "ldmatrix", "stmatrix"):
                at = chance.choice(places)
                for type in chance.sample(SCALARS, 6):
                    old, new = letter(pieces[at]), letter(type)
                    other = ".".join(pieces[:at] + [type] + pieces[at + 1 :])
                    yield f"{other} {operand}".strip()
                    yield (other + " " + re.sub(rf"(?<![\w%]){old}(?![\w])", new, operand)).strip()
            more = chance.choice(extra)
            at = chance.randrange(1, len(pieces) + 1)
            yield (".".join(pieces[:at]) + more + "".join("." + p for p in pieces[at:]) + " " + operand).strip()
            if len(pieces) > 2:
                at = chance.randrange(1, len(pieces))
                yield (".".join(pieces[:at] + pieces[at + 1 :]) + " " + operand).strip()
                a, b = chance.sample(range(1, len(pieces)), 2)
                pieces[a], pieces[b] = pieces[b], pieces[a]
                yield (".".join(pieces) + " " + operand).strip()


def textures():
    """Forms of textures and surfaces, whose handles are in registers. The operands come from the ISA's text, not from its
    syntax blocks."""
    coordinates = {"1d": 1, "2d": 2, "3d": 4, "a1d": 2, "a2d": 4, "cube": 4, "acube": 4, "2dms": 4, "a2dms": 4}
    offsets = {"1d": 1, "2d": 2, "3d": 4, "a1d": 1, "a2d": 2}
    for shape, count in coordinates.items():
        for result, kind in itertools.product(("u32", "s32", "f32", "f16x2"), ("s32", "f32")):
            size = 2 if result == "f16x2" else 4
            to = brace("f" if result == "f32" else "r", size)
            layer = shape.startswith("a") or shape == "2dms"
            one = "f" if kind == "f32" and not layer else "r"  # a layer is an integer beside the coordinates
            place = brace(one, count)
            head = f".{shape}.v{size}.{result}.{kind}"
            yield f"tex{head} {to}, [l, {place}]"
            yield f"tex{head} {to}|p, [l, {place}]"
            yield f"tex{head} {to}, [l, l, {place}]"
            if shape in offsets:
                yield f"tex{head} {to}, [l, {place}], {brace('r', offsets[shape])}"
            yield f"tex{head} {to}, [l, {place}], f"
            yield f"tex.base{head} {to}, [l, {place}]"
            yield f"tex.level{head} {to}, [l, {place}], {'f' if kind == 'f32' else 'r'}"
            slope = brace("f", 4 if shape in ("3d", "cube", "acube") else 2 if "2d" in shape else 1)
            yield f"tex.grad{head} {to}, [l, {place}], {slope}, {slope}"
    for channel, (shape, count) in itertools.product("rgba", (("2d", 2), ("a2d", 4), ("cube", 4), ("acube", 4))):
        one = brace("r" if shape.startswith("a") else "f", count)
        for result in ("u32", "s32", "f32"):
            to = brace("f" if result == "f32" else "r", 4)
            yield f"tld4.{channel}.{shape}.v4.{result}.f32 {to}, [l, {one}]"
            yield f"tld4.{channel}.{shape}.v4.{result}.f32 {to}, [l, l, {one}]"
            yield f"tld4.{channel}.{shape}.v4.{result}.f32 {to}, [l, {one}], {{r*2}}"
            yield f"tld4.{channel}.{shape}.v4.{result}.f32 {to}, [l, {one}], f"
    for query in ("width height depth channel_data_type channel_order normalized_coords array_size num_mipmap_levels num_samples "
                  "force_unnormalized_coords filter_mode addr_mode_0 addr_mode_1 addr_mode_2 memory_layout").split():
        yield f"txq.{query}.b32 r, [l]"
        yield f"txq.level.{query}.b32 r, [l], r"
        yield f"suq.{query}.b32 r, [l]"
    for shape, beyond in itertools.product(("1d", "2d", "3d", "a1d", "a2d"), (".trap", ".clamp", ".zero", "")):
        place = brace("r", coordinates[shape])
        for vector, type in itertools.product(("", ".v2", ".v4"), ("b8", "b16", "b32", "b64")):
            value = loaded("x" + vector, type)
            yield f"suld.b.{shape}{vector}.{type}{beyond} {value}, [l, {place}]"
            yield f"sust.b.{shape}{vector}.{type}{beyond} [l, {place}], {value}"
        for vector, type in itertools.product(("", ".v2", ".v4"), ("b32", "u32", "s32", "f32")):
            yield f"sust.p.{shape}{vector}.{type}{beyond} [l, {place}], {loaded('x' + vector, type)}"
        for op, type in itertools.product(("add", "min", "max", "and", "or"), ("u32", "s32", "b32", "u64", "s64", "b64")):
            for way in "bp":
                yield f"sured.{way}.{op}.{shape}.{type}{beyond} [l, {place}], {letter(type)}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if sys.argv[1] == "textures":
        print(*dict.fromkeys(textures()), sep="\n")
        return
    known = dict.fromkeys(forms(sys.argv[1]))
    for form in known:
        print(form)
    for form in dict.fromkeys(variants(known)):
        if form not in known:
            print(form)


if __name__ == "__main__":
    main()
