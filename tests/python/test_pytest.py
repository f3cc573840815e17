#!/usr/bin/env python3
"""`pytest --lanescope`: kernels of tests are checked. Usage: test_pytest.py REPOSITORY, with the package on PYTHONPATH."""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from lanescope._many import _program

TESTS = '''
import pathlib

import numpy as np
import pytest
import lanescope as ls

RACE = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .b32 %r<4>;
.shared .align 4 .b8 s[128];
mov.u32 %r1, %tid.x;
WRITE
ret;
}
"""
pathlib.Path("race.ptx").write_text(RACE.replace("WRITE", "st.shared.u32 [s], %r1;"))
RACING, CLEAN = ls.ptx("race.ptx"), ls.ptx(RACE.replace("WRITE", ""))

def launch(kernel):
    kernel.launch(1, 64, np.zeros(64, "u4"))

@pytest.fixture
def prepared():
    launch(CLEAN)

def test_clean(prepared):
    launch(CLEAN)

def test_race():
    launch(RACING)

def test_expects_the_race():
    with pytest.raises(ls.Fault):
        launch(RACING)

@ls.kernel(grid=(1,))
def forgets(x: ls.GMEM((128,), ls.f32), out: ls.Out((128,), ls.f32)):
    out = x[...] * 2

def test_hazard():
    forgets(np.ones(128, "f4"))

def test_no_kernel():
    assert 1 + 1 == 2
'''


def reported(folder, results):
    return subprocess.run([_program(), "report", results], cwd=folder, capture_output=True, text=True).stdout


def main():
    if importlib.util.find_spec("pytest") is None:
        print("pytest is not installed")
        return 77
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        (folder / "test_kernels.py").write_text(TESTS)

        def run(*words, status):
            words = [sys.executable, "-P", "-m", "pytest", "-p", "lanescope.pytest_plugin", "-p", "no:cacheprovider", *words]
            ended = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300, env={**os.environ, "COLUMNS": "120"})
            assert ended.returncode == status, ended
            return ended.stdout + ended.stderr

        got = run("--lanescope", "--lanescope-results", "results", status=1)
        assert "4 passed" in got and "1 failed" in got and "FAILED test_kernels.py::test_race" in got, got
        assert "race.ptx:9:1: error: " in got and "test_kernels.py:24" in got, got
        assert "test_kernels.py:41:41: hazard [unwritten-output]" in got, got
        assert "lanescope: 1 fault, 1 hazard, 0 notes in 5 kernel launches of 4 tests; tests caught 1 more fault\n" in got, got

        records = [json.loads(line) for line in (folder / "results/records-1-of-1.jsonl").read_text().splitlines()]
        assert [record["unit"].split("::")[1] for record in records] == ["test_clean", "test_race", "test_expects_the_race", "test_hazard"], records
        race = records[1]["findings"][0]
        assert (race["grade"], race["rule"], race["file"], race["line"]) == ("fault", "race", "race.ptx", 9), race
        report = subprocess.run([_program(), "report", "results"], cwd=folder, capture_output=True, text=True)
        assert report.returncode == 1 and report.stdout.endswith("1 fault, 1 hazard, 0 notes in 4 kernels\n"), report

        if importlib.util.find_spec("xdist"):  # the records of several processes are those of one, in another order
            got = run("-p", "xdist", "-n", "2", "--lanescope", "--lanescope-results", "parallel", status=1)
            assert "4 passed" in got and "1 failed" in got and "FAILED test_kernels.py::test_race" in got, got
            assert "lanescope: 1 fault, 1 hazard, 0 notes in 5 kernel launches of 4 tests; tests caught 1 more fault\n" in got, got
            both = [reported(folder, name) for name in ("results", "parallel")]
            assert both[0] == both[1] and "1 fault, 1 hazard, 0 notes in 4 kernels" in both[0], both

        got = run("--lanescope", "--lanescope-fail-on", "hazard", "-k", "hazard or clean", status=1)
        assert "1 failed, 1 passed" in got and "FAILED test_kernels.py::test_hazard" in got, got
        got = run("-k", "clean", status=0)
        assert "lanescope:" not in got, got
        assert "needs --lanescope" in run("--lanescope-results", "other", status=4)
        (folder / "other").mkdir()
        (folder / "other/records-1-of-1.jsonl").write_text('{"schema": "lanescope.record/1", "unit": "k.ptx"}\n')
        assert "would be lost" in run("--lanescope", "--lanescope-results", "other", status=4)
    print("pytest --lanescope: a race fails its test at its line")
    return 0


if __name__ == "__main__":
    sys.exit(main())
