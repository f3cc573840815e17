#!/usr/bin/env python3
"""Checks that a command writes its output or fails: runs every command with its standard output on a full disk, closed,
or to a reader that has ended. Usage: output.py LANESCOPE REPOSITORY"""
import os
import pathlib
import subprocess
import sys
import tempfile

LAUNCH = '{"entry": "k", "grid": [1, 1, 1], "cluster": [1, 1, 1], "block": [1, 1, 1], "dynamic_smem": 0, "params": []}'
PTX = ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k() {\n  ret;\n}\n"


def main():
    lanescope, root = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    worker = os.path.join(os.path.dirname(lanescope), "lanescope-worker")
    double, trace = root / "samples/kernels/double.py", root / "samples/traces/emulated_matmul.json.gz"
    dump = sorted((root / "tests/golden/jax_dumps").rglob("*.after_layout_inference.txt"))[0]
    problems, count = [], 0
    with tempfile.TemporaryDirectory(prefix="lanescope-output-") as folder:
        folder = pathlib.Path(folder)
        (folder / "k.ptx").write_text(PTX), (folder / "launch.json").write_text(LAUNCH)
        (folder / "a.npy").write_bytes(b"")
        env = {"HOME": str(folder), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        commands = [[lanescope, *words] for words in (
            ["--version"], ["--help"], ["run", "--help"], ["help", "show"], ["eval", "1 + 1"], ["eval", "--json", "element_map(WGMMA, (64, 8))"],
            ["show", "WGMMA", "--shape", "64x8"], ["compile", double, "--emit", "ptx"], ["compile", double, "--emit", "ast"], ["compile", double, "--emit", "ir"],
            ["compile", double, "--emit", "package", "--no-expected", "-o", folder / "p"], ["run", double, "--device", "emulator"], ["check", double, "--format", "json"],
            ["check", double, "--format", "sarif"], ["check", double], ["trace", trace], ["trace", trace, "--summary"], ["trace", trace, "--explain", "--json"],
            ["open", dump], ["open", dump, "--emit", "ir"], ["open", dump.parent], ["emulate", folder / "k.ptx", "--launch", folder / "launch.json"],
            ["debug", double, "--commands", "-"], ["doctor"])]
        commands += [[worker, "--help"], [worker, "--version"], [worker, "run", folder / "p", "--device", "emulator", "-o", folder / "r"]]
        for command in commands:
            name = " ".join(str(word) for word in command[1:4])
            with open("/dev/full", "w") as full:
                done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True, env=env, cwd=folder, timeout=120)
            if done.returncode != 1 or "standard output" not in done.stderr:
                problems.append(f"{name}: status {done.returncode} on a full disk: {done.stderr[-200:]}")
            done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", *command], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=env,
                                  cwd=folder, timeout=120)
            if done.returncode != 1 or "standard output" not in done.stderr:
                problems.append(f"{name}: status {done.returncode} with standard output closed: {done.stderr[-200:]}")
            with open("/dev/null", "w") as null:
                good = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=null, stderr=subprocess.PIPE, text=True, env=env, cwd=folder, timeout=120)
            if good.returncode not in (0, 1) or "standard output" in good.stderr:
                problems.append(f"{name}: status {good.returncode} where all is well: {good.stderr[-200:]}")
            count += 3
        # A large result, which fails before the end, in the middle of a buffer.
        with open("/dev/full", "w") as full:
            done = subprocess.run([lanescope, "eval", "--json", "element_map(WGMMA, (64, 4096))"], stdout=full, stderr=subprocess.PIPE, text=True, env=env)
        if done.returncode != 1:
            problems.append(f"a large result: status {done.returncode}")
        # If standard output is closed, no opened file may get its descriptor.
        target = folder / "out.svg"
        subprocess.run(["sh", "-c", 'exec "$@" >&- 2>&-', "sh", lanescope, "show", "WGMMA", "--shape", "64x8", "-o", target], env=env, cwd=folder)
        if not target.read_text().startswith("<?xml") or not target.read_text().rstrip().endswith("</svg>"):
            problems.append("with standard output closed, other text is in the picture")
        (folder / "full.svg").symlink_to("/dev/full")
        for name, command in (("to -o", [lanescope, "compile", double, "-o", "/dev/full"]), ("a picture", [lanescope, "show", "WGMMA", "-o", "full.svg"]),
                              ("a trace", [lanescope, "run", double, "--device", "emulator", "--trace", "/dev/full"])):
            if subprocess.run(command, capture_output=True, env=env, cwd=folder).returncode != 1:
                problems.append(f"{name}: a failed write is no error")
        (folder / "full.svg").unlink()
        # The language server's answers.
        message = '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}'
        with open("/dev/full", "w") as full:
            done = subprocess.run([lanescope, "lsp"], input=f"Content-Length: {len(message)}\r\n\r\n{message}", stdout=full, stderr=subprocess.PIPE, text=True,
                                  env=env, timeout=120)
        if done.returncode != 1:
            problems.append(f"lsp: status {done.returncode}: {done.stderr[-200:]}")
    print("\n".join(problems) or f"{count} runs: what could not be written was told")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
