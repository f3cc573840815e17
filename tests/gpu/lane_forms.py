"""Every form of an instruction that `sm_90a` takes and that one lane executes alone, as packages that compare the emulator
with a GPU bit for bit (instructions.py): those that read and write registers, and loads, stores, reductions and atomics
of the lane's own memory.

The forms are those of tests/golden/ptx_forms, and each `cvt` between numbers. Their operands are a lane's input words,
alone and in pairs."""
import gzip
import itertools
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "ptx"))
from statement import TYPES

TARGET, THREADS = "sm_90a", 256
PER_PACKAGE, WORDS = 300, 4  # a form writes at most four words
MEMORY_THREADS, SLOT, MEMORY_WORDS = 64, 8, 16  # a lane's memory in words; that, and at most eight words of results
# Instructions of several lanes, of memory, or without a result. instructions.py has the video instructions, because an
# H200 does other things in some forms than the ISA says.
LEFT_OUT = re.compile(
    r"activemask|bar|barrier|brkpt|cp|createpolicy|cvta|elect|exit|fence|fns|getctarank|griddepcontrol|isspacep|istypep|mapa|match|mbarrier|"
    r"membar|mma|movmatrix|nanosleep|pmevent|redux|ret|setmaxnreg|shfl|stack\w+|suld|sust|tex\w*|trap|v\w+|wgmma|wmma")
OPERAND = re.compile(r"\{([a-z])\*(\d+)\}|(?<![\w.%])([chrlqfdp])(?![\w.])")
# The ISA takes positions and lengths of `bfe` and `bfi` modulo 256; an H200 takes those of 64-bit forms as they are.
NARROW = re.compile(r"(bfe\.[us]64|bfi\.b64) ")


def conversions():
    """The `cvt` of the PTX ISA between integers, f16, bf16, f32 and f64."""
    integers = [sign + bits for sign in "us" for bits in ("8", "16", "32", "64")]
    letter = {"8": "h", "16": "h", "32": "r", "64": "l", "f16": "h", "bf16": "h", "f32": "f", "f64": "d"}
    kinds = {each: letter[each.lstrip("us")] for each in integers} | {each: letter[each] for each in ("f16", "bf16", "f32", "f64")}
    size = {each: int(each.lstrip("usbf")) for each in kinds}
    to_integer, inexact = (".rni", ".rzi", ".rmi", ".rpi"), (".rn", ".rz", ".rm", ".rp")
    for to, source in itertools.product(kinds, kinds):
        whole = (source in integers, to in integers)
        brain = "bf16" in (to, source)
        if brain and 8 in (size[to], size[source]):
            continue
        if whole == (True, True):
            holds = size[to] >= size[source] if to[0] == source[0] else to[0] == "s" and size[to] > size[source]
            roundings, saturates = ("",), not holds
        else:
            saturates = not brain
            widens = ("",) if not brain or source in ("f32", "f64") else ("", *inexact)
            roundings = inexact if whole[0] else to_integer if whole[1] else ("", *to_integer) if to == source else \
                inexact if size[to] < size[source] else widens if size[to] > size[source] else inexact if brain else ("",)
        for rounding, flushes, limits in itertools.product(roundings, ("", ".ftz") if "f32" in (to, source) else ("",), ("", ".sat") if saturates else ("",)):
            yield f"cvt{rounding}{flushes}{limits}.{to}.{source} {kinds[to]}, {kinds[source]}"


def listed():
    """The forms that ptxas takes."""
    bit = 0
    for line in gzip.open(HERE.parent / "golden/ptx_forms/forms.txt.gz", "rt"):
        if line[0] == "#":
            bit = 1 << line.split(": ")[1].split().index(TARGET)
            continue
        targets, form = line.rstrip("\n").split("\t")
        if int(targets, 16) & bit and " " in form:
            yield form


def forms():
    """The forms of registers alone."""
    alone = [form for form in listed() if not set("[%") & set(form) and not LEFT_OUT.fullmatch(form.split()[0].split(".")[0])]
    return list(dict.fromkeys([*alone, *conversions()]))


