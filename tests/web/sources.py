#!/usr/bin/env python3
"""Finds sources of the page's modules that WebAssembly cannot compile, in a second and without the build: they include a
library, or a header of the system, that a module lacks.

    tests/web/sources.py .

It configures the preset `wasm` for the lists of sources, and follows their includes. It compiles and links nothing: a
module that lacks a source, or a function of the standard library, is found by `./dev site` and `./dev test page`. Ends
with 77 if CMake cannot configure the preset here.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

INCLUDE = re.compile(r'\s*#\s*include\s*[<"]([^>"]+)[>"]')
STANDARD = re.compile(r"[a-z0-9_]+$")  # C++: neither a slash nor a dot
# In this library, these are there, and hold nothing. The modules have wasi/Missing.h for <condition_variable>, <mutex> and <thread>.
THREADS = {"future", "shared_mutex", "semaphore", "barrier", "latch", "stop_token"}
OTHERS = {"nlohmann/json.hpp", "nlohmann/json_fwd.hpp", "wasm_simd128.h", "cxxabi.h", "errno.h", "unistd.h"}
failures = []


def lines(path):
    """The lines that a module compiles: those under `#ifdef __wasi__` are, those under its `#else` or `#ifndef` are not."""
    stack = []  # for each open condition: None, or True while its lines are compiled
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.split()
        if words and words[0] in ("#if", "#ifdef", "#ifndef"):
            named = words[-1] == "__wasi__" and words[0] in ("#ifdef", "#ifndef") or words[1:] in (["defined(__wasi__)"], ["!defined(__wasi__)"])
            other = not named and len(words) > 1 and re.search(r"__x86_64__|__linux__|__SSE2__", line)
            stack.append((words[0] == "#ifdef" or words[1:] == ["defined(__wasi__)"]) if named else False if other and words[0] != "#ifndef" else None)
        elif words and words[0] in ("#else", "#elif") and stack and stack[-1] is not None:
            stack[-1] = not stack[-1]
        elif words and words[0] == "#endif" and stack:
            stack.pop()
        elif False not in stack:
            yield number, line


def check(module, sources, root):
    """Follows the includes of a module's sources. Returns how many files there are."""
    seen, queue = set(), list(sources)
    while queue:
        path = queue.pop()
        if path in seen:
            continue
        seen.add(path)
        for number, line in lines(path):
            match = INCLUDE.match(line)
            if not match:
                continue
            name = match[1]
            if (root / name).is_file():
                queue.append(root / name)
            elif name in THREADS or not (STANDARD.match(name) or name in OTHERS):
                failures.append(f"{path.relative_to(root)}:{number}: {module} has no <{name}>")
    return len(seen)


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run(["cmake", "--preset", "wasm", "-B", folder], cwd=root, capture_output=True, text=True)
        listed = sorted(pathlib.Path(folder, "sources").glob("*.txt"))
        if ran.returncode or not listed:
            print(f"sources.py: skipped: CMake does not configure the preset: {ran.stderr.strip()[-300:]}")
            sys.exit(77)
        count = 0
        for path in listed:
            sources = [(root / "viz/web" / name).resolve() for name in path.read_text().split("\n") if name and not name.startswith("$")]
            lost = [source for source in sources if not source.is_file()]
            failures.extend(f"{path.stem} has a source that is not there: {source}" for source in lost)
            count += check(path.stem, [source for source in sources if source.is_file()], root)
    if failures:
        sys.exit("\n".join([*sorted(set(failures)), f"sources.py: {len(set(failures))} includes that the page's modules do not have"]))
    print(f"sources.py: {count} files of {len(listed)} modules include nothing that WebAssembly lacks")


if __name__ == "__main__":
    main()
