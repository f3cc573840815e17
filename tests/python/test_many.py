#!/usr/bin/env python3
"""`lanescope.check_many` over processes and threads. Usage: test_many.py REPOSITORY, with the package on PYTHONPATH."""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import lanescope

REPOSITORY = pathlib.Path(sys.argv[1]).resolve()


PROGRAM = '''
import pathlib

import numpy as np
import lanescope as ls

RACE = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .b32 %r<4>;
.shared .align 4 .b8 s[128];
mov.u32 %r1, %tid.x;
// COMMENT

st.shared.u32 [s], %r1;
ret;
}
"""
for name, comment in (("one.ptx", "lanescope: allow race because any of the numbers will do"), ("two.ptx", "")):
    pathlib.Path(name).write_text(RACE.replace("COMMENT", comment))
    try:
        ls.ptx(name).launch(1, 64, np.zeros(64, "u4"))
    except ls.Fault:
        pass  # it is in the report
'''


class Dying(concurrent.futures.ThreadPoolExecutor):
    """Its worker dies with the second file."""

    count = 0

    def submit(self, *words):
        Dying.count += 1
        if Dying.count == 2:
            future = concurrent.futures.Future()
            future.set_exception(concurrent.futures.process.BrokenProcessPool("a worker died"))
            return future
        return super().submit(*words)


def parts(records):
    """The parts of records that do not say when and where they were made."""
    return [{name: value for name, value in record.items() if name != "run"} for record in records]


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        shutil.copytree(REPOSITORY / "tests/golden/nvcc", "nvcc")
        shutil.copy(REPOSITORY / "tests/emulator/missing_commit.py", "fault.py")
        pathlib.Path("broken.ptx").write_text(".version 8.0\n")
        files = ["nvcc/ring.ptx", pathlib.Path("fault.py"), "broken.ptx"]
        wanted = lanescope.check_many(files, options=("--seeds", "1"), results="results")
        assert [record["unit"] for record in wanted] == ["nvcc/ring.ptx", "fault.py", "broken.ptx"], wanted
        assert [record["outcome"] for record in wanted] == ["checked", "checked", "refused"], wanted
        assert wanted[1]["findings"][0]["grade"] == "fault", wanted[1]
        with concurrent.futures.ProcessPoolExecutor(2) as processes:
            got = lanescope.check_many(files, executor=processes, options=("--seeds", "1"))
        assert parts(got) == parts(wanted), got
        with Dying(1) as dying:
            got = lanescope.check_many(files, executor=dying, options=("--seeds", "1"))
        assert parts(got) == parts(wanted), got

        # A later call with the same folder goes on: it checks what has changed, what has no record, and programs.
        times = {record["unit"]: record["run"]["finished"] for record in wanted}
        records = pathlib.Path("results/records-1-of-1.jsonl")
        lines = records.read_text().splitlines(keepends=True)
        records.write_text("".join(line for line in lines if '"broken.ptx"' not in line) + '{"schema": "lanesc')
        again = lanescope.check_many(files, options=("--seeds", "1"), results="results")
        assert parts(again) == parts(wanted), again
        assert [record["unit"] for record in again if record["run"]["finished"] != times[record["unit"]]] == ["fault.py", "broken.ptx"], again
        changed = pathlib.Path("nvcc/ring.ptx").read_text() + "// changed\n"
        pathlib.Path("nvcc/ring.ptx").write_text(changed)
        with concurrent.futures.ProcessPoolExecutor(2) as processes:
            again = lanescope.check_many(files, executor=processes, options=("--seeds", "1"), results="results")
        assert again[0]["key"] != wanted[0]["key"] and again[0]["run"]["finished"] != times["nvcc/ring.ptx"], again[0]

        # A comment in PTX that a program launches allows the finding, and the check goes on after it.
        pathlib.Path("program.py").write_text(PROGRAM)
        allowed = lanescope.check_many(["program.py"], options=("--seeds", "1", "--python", sys.executable))[0]
        found = [(each["file"], each["line"], each.get("allowed", "")) for each in allowed["findings"] if each["grade"] == "fault"]
        assert found == [("two.ptx", 11, ""), ("one.ptx", 11, "any of the numbers will do")], allowed

        program = lanescope._many._program()
        report = subprocess.run([program, "report", "results"], capture_output=True, text=True)
        assert report.returncode == 1 and "in 3 kernels; 1 could not be checked" in report.stdout, report
        for words, problem, told in (
            ({"options": ("--sedes", "1")}, lanescope.Error, "--sedes"),
        ):
            try:
                lanescope.check_many(files, **words)
                raise AssertionError(f"accepted: {words}")
            except problem as error:
                assert told in str(error), error
        try:
            lanescope.check_many(["none.ptx"])
            raise AssertionError("accepted a missing file")
        except lanescope.Error as error:
            assert "none.ptx" in str(error), error
    print("check_many: records are the same over threads, processes and a dying worker")


if __name__ == "__main__":
    main()
