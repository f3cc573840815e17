#!/usr/bin/env python3
"""Makes the source by which a program calls shared libraries that it loads at the first call, and the linker's options.

    late.py NM OUT.cpp OUT.options LIBRARY… -- OBJECT…

LIBRARY… are the shared libraries, OBJECT… the program's objects and archives. For each function that the objects call and
that only a library defines, OUT.cpp has a function of that name. It jumps to an address of a table, which LateParts.cpp
fills at the first call. OUT.options makes the program export what the libraries use of it. An object may use functions
of a library alone: a variable or virtual table is an error.
The code is of the x86-64 psABI: an argument is in rdi, rsi, rdx, rcx, r8, r9, r10, rax or xmm0 to xmm7, or on the stack."""
import pathlib
import subprocess
import sys

FUNCTIONS = {"T", "W", "i"}
OURS = "lanescope"
REGISTERS = ("rax", "rdi", "rsi", "rdx", "rcx", "r8", "r9", "r10")
VECTORS = range(8)


def symbols(nm, options, files):
    """The kinds of the files' symbols, by name."""
    lines = subprocess.run([nm, *options, *files], capture_output=True, text=True, check=True).stdout.splitlines()
    rows = [line.split()[-2:] for line in lines if len(line.split()) in (2, 3) and not line.endswith(":")]
    return {name.partition("@")[0]: kind for kind, name in rows}


def function(number, name):
    """A function that jumps to address `number`, and the code to which that address points at first."""
    return f"""
    .globl {name}
    .type {name}, @function
{name}:
    endbr64
    jmp *8*{number}+lanescope_late_addresses(%rip)
    .size {name}, .-{name}
.Lfirst{number}:
    push ${number}
    jmp .Lload"""


def source(libraries, functions):
    """The C++ source. `functions`: the names, each with the number of its library."""
    moves = [("mov", f"%{register}", f"{8 * place}(%rsp)") for place, register in enumerate(REGISTERS)]
    moves += [("movups", f"%xmm{n}", f"{8 * len(REGISTERS) + 16 * n}(%rsp)") for n in VECTORS]
    return f"""// Made by app/late/late.py.

extern "C" const char *const lanescope_late_libraries[] = {{{", ".join(f'"{library}"' for library in libraries)}}};
extern "C" const char *const lanescope_late_names[] = {{
{chr(10).join(f'    "{name}",' for name, _ in functions)}
}};
extern "C" const unsigned char lanescope_late_places[] = {{{", ".join(str(library) for _, library in functions)}}};
extern "C" const unsigned long lanescope_late_count = {len(functions)};

__asm__(R"(
    .text{"".join(function(number, name) for number, (name, _) in enumerate(functions))}
.Lload: # the function's number is on the stack, and above it the address to which the function returns
    .cfi_startproc
    .cfi_def_cfa_offset 16
    push %rbp
    .cfi_def_cfa_offset 24
    .cfi_offset %rbp, -24
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    sub ${8 * len(REGISTERS) + 16 * len(VECTORS)}, %rsp
    and $-16, %rsp
{chr(10).join(f"    {move} {register}, {place}" for move, register, place in moves)}
    mov 8(%rbp), %rdi
    call lanescope_late_function
    mov %rax, %r11
{chr(10).join(f"    {move} {place}, {register}" for move, register, place in moves)}
    leave
    .cfi_def_cfa %rsp, 16
    add $8, %rsp
    .cfi_def_cfa_offset 8
    jmp *%r11
    .cfi_endproc
    .data
    .globl lanescope_late_addresses
    .p2align 3
lanescope_late_addresses:
{chr(10).join(f"    .quad .Lfirst{number}" for number in range(len(functions)))}
    .text
)");
"""


def main():
    nm, made, options, *files = sys.argv[1:]
    split = files.index("--")
    libraries, objects = files[:split], files[split + 1 :]
    wanted = symbols(nm, ["--undefined-only"], objects)
    present = symbols(nm, ["--defined-only"], objects)
    offered = [symbols(nm, ["--dynamic", "--defined-only"], [library]) for library in libraries]
    needed = [symbols(nm, ["--dynamic", "--undefined-only"], [library]) for library in libraries]
    wanted = (set(wanted) | {name for names in needed for name in names}) - set(present)
    functions = [(name, number) for number, names in enumerate(offered) for name in sorted(wanted & set(names)) if OURS in name]
    if variables := [name for name, number in functions if offered[number][name] not in FUNCTIONS]:
        sys.exit("late.py: the program uses variables of a library that it loads later: " + " ".join(variables))
    exports = sorted(name for names in needed for name in names if name in present or (name, 0) in functions or (name, 1) in functions)
    pathlib.Path(made).write_text(source([pathlib.Path(library).name for library in libraries], functions))
    lines = [f"-Wl,--undefined={name},--export-dynamic-symbol={name}" for name in exports if OURS in name]
    pathlib.Path(options).write_text("\n".join(lines) + "\n")


main()
