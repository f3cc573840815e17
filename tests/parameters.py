#!/usr/bin/env python3
"""Checks that no function takes more than MOST parameters: a longer list becomes a struct whose members have names. At
most one of them is a `bool`: a call with two says nothing about which is which, so they become enums or such a struct.
Usage: parameters.py REPOSITORY [--list NUMBER]: lists the functions with more than NUMBER."""
import pathlib
import re
import sys

MOST = 7
MOST_FLAGS = 1
# Folders with functions of CUDA's interfaces, whose parameters CUDA fixes.
FIXED = {
    "core/gpu/driver/api",      # CUDA's driver interface
    "core/gpu/driver/runtime",  # CUDA's runtime interface
    "core/gpu/record/library",  # the same, for the recorder
}
NOISE = re.compile(r'R"(\w*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])\'|'
                   r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.S | re.M)
SCOPE = re.compile(r"(?:^|[\s>])(?:namespace|class|struct|union)\b[^()=]*$|\benum\b|^\s*extern\s*$")
PREFIX = re.compile(r"\s*(?:\[\[.*?\]\]|public\s*:|private\s*:|protected\s*:|alignas\([^)]*\)|explicit\([^)]*\))", re.S)
NAME = re.compile(r"(operator\s*(?:\(\s*\)|\[\s*\]|[^\s(]+)|~?[A-Za-z_][\w:]*)\s*$")
FLAG = re.compile(r"\s*(?:const\s+)?bool\b(?!\s*[*&])")
PAIRS = {"(": ")", "[": "]", "{": "}"}


def balanced(text, start):
    """The end of the bracket at `start`."""
    depth = 0
    for at in range(start, len(text)):
        if text[at] in "([{":
            depth += 1
        elif text[at] in ")]}":
            depth -= 1
            if depth == 0:
                return at
    return len(text)


def afterTemplate(text):
    """The text behind `template <…>`."""
    text = text.lstrip()
    while re.match(r"template\s*<", text):
        depth, at = 0, text.index("<")
        for at in range(at, len(text)):
            depth += (text[at] == "<") - (text[at] == ">" and text[at - 1] != "-")
            if depth == 0:
                break
        text = text[at + 1:].lstrip()
        if text.startswith("requires"):
            text = text[len("requires"):]
    return text


def split(parameters):
    """The parameters in a list without its parentheses."""
    depth, begin, parts = 0, 0, []
    for at, sign in enumerate(parameters):
        if sign in "([{" or sign == "<":
            depth += 1
        elif sign in ")]}" or (sign == ">" and parameters[at - 1:at] != "-"):
            depth -= 1
        elif sign == "," and depth == 0:
            parts.append(parameters[begin:at])
            begin = at + 1
    return parts + [parameters[begin:]] if parameters.strip() not in ("", "void") else []


def function(statement):
    """The name and the parameters, if the statement declares a function."""
    text = statement
    while match := PREFIX.match(text):
        text = text[match.end():]
    text = afterTemplate(text)
    if "(" not in text:
        return None
    at = text.index("(")
    while text[:at].endswith(("decltype", "requires", "noexcept")):  # in a result's type
        at = text.find("(", balanced(text, at))
        if at < 0:
            return None
    if re.search(r"operator\s*$", text[:at]):  # operator()
        at = text.find("(", balanced(text, at))
    before = text[:at]
    name = NAME.search(before)
    if at < 0 or not name or "=" in before.replace("operator==", "").replace("operator=", "") or "using " in before:
        return None
    return name[1], split(text[at + 1:balanced(text, at)])


def functions(text):
    """The functions that a source declares or defines: line, name, parameters."""
    text = NOISE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    at, begin = 0, 0
    while at < len(text):
        sign = text[at]
        if sign in "([":
            at = balanced(text, at)
        elif sign in "{;}":
            statement = text[begin:at]
            found = function(statement) if sign != "}" else None
            if found:
                yield text.count("\n", 0, begin + len(statement) - len(statement.lstrip())) + 1, *found
            if sign == "{" and (found or not SCOPE.search(statement)):
                at = balanced(text, at)  # a function's body, or a value
                if not found:
                    at += 1
                    continue  # the statement goes on: `int x{1}, f(…)`
            begin = at + 1
        at += 1


def main():
    root = pathlib.Path(sys.argv[1])
    most = int(sys.argv[sys.argv.index("--list") + 1]) if "--list" in sys.argv else MOST
    failures = []
    seen = 0
    for folder in ("layouts", "core", "viz", "repl", "app"):
        for path in sorted((root / folder).rglob("*")):
            name = path.relative_to(root).as_posix()
            if path.suffix not in (".h", ".cpp") or name.rsplit("/", 1)[0] in FIXED:
                continue
            for line, function, parameters in functions(path.read_text()):
                seen += 1
                if len(parameters) > most:
                    failures.append(f"{name}:{line}: {function} has {len(parameters)} parameters, more than {most}")
                flags = sum(bool(FLAG.match(parameter)) for parameter in parameters)
                if flags > MOST_FLAGS:
                    failures.append(f"{name}:{line}: {function} has {flags} parameters that are bool, more than {MOST_FLAGS}")
    for failure in failures:
        print(failure)
    if not failures:
        print(f"{seen} functions have at most {most} parameters, {MOST_FLAGS} of them a bool")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
