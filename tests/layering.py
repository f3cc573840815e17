#!/usr/bin/env python3
"""Checks the includes. Usage: layering.py REPOSITORY

1. A top-level folder includes only folders to its left in layouts < core < viz < repl < app.
2. A room is a folder that holds sources. Within each top-level folder, ROOMS lists the rooms, lowest first. A room
   includes only rooms before it. A room that ROOMS does not name has the position of the nearest folder above it.
3. There is no cycle between rooms.
4. A place includes only the libraries that it allows: only the standard library in layouts/, a compiler only in the
   GPU's compiler, Python in one header.
5. Each room has a README that fits on a screen; the programs of app/ share one.
6. The README names each source of its room, or has a pattern with `*` for it; so does that of the room above.
7. No two sources have one name, apart from each program's main.cpp."""
import fnmatch
import pathlib
import re
import sys

ORDER = ["layouts", "core", "viz", "repl", "app"]
ROOMS = [
    "layouts/support", "layouts",
    "core/data", "core", "core/order", "core/profiler",
    "core/gpu/kernel",
    "core/gpu/emulator/ptx", "core/gpu/emulator/numbers", "core/gpu/emulator/tensor", "core/gpu/emulator/machine",
    "core/gpu/emulator/check", "core/gpu/emulator/record", "core/gpu/emulator/memory", "core/gpu/emulator/sync",
    "core/gpu/emulator/async", "core/gpu/emulator/decode", "core/gpu/emulator/instructions",
    "core/gpu/emulator/schedule", "core/gpu/emulator/conflicts", "core/gpu/emulator/coverage", "core/gpu/emulator/costs",
    "core/gpu/emulator", "core/gpu/emulator/replay", "core/gpu/emulator/parts", "core/gpu/emulator/debug",
    "core/gpu/runtime", "core/gpu/driver", "core/gpu/driver/api", "core/gpu/driver/runtime", "core/gpu/record", "core/gpu/record/library",
    "core/tpu/kernel", "core/tpu/program", "core/tpu/emulator",
    "core/gpu/ir", "core/gpu/inference", "core/gpu/build", "core/gpu/lowering", "core/gpu/codegen",
    "core/gpu/dumps",
    "core/tpu/ir", "core/tpu/decode", "core/tpu/build",
    "viz/scene", "viz/export", "viz/host", "viz/gui", "viz/web",
    "repl/lang", "repl/explain", "repl/layouts", "repl/kernel", "repl/debug", "repl/program", "repl/files", "repl/dumps",
    "repl/session", "repl/terminal", "repl/check", "repl/workbench", "repl/web", "repl/lsp",
    "repl/python",
    "app",
]
COMPILER_ROOMS = ["core/ir", "core/build", "core/gpu/ir", "core/gpu/inference", "core/gpu/build", "core/gpu/lowering",
                  "core/gpu/codegen", "core/gpu/dumps", "core/tpu/ir", "core/tpu/decode", "core/tpu/build"]
# The language and the program's main files may use the compiler's rooms, but may include no compiler header themselves.
COMPILER_FREE = ["layouts", "core", "viz", "repl/lang", "repl/explain", "repl/layouts"]
PYTHON_HEADER = "repl/python/native/PythonApi.h"
WIDTHS = ("layouts/support/TerminalWidth.cpp", "utf8proc.h")  # Unicode's table of widths
COMPILER = re.compile(r"(mlir|llvm|llvm-c)/")
# Words that belong to one target, and may not occur in a room for all targets.
NEUTRAL = ["core", "core/data", "core/order", "core/profiler"]
ONE_TARGET = re.compile(r"\b(sm_\d+a?|archMajor|PTX|TMA|wgmma|tcgen05|227 ?\*|132|SMs?|clusters?)\b")
SCREEN = 60  # lines
# Standard headers have neither a slash nor a dot.
STANDARD = re.compile(r"^[a-z0-9_]+$")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')


def inside(name, folders):
    return any(name == folder or name.startswith(folder + "/") for folder in folders)


def place(room):
    """The index in ROOMS of the longest name with which the room begins."""
    known = [folder for folder in ROOMS if inside(room, [folder])]
    return ROOMS.index(max(known, key=len)) if known else None


