#!/usr/bin/env python3
"""`lanescope.tune` over executors. Usage: test_tune.py REPOSITORY, with the package on PYTHONPATH."""

import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = '''
import concurrent.futures
import os
import sys

import numpy as np
import lanescope as ls

N = 64


def make(scale, rows):
    if rows == 16 and os.path.exists("kill"):  # the worker dies, the first time
        os.remove("kill")
        os._exit(1)

    @ls.kernel(grid=(N // rows,))
    def scaled(x: ls.GMEM((N, 16), ls.f32), out: ls.Out((N, 16), ls.f32)):
        at = ls.ds(ls.program_id(0) * rows, rows)
        out[at] = x[at] * scale

    return scaled


if __name__ == "__main__":
    x = np.ones((N, 16), "f4")
    space = dict(scale=[2, 3] if "threads" in sys.argv else [2], rows=[16, 64])
    alone = ls.tune(make, space, [x], expected=x * 2, device="emulator")
    wanted = {str(row["configuration"]): (row["time_us"], row["refused"]) for row in alone.rows}
    import multiprocessing

    for name in sys.argv[1:]:
        if name == "dying":
            open("kill", "w").close()
        executor = {
            "dying": lambda: concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("spawn")),
            "threads": lambda: concurrent.futures.ThreadPoolExecutor(2),
        }[name]()
        with executor:
            found = ls.tune(make, space, [x], expected=x * 2, executor=executor, device="emulator")
            got = {str(row["configuration"]): (row["time_us"], row["refused"]) for row in found.rows}
            assert got == wanted, (name, got, wanted)
            assert found.best == alone.best and found.by_device == {found.device: found.best}, (name, found)
            assert found.kernel.name == "scaled" and repr(found).startswith(f"on {found.device}\\n"), found
            if name == "threads":  # without `expected`, the first that runs decides what is right
                found = ls.tune(make, [dict(scale=3, rows=16), dict(scale=2, rows=64)], [x], executor=executor, device="emulator")
                assert [row["refused"] for row in found.rows] == [None, "wrong: other outputs than expected"], found.rows
                try:
                    ls.tune(make, [dict(scale=3, rows=16)], [x], expected=x, executor=executor, device="emulator")
                    raise AssertionError("a wrong result was taken")
                except ls.Error as problem:
                    assert "no configuration runs and is right" in str(problem), problem
    print("same")
'''


def main():
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "program.py").write_text(PROGRAM)
        for words in (["threads"], ["dying"]):  # after a death, the executor's other calls fail, and run in new processes
            ended = subprocess.run([sys.executable, "program.py", *words], cwd=folder, capture_output=True, text=True, timeout=300, env={**os.environ, "XDG_CACHE_HOME": folder})
            assert ended.returncode == 0 and ended.stdout == "same\n", ended
    print("tune: the same over threads, and over processes of which one dies")


if __name__ == "__main__":
    main()