def memory_forms():
    """Those of global, shared and generic addresses. Left out are what the ISA does not have, although ptxas takes it:
    `atom.and` and `atom.or` with a fourth operand, eight narrow registers (an H200 stores nothing), and their loads with
    `.nc` (at which its driver crashed)."""
    other = re.compile(r"async|\.(param|const|local)\b|%|::entry|::func|\.(and|or)\.b(32|64) \w, \[l\], \w, \w$|\.v8\.[busf](8|16)\b")
    return [form for form in listed() if re.match(r"(atom|red|ld|st)\.", form) and not other.search(form)]


def end_of_results(operands):
    depth = 0
    for at, character in enumerate(operands):
        depth += (character == "{") - (character == "}")
        if character == "," and depth == 0:
            return at
    return len(operands)


class Block:
    """The PTX of one form, on one line."""

    def __init__(self, form, row):
        self.form, self.row = form, row
        self.declared, self.loads, self.registers = [], [], []

    def register(self, letter):
        name, turn = f"%x{len(self.registers)}", (len(self.registers) + self.row) % 3
        word, pair = "%" + "abc"[turn], "%" + "ABC"[turn]
        if NARROW.match(self.form) and letter == "r":
            word = "%small"
        self.declared.append(f".reg .{TYPES[letter]} {name};")
        self.loads.append({"p": f"setp.lt.s32 {name}, {word}, 0;", "h": f"cvt.u16.u32 {name}, {word};", "c": f"cvt.u8.u32 {name}, {word};",
                           "q": f"mov.b128 {name}, {{{pair}, %A}};"}.get(letter, f"mov.b{64 if letter in 'ld' else 32} {name}, {pair if letter in 'ld' else word};"))
        self.registers.append((letter, name))
        return name

    def fill(self, operands):
        def replace(match):
            return "{" + ", ".join(self.register(match.group(1)) for _ in range(int(match.group(2)))) + "}" if match.group(1) else self.register(match.group(3))
        return OPERAND.sub(replace, operands)

    def stores(self, written, place):
        """Stores of the registers, and the number of words. `place(word)` is an address."""
        out, word = [], 0
        for letter, name in written:
            narrow = {"p": f"selp.u32 %r, 1, 2, {name};", "h": f"cvt.u32.u16 %r, {name};", "c": f"cvt.u32.u16 %r, {name};"}
            if letter in narrow:
                out.append(f"{narrow[letter]} st.global.b32 {place(word)}, %r;")
            elif letter == "q":
                out.append(f"mov.b128 {{%d, %e}}, {name}; st.global.b64 {place(word)}, %d; st.global.b64 {place(word + 2)}, %e;")
            else:
                out.append(f"st.global.b{64 if letter in 'ld' else 32} {place(word)}, {name};")
            word += 4 if letter == "q" else 2 if letter in "ld" else 1
        return out


def block(form, row):
    operation, _, operands = form.partition(" ")
    one, end = Block(form, row), end_of_results(operands)
    results = one.fill(operands[:end])
    written = list(one.registers)
    rest = one.fill(operands[end:])
    stores = one.stores(written, lambda word: f"[%Q+{4 * (WORDS * THREADS * row + word)}]")
    carry = "add.cc.u32 %r, %a, %b;" if re.match(r"(addc|subc|madc)\b", operation) else ""
    return " ".join(["{", *one.declared, *one.loads, carry, f"{operation} {results}{rest};", *stores, "}"])


