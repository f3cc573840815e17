#!/usr/bin/env python3
"""The sample of a CTest suite: it passes, and with a race it fails. Usage: ctest_project.py LANESCOPE REPOSITORY"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

LANESCOPE, REPOSITORY = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()


def main():
    with tempfile.TemporaryDirectory() as temporary:
        project, build = pathlib.Path(temporary, "project"), pathlib.Path(temporary, "build")
        shutil.copytree(REPOSITORY / "samples/ctest", project)
        environment = {**os.environ, "PATH": f"{LANESCOPE.parent}:{os.environ['PATH']}"}

        def run(*words):
            return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=300)

        def suite():
            made = run("cmake", "--build", build)
            assert made.returncode == 0, made
            return run("ctest", "--test-dir", build, "--output-on-failure")

        made = run("cmake", "-S", project, "-B", build)
        assert made.returncode == 0, made
        good = suite()
        assert good.returncode == 0 and "100% tests passed" in good.stdout, good
        source = (project / "sums.cpp").read_text()
        (project / "sums.cpp").write_text(source.replace("red.shared.add.u32 [total], %r2", "st.shared.u32 [total], %r2"))
        bad = suite()
        assert bad.returncode != 0 and "sums.checked (Failed)" in bad.stdout, bad
        assert "error: " in bad.stdout and "st.shared.u32" in bad.stdout and "1 fault" in bad.stdout, bad
    print("ctest: a race fails the suite")


if __name__ == "__main__":
    main()
