#!/usr/bin/env python3
"""Each operation in a .td file has a description with an example, and names the PTX that it becomes (`PTX ISA, …`) or, in
the `tpu` dialect, JAX's function for it (`JAX: …`), or says that there is none. The examples are what the program prints.
Usage: operations.py REPOSITORY [LANESCOPE_OPT]; without the program the examples are not parsed."""
import pathlib
import re
import subprocess
import sys

ROOMS = {"core/gpu/ir": 75, "core/tpu/ir": 40}  # and how many operations there are at least
DIALECTS = {"MosaicGpu": "mosaic_gpu", "Lanescope": "lanescope", "Tpu": "tpu"}
OPERATION = re.compile(r'^def (\w+?)_(\w+)\s*:\s*\w*Op<"(\w+)".*?^\}', re.M | re.S)
DESCRIPTION = re.compile(r"let description = \[\{\n(.*?)\n  \}\];", re.S)
EXAMPLE = re.compile(r"```mlir\n(.*?)```", re.S)
PTX = (r"PTX ISA, [`\"]", r"has no PTX of its own\b", "section of the PTX ISA (`PTX ISA, `)")
JAX = (r"JAX: `", r"JAX has no function for it\b", "function of JAX's (`JAX: `)")
VALUE = re.compile(r"%[\w$.-]+")
# Attributes of the function around an example. Operations of a SparseCore verify their function's core.
FUNCTION = {"tpu": " attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>}"}
SPLIT = "// -----"


def operations_of(root):
    """[(file, dialect.operation, the text of its entry)]"""
    out = []
    for room, least in ROOMS.items():
        found = [(path.relative_to(root), f"{DIALECTS[entry[1]]}.{entry[3]}", entry[0])
                 for path in sorted((root / room).glob("*.td")) for entry in OPERATION.finditer(path.read_text())]
        if len(found) < least:
            sys.exit(f"operations.py: found only {len(found)} operations in {room}")
        out += found
    return out


def problems_of(name, entry):
    text = DESCRIPTION.search(entry)
    if not text:
        return [f"`{name}` has no description"]
    out = [] if any(name in example for example in EXAMPLE.findall(text[1])) else [f"`{name}` has no example"]
    section, none, what = JAX if name.startswith("tpu.") else PTX
    flowed = " ".join(text[1].split())
    if not re.search(section, flowed) and not re.search(none, flowed):
        out.append(f"`{name}` names no {what}, and does not say \"{none[:-2]}\"")
    return out


def inputs_of(example):
    """The names that an example uses and does not define."""
    defined, used = set(), []
    for line in example.split("\n"):
        left, equals, right = line.partition(" = ")
        results = VALUE.findall(left) if equals and left.lstrip().startswith("%") else []
        uses = right if results else line
        if line.lstrip().startswith("^"):
            results, uses = VALUE.findall(line), ""
        used += [name for name in VALUE.findall(uses) if name not in defined and name not in used]
        defined |= set(results)
    return used


def parsed(program, examples):
    """What the program prints for each example, or its errors. Inputs are arguments of a function; `none` is their type until the
    program has said which type it expects."""
    types = [{name: "none" for name in inputs_of(example)} for _, example in examples]
    for _ in range(1 + max(len(known) for known in types)):
        chunks, lines = [], [0]
        for (name, example), known in zip(examples, types):
            head = f"func.func @example({', '.join(f'{value}: {type}' for value, type in known.items())})"
            chunks.append(f"{head}{FUNCTION.get(name.split('.')[0], '')} {{\n{example}return\n}}\n")
            lines.append(lines[-1] + chunks[-1].count("\n") + 1)
        result = subprocess.run([program, "--split-input-file", "-"], input=f"{SPLIT}\n".join(chunks), capture_output=True, text=True, timeout=300)
        errors = [[] for _ in examples]
        learned = False
        for line, message in re.findall(r"^[^\n:]*:(\d+):\d+: error: (.*)$", result.stderr, re.M):
            place = max(i for i in range(len(examples)) if lines[i] < int(line))
            wanted = re.search(r"use of value '(%[\w$.-]+)' expects different type than prior uses: '(.*)' vs 'none'", message)
            if wanted and types[place].get(wanted[1]) == "none":
                types[place][wanted[1]] = wanted[2]
                learned = True
            errors[place].append(message)
        if not learned:
            return result.stdout.split(SPLIT), errors
    sys.exit("operations.py: the types of an example's inputs are not found")


def body_of(printed):
    """The statements of the one function, as they are printed."""
    begin = re.search(r"func\.func @example\(.*\{\n", printed)
    return printed[begin.end():printed.rindex("return\n")] if begin else printed


def same_form(printed, example):
    """True but for white space, comments and the names of values."""
    def form(text):
        names = {}
        text = re.sub(r"//.*", "", text)
        return re.sub(r"\s+", "", VALUE.sub(lambda name: names.setdefault(name[0], f"%{len(names)}"), text))
    return form(printed) == form(example)


def main():
    root = pathlib.Path(sys.argv[1])
    operations = operations_of(root)
    problems = [f"{path}: {problem}" for path, name, entry in operations for problem in problems_of(name, entry)]
    examples = [(name, example) for _, name, entry in operations for text in DESCRIPTION.findall(entry) for example in EXAMPLE.findall(text)]
    if len(sys.argv) > 2:
        outputs, errors = parsed(sys.argv[2], examples)
        problems += [f"the example of `{name}`: {error}" for (name, _), own in zip(examples, errors) for error in own]
        if not problems:
            problems += [f"the example of `{name}` is printed differently:\n{body_of(printed)}"
                         for (name, example), printed in zip(examples, outputs, strict=True) if not same_form(body_of(printed), example)]
    print("\n".join(problems) or f"{len(operations)} operations with a description, an example and where they lead")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
