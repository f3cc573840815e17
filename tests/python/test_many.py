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

        program = lanescope._many._program()
        report = subprocess.run([program, "report", "results"], capture_output=True, text=True)
        assert report.returncode == 1 and "in 3 kernels; 1 could not be checked" in report.stdout, report
        for words, problem, told in (
            ({"results": "results"}, FileExistsError, "has records already"),
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