def memory_block(form, row):
    """The lane's memory holds its input words before, and is stored after the results."""
    operation, _, operands = form.partition(" ")
    one, end = Block(form, row), end_of_results(operands)
    shared, constant = ".shared" in operation, re.search(r"\.nc\b|^ldu", operation)
    memory = "%S" if shared else "%P" if constant else "%M"
    if operands[:end] == "[l]":
        written, text = [], memory.join(["[", "]"])
    else:
        text = one.fill(operands[:end])
        written = list(one.registers)
    rest = operands[end:].replace("[l]", f"[{memory}]")
    if "cache_hint" in operation:
        rest = rest[:rest.rindex(", l")] + ", %policy"
    text += one.fill(rest)
    at = lambda word: f"[%Q+{4 * (MEMORY_WORDS * MEMORY_THREADS * row + word)}]"
    space = "shared" if shared else "global"
    before = [] if constant else [f"st.{space}.v4.b32 [{memory}], {{%a, %b, %c, %a}}; st.{space}.v4.b32 [{memory}+16], {{%b, %c, %a, %b}};"]
    after = [] if constant else [f"ld.{space}.v4.b32 {{%w0, %w1, %w2, %w3}}, [{memory}+{16 * half}]; st.global.v4.b32 {at(SLOT + 4 * half)}, {{%w0, %w1, %w2, %w3}};" for half in (0, 1)]
    return " ".join(["{", *one.declared, *before, *one.loads, f"{operation} {text};", *one.stores(written, at), *after, "}"])


def kernel(some):
    return f""".version 8.7
.target {TARGET}
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{{
.reg .b32 %a, %b, %c, %r, %me, %small; .reg .b64 %A, %B, %C, %d, %e, %P, %Q, %o;
ld.param.u64 %P, [in]; ld.param.u64 %Q, [out]; mov.u32 %me, %tid.x;
mul.wide.u32 %o, %me, 4; add.u64 %P, %P, %o; mul.wide.u32 %o, %me, {4 * WORDS}; add.u64 %Q, %Q, %o;
ld.global.b32 %a, [%P]; ld.global.b32 %b, [%P+{4 * THREADS}]; ld.global.b32 %c, [%P+{8 * THREADS}]; and.b32 %small, %c, 255;
mov.b64 %A, {{%a, %b}}; mov.b64 %B, {{%b, %c}}; mov.b64 %C, {{%c, %a}};
""" + "\n".join(block(form, row) for row, form in enumerate(some)) + "\nret;\n}\n"


def memory_kernel(some):
    return f""".version 8.7
.target {TARGET}
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 memory, .param .u64 out)
{{
.shared .align 32 .b8 slots[{4 * SLOT * MEMORY_THREADS}];
.reg .b32 %a, %b, %c, %r, %me, %small, %w<4>; .reg .b64 %A, %B, %C, %d, %e, %P, %Q, %M, %S, %o, %policy;
ld.param.u64 %P, [in]; ld.param.u64 %M, [memory]; ld.param.u64 %Q, [out]; mov.u32 %me, %tid.x; mov.u64 %S, slots;
mul.wide.u32 %o, %me, {4 * SLOT}; add.u64 %P, %P, %o; add.u64 %M, %M, %o; add.u64 %S, %S, %o;
mul.wide.u32 %o, %me, {4 * MEMORY_WORDS}; add.u64 %Q, %Q, %o; createpolicy.fractional.L2::evict_last.b64 %policy, 1.0;
ld.global.b32 %a, [%P]; ld.global.b32 %b, [%P+4]; ld.global.b32 %c, [%P+8]; and.b32 %small, %c, 255;
mov.b64 %A, {{%a, %b}}; mov.b64 %B, {{%b, %c}}; mov.b64 %C, {{%c, %a}};
""" + "\n".join(memory_block(form, row) for row, form in enumerate(some)) + "\nret;\n}\n"


def packages(folder, write):
    """Calls `write(name, ptx, threads, words of input and of output of a lane)` for each package. FOLDER gets a list of
    the forms, one file for each."""
    for kind, every, make, threads, words in (("forms", forms(), kernel, THREADS, WORDS), ("memory", memory_forms(), memory_kernel, MEMORY_THREADS, MEMORY_WORDS)):
        for number, at in enumerate(range(0, len(every), PER_PACKAGE)):
            some = every[at:at + PER_PACKAGE]
            write(f"ins_{kind}_{number:02}", make(some), (len(some), threads, words))
            (pathlib.Path(folder) / f"ins_{kind}_{number:02}.txt").write_text("\n".join(some) + "\n")
