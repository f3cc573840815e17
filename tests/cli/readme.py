#!/usr/bin/env python3
"""Runs every command of the README's and docs' shell blocks (```sh) in a scratch folder with the samples beside it.
Lines that start with `./dev` are left out, because they run this test. Pictures that commands write below docs/images
must equal those of the repository. Usage: readme.py BIN_DIR REPOSITORY [FILE.md…] [--update]; without files, the README
and all of docs/; --update keeps the new pictures."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```sh\n(.*?)^```", re.S | re.M)


def commands(path):
    for block in BLOCK.findall(path.read_text()):
        for line in block.splitlines():
            line = re.split(r"\s#\s", line)[0].strip()
            if line and not line.startswith(("./dev", "git clone", "cd ", "tests/gpu")):
                yield line


def main():
    bin_dir, repository = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    update, passed, failed = "--update" in sys.argv, 0, 0
    files = [repository / name for name in sys.argv[3:] if name != "--update"]
    files = files or [repository / "README.md", *sorted(repository.glob("docs/*.md"))]
    with tempfile.TemporaryDirectory() as folder:
        for name in ("samples", "kernels", "tests"):
            (pathlib.Path(folder) / name).symlink_to(repository / name)
        images = repository / "docs/images"
        for path in [images, *images.rglob("*")]:
            if path.is_dir():
                (pathlib.Path(folder) / path.relative_to(repository)).mkdir(parents=True, exist_ok=True)
        environment = dict(os.environ, PATH=f"{bin_dir}:/usr/bin:{os.environ['PATH']}", HOME=folder)
        for file in files:
            for command in commands(file):
                text = command
                if re.search(r"\blanescope gui\b", text):
                    text = f"{repository}/tests/display.py " + re.sub(r"^xvfb-run .*?(?=lanescope gui)", "", text)
                result = subprocess.run(["bash", "-c", text], cwd=folder, env=environment, capture_output=True, text=True,
                                        stdin=subprocess.DEVNULL, timeout=180)
                # 3: this machine lacks a GPU or an assembler, and the program says so.
                if result.returncode in (0, 3) and (result.stdout.strip() or result.returncode == 3 or "-o " in text or "screenshot" in text):
                    passed += 1
                else:
                    failed += 1
                    print(f"FAILED ({result.returncode}) {file.name}: {command}\n{result.stdout[-800:]}{result.stderr[-800:]}")
        for picture in sorted((pathlib.Path(folder) / "docs/images").rglob("*.svg")):
            kept = repository / picture.relative_to(folder)
            if update:
                shutil.copyfile(picture, kept)
            elif not kept.exists() or kept.read_bytes() != picture.read_bytes():
                failed += 1
                print(f"FAILED: {kept.relative_to(repository)} is not what its command draws; --update keeps the new one")
    print(f"commands: {passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


sys.exit(main())
