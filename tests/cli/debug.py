#!/usr/bin/env python3
"""Compares the sessions of docs/debugger.md with the debugger's output. A block that begins with `$ lanescope debug …`
runs in a folder with the samples and the files of the earlier blocks, each named in its first line (`# sums.py`).
Usage: debug.py BIN_DIR REPOSITORY [--update]; --update rewrites the answers."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.S | re.M)
PROMPT = "(debug) "


def run(words, commands, folder, bin_dir):
    environment = dict(os.environ, PATH=f"{bin_dir}:{os.environ['PATH']}", HOME=folder)
    return subprocess.run(words + ["--commands", "-"], input=commands, cwd=folder, env=environment, capture_output=True,
                          text=True, timeout=120)


def answer(block, folder, bin_dir):
    first, _, rest = block.partition("\n")
    commands = "".join(line + "\n" for line in rest.splitlines() if line.startswith(PROMPT))
    result = run(first.removeprefix("$ ").split(), commands, folder, bin_dir)
    if result.returncode not in (0, 1) or PROMPT not in result.stdout:
        sys.exit(f"debug.py: {first}: exit status {result.returncode}\n{result.stdout}{result.stderr}")
    return f"{first}\n{result.stdout[result.stdout.find(PROMPT):]}"


def refusals(folder, bin_dir):
    """The command's answers to files and arguments that it refuses: (words, exit status, the words of the message)."""
    pathlib.Path(folder, "plain.py").write_text("x = 1\n")
    pathlib.Path(folder, "broken.py").write_text("x = (\n")
    cases = [
        (["missing.py"], 1, "missing.py"),
        (["plain.py"], 1, "nothing to debug"),
        (["broken.py"], 1, "never closed"),
        (["sums.py", "--kernel", "other"], 1, "no kernel `other`"),
        (["samples/traces/mosaic_matmul.json.gz"], 1, "a trace"),
    ]
    for words, status, named in cases:
        result = run(["lanescope", "debug", *words], "", folder, bin_dir)
        if result.returncode != status or named not in result.stderr:
            yield f"debug {' '.join(words)}: exit status {result.returncode}, {result.stderr!r}"
    result = run(["lanescope", "debug", "sums.py"], "nonsense\nwhere\n", folder, bin_dir)
    if result.returncode != 1 or "no command `nonsense`" not in result.stdout or "(debug) where\n" not in result.stdout:
        yield f"a command that there is not: exit status {result.returncode}, {result.stdout!r}"


def main():
    bin_dir, repository = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    path = repository / "docs/debugger.md"
    text, failed, sessions = path.read_text(), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for name in ("samples", "kernels", "tests"):
            (pathlib.Path(folder) / name).symlink_to(repository / name)

        def replace(match):
            nonlocal failed, sessions
            language, block = match.groups()
            named = re.match(r"# (\S+\.(?:py|ptx))\n|// (\S+\.ptx)\n", block)
            if named:
                pathlib.Path(folder, named.group(1) or named.group(2)).write_text(block)
            if language == "json":
                pathlib.Path(folder, "launch.json").write_text(block)
            if not block.startswith("$ lanescope debug"):
                return match.group(0)
            sessions += 1
            now = answer(block, folder, bin_dir)
            if now != block and "--update" not in sys.argv:
                failed += 1
                print(f"FAILED: {block.splitlines()[0]}\n--- docs\n{block}--- now\n{now}")
            return f"```{language}\n{now}```"

        fresh = BLOCK.sub(replace, text)
        for problem in refusals(folder, bin_dir):
            failed += 1
            print("FAILED:", problem)
    if "--update" in sys.argv:
        path.write_text(fresh)
    print(f"debugger: {sessions} sessions, {failed} failures")
    return 1 if failed or not sessions else 0


if __name__ == "__main__":
    sys.exit(main())