def sources(root):
    for folder in ORDER:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".cpp", ".inc"):
                yield path.relative_to(root).as_posix(), path.read_text().splitlines()


def includes(lines):
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1)


def problems(files):
    edges = {}  # room -> room -> the first include of it
    for name, lines in files:
        top, room = name.split("/")[0], name.rsplit("/", 1)[0]
        for number, header in includes(lines):
            where = f"{name}:{number}"
            if header == "Python.h" and name != PYTHON_HEADER:
                yield f"{where}: Python.h is included by {PYTHON_HEADER} alone, which asks for its stable interface"
            if COMPILER.match(header) and inside(name, COMPILER_FREE) and not inside(name, COMPILER_ROOMS):
                yield f"{where}: no compiler header here: {header}"
            if top == "layouts" and not header.startswith("layouts/") and not STANDARD.match(header) and (name, header) != WIDTHS:
                yield f"{where}: layouts/ uses the standard library alone, and {WIDTHS[0]} uses {WIDTHS[1]}: {header}"
            other = header.split("/")[0]
            if other not in ORDER or "/" not in header:
                continue
            if ORDER.index(other) > ORDER.index(top):
                yield f"{where}: {top}/ may not include {header}"
            used = header.rsplit("/", 1)[0]
            if used == room:
                continue
            edges.setdefault(room, {}).setdefault(used, where)
            if other == top and place(used) is not None and place(room) is not None and place(used) > place(room):
                yield f"{where}: {room}/ comes before {used}/ and may not include {header}"
        if room in NEUTRAL:
            for number, line in enumerate(lines, 1):
                word = ONE_TARGET.search(line)
                if word:
                    yield f"{name}:{number}: `{word.group()}` is of one target, and {room}/ is for all"
    yield from circles(edges)


def without_words(root, files):
    for room in sorted({name.rsplit("/", 1)[0] for name, _ in files if not inside(name, ["app"])}):
        text = root / room / "README.md"
        if not text.is_file():
            yield f"{room} has no README.md: what lives here, and where the next one of its kind goes"
        elif (lines := len(text.read_text().splitlines())) > SCREEN:
            yield f"{room}/README.md has {lines} lines; a screen has {SCREEN}"


def unnamed(root, files):
    """Sources that neither their room's README nor that of the room above names."""
    for name, _ in files:
        room, file = name.rsplit("/", 1)
        texts = [folder / "README.md" for folder in ((root / room), (root / room).parent) if (folder / "README.md").is_file()]
        words = set(re.findall(r"[\w*]+", " ".join(text.read_text() for text in texts)))
        stem = file.rsplit(".", 1)[0]
        if stem not in words and not any("*" in word and len(word) > 3 and fnmatch.fnmatch(stem, word) for word in words):
            yield f"{name} is not named in {room}/README.md: say what it holds, or which pattern covers it"


def namesakes(files):
    first = {}
    for name, _ in files:
        file = name.rsplit("/", 1)[1]
        if first.setdefault(file, name) != name and file != "main.cpp":
            yield f"{name} has the name of {first[file]}: give it one that says what is in it"


def circles(edges):
    """One line for each cycle, with its shortest path. Found by a search from each room."""
    told = set()
    for start in sorted(edges):
        ways, queue = {start: None}, [start]
        while queue:
            room = queue.pop(0)
            for used in sorted(edges.get(room, {})):
                if used == start:
                    path = [room]
                    while ways[path[-1]] is not None:
                        path.append(ways[path[-1]])
                    path.reverse()
                    if frozenset(path) not in told:
                        told.add(frozenset(path))
                        steps = [f"{a} -> {b} ({edges[a][b]})" for a, b in zip(path, path[1:] + [start])]
                        yield "a circle of rooms: " + ", ".join(steps)
                    queue = []
                    break
                if used not in ways:
                    ways[used] = room
                    queue.append(used)


def main():
    root = pathlib.Path(sys.argv[1])
    files = list(sources(root))
    found = [*problems(files), *without_words(root, files), *unnamed(root, files), *namesakes(files)]
    print("\n".join(found) or "folders and rooms include only what they may")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
