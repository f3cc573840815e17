#!/usr/bin/env python3
"""Checks that no two types have the same name in the same namespace, because the linker would keep the functions of one
for both (C++'s one-definition rule). Usage: one_definition.py REPOSITORY"""
import collections
import pathlib
import re
import sys

NOISE = re.compile(r'R"(\w*)\(.*?\)\1"|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S)
TOKEN = re.compile(r"\bnamespace\s*([\w:]*)\s*\{|"
                   r"^(?:template\s*<[^;{]*?>\s*)?(?:struct|class)\s+(?:alignas\(\w+\)\s*)?([A-Z]\w*)(?:\s+final)?\s*(?::[^:{;][^{;]*)?\{|"
                   r"\{|\}", re.M)


def types(text):
    """The full names of types at the level of named namespaces."""
    names = []  # the names of the enclosing blocks; None for a block that is no named namespace
    for token in TOKEN.finditer(NOISE.sub(" ", text)):
        if token[0].startswith("namespace"):
            names.append(token[1] or None)
        elif token[0] == "}":
            if names:
                names.pop()
        else:
            if token[2] and None not in names:
                yield "::".join([*names, token[2]])
            names.append(None)


def main():
    root = pathlib.Path(sys.argv[1])
    places = collections.defaultdict(set)
    for folder in ("layouts", "core", "viz", "repl", "app"):
        for path in (root / folder).rglob("*"):
            if path.suffix in (".h", ".cpp"):
                for name in types(path.read_text()):
                    places[name].add(str(path.relative_to(root)))
    double = {name: sorted(files) for name, files in sorted(places.items()) if len(files) > 1}
    for name, files in double.items():
        print(f"{name} is defined in {' and '.join(files)}")
    print(f"{len(places)} types, {len(double)} of them defined twice")
    return 1 if double or not places else 0


sys.exit(main())
