#!/usr/bin/env python3
"""Installs a build tree into a folder, moves the folder, and checks its content: programs that find their samples and
worker, the Python package, man pages, completions, the desktop's files. Usage: install.py BUILD"""
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

problems = []


def expect(what, holds):
    if not holds:
        problems.append(what)


def run(*command, cwd, environment={}):
    done = subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          env={"PATH": "/usr/bin:/bin", "HOME": str(cwd), **environment}, timeout=300)  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def programs(root, scratch):
    lanescope = root / "bin/lanescope"
    status, said = run(lanescope, "run", "samples/kernels/double.py", "--device", "emulator", cwd=scratch)
    expect(f"a sample runs by its name from any folder: {status} {said}", status == 0)
    status, said = run(lanescope, "samples/kernels/none.py", cwd=scratch)
    expect(f"a sample that is not there is an error: {status} {said}", status == 1 and "none.py" in said)
    (scratch / "samples/kernels").mkdir(parents=True)
    (scratch / "samples/kernels/double.py").write_text("print('this folder')\n")
    status, said = run(lanescope, "run", "samples/kernels/double.py", cwd=scratch)
    expect(f"the working directory's own file goes first: {said}", "this folder" in said)
    status, said = run(lanescope, "doctor", cwd=scratch)
    expect(f"doctor finds the worker and the samples: {said}",
           re.search(r"^yes  worker", said, re.M) and str(root / "share/lanescope") in said)
    linked = scratch / "linked"
    linked.symlink_to(lanescope)
    status, said = run(linked, "doctor", cwd=scratch)
    expect(f"a link to the program finds them, too: {said}", str(root / "share/lanescope") in said)


def package(root, scratch):
    folder = root / "lib/python3/dist-packages"
    if not (folder / "lanescope/_native.abi3.so").exists():
        return
    links = [path for path in folder.rglob("*") if path.is_symlink()]
    expect(f"no links into the source tree: {links}", not links)
    program = "import lanescope as ls; print(ls.WGMMA.owners((64, 8), (9, 2)))"
    status, said = run("/usr/bin/python3", "-c", program, cwd=scratch, environment={"PYTHONPATH": str(folder)})
    expect(f"the package is imported: {said}", status == 0 and "lane" in said)


def manual(root, scratch):
    commands = re.findall(r"^  (\w+) {2,}", run(root / "bin/lanescope", "--help", cwd=scratch)[1].split("Subcommands:")[-1], re.M)
    expect(f"the program has commands: {commands}", len(commands) > 10)
    pages = root / "share/man/man1"
    for name in ["lanescope", "lanescope-worker", *(f"lanescope-{command}" for command in commands)]:
        path = pages / f"{name}.1.gz"
        if not path.exists():
            problems.append(f"there is no page for {name}")
            continue
        text = gzip.decompress(path.read_bytes()).decode()
        expect(f"{name}: it has a name and a description", f"\n{name}".replace("-", "\\-") in text and ".SH " in text)
        if shutil.which("mandoc"):
            found = subprocess.run(["mandoc", "-Tlint", "-Wwarning"], input=text, capture_output=True, text=True).stdout
            found = [line for line in found.splitlines() if "missing date" not in line]
            expect(f"{name}: mandoc says {found[:3]}", not found)
    text = gzip.decompress((pages / "lanescope-show.1.gz").read_bytes()).decode()
    expect("options are in the page with their choices and defaults",
           "\\fB\\-\\-theme\\fR \\fIlight|dark\\fR" in text and "(default: light)" in text)


def completions(root):
    bash = root / "share/bash-completion/completions/lanescope"

    def complete(*words):
        script = (f'source "{bash}"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _lanescope; printf "%s\\n" "${{COMPREPLY[@]}}"')
        done = subprocess.run(["bash", "-c", script, "bash", *words], capture_output=True, text=True, cwd="/")
        expect(f"bash completes {words} quietly: {done.stderr}", not done.stderr)
        return done.stdout.split()

    expect("bash completes commands", "compile" in complete("lanescope", "com"))
    expect("bash completes options", complete("lanescope", "show", "--col") == ["--color", "--colour-by"])
    expect("bash completes choices", complete("lanescope", "run", "--device", "em") == ["emulator"])
    for shell, path, check in (("zsh", "share/zsh/vendor-completions/_lanescope", ["-n"]),
                               ("fish", "share/fish/vendor_completions.d/lanescope.fish", ["--no-execute"])):  # fmt: skip
        text = (root / path).read_text()
        expect(f"{shell} knows options", "theme" in text and "emulator" in text)
        if shutil.which(shell):
            done = subprocess.run([shell, *check, root / path], capture_output=True, text=True)
            expect(f"{shell} reads its completions: {done.stderr}", done.returncode == 0)


def desktop(root):
    for name in ("share/icons/hicolor/scalable/apps/lanescope.svg", "share/mime/packages/lanescope.xml"):
        xml.etree.ElementTree.parse(root / name)
    entry = (root / "share/applications/lanescope.desktop").read_text()
    expect("the desktop's entry starts the window", "Exec=lanescope gui %F" in entry)
    if shutil.which("desktop-file-validate"):
        done = subprocess.run(["desktop-file-validate", root / "share/applications/lanescope.desktop"], capture_output=True, text=True)
        expect(f"the desktop's entry is valid: {done.stdout}", not done.stdout)
    for name in ("kernels/matmul.py", "samples/kernels/double.py"):
        expect(f"{name} is installed", (root / "share/lanescope" / name).is_file())
    for name in ("README.md", "docs/install.md", "NOTICE"):
        expect(f"{name} is installed", (root / "share/doc/lanescope" / name).is_file())
    caches = [path for path in root.rglob("__pycache__") if "dist-packages" not in str(path)]
    expect(f"nothing that Python keeps is installed: {caches}", not caches)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        first, root = pathlib.Path(name) / "first", pathlib.Path(name) / "moved to here"
        subprocess.run(["cmake", "--install", build, "--prefix", first], check=True, stdout=subprocess.DEVNULL)
        desktop(first)
        os.rename(first, root)
        scratch = pathlib.Path(name) / "scratch"
        scratch.mkdir()
        programs(root, scratch)
        package(root, scratch)
        manual(root, scratch)
        completions(root)
    print("\n".join(problems) or "what is installed is whole, and can be moved")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
