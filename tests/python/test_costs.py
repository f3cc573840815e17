"""Measures the package's costs: import, a call, memory of large arrays, memory of many calls. Each is measured in its
own process.

  test_costs.py REPOSITORY [MEBIBYTES] [limits]

ctest runs it with PYTHONPATH=<build>/python. It needs NumPy and Linux, and prints the measurements. MEBIBYTES is the
size of the large arrays. Times depend on the machine, so they fail the test only with the word `limits`, which is for
an idle machine."""

import subprocess
import sys
import tempfile
import unittest

SKIPPED = 77
try:
    import numpy  # noqa: F401
except ImportError:
    sys.exit(SKIPPED)

LIMITS = "limits" in sys.argv
MEBIBYTES = int(sys.argv[2]) if len(sys.argv) > 2 and sys.argv[2] != "limits" else 64
BEGIN = """
import sys, time
import numpy
def status(name):  # in MiB
    return next(int(line.split()[1]) / 1024 for line in open("/proc/self/status") if line.startswith(name + ":"))
"""
KERNEL = """
import lanescope as ls
ls.configure(device="emulator")
count = {count}
@ls.kernel(grid=(1,), num_threads=1)
def double(x: ls.GMEM((count,), ls.f32), out: ls.Out((count,), ls.f32)):
    out[ls.ds(0, 128)] = x[ls.ds(0, 128)] * 2
x = numpy.ones(count, "f4")
"""


def measured(text):
    """The numbers that a program prints in its last line."""
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:  # a kernel is read from its file
        file.write(BEGIN + text)
        file.flush()
        done = subprocess.run([sys.executable, file.name], capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(done.stderr)
    return [float(word) for word in done.stdout.splitlines()[-1].split()]


class Costs(unittest.TestCase):
    def test_import(self):
        program = "begin = time.process_time(); import lanescope; print(1e3 * (time.process_time() - begin))"
        milliseconds = min(measured(program)[0] for _ in range(5))
        whole = min(measured(program.replace("import lanescope;", "import lanescope; lanescope.kernel;"))[0] for _ in range(3))
        print(f"import: {milliseconds:.1f} ms beyond Python's and NumPy's, {whole:.0f} ms with the compiler's libraries")
        if LIMITS:
            self.assertLess(milliseconds, 60)

    def test_import_leaves_the_compiler_out(self):
        """The first kernel loads the libraries that take long, not the import."""
        loaded = 'print(sum("libMLIR" in line or "libLLVM" in line for line in open("/proc/self/maps")))'
        self.assertEqual(measured(f"import lanescope; {loaded}")[0], 0)
        self.assertGreater(measured(f"import lanescope; lanescope.kernel; {loaded}")[0], 0)

    def test_call_of_a_cached_kernel(self):
        program = KERNEL.format(count=128) + """
double(x)
best = 1e9
for _ in range(10):
    begin = time.perf_counter()
    for _ in range(50):
        double(x)
    best = min(best, (time.perf_counter() - begin) / 50)
print(1e3 * best)
"""
        milliseconds = measured(program)[0]
        print(f"a call of a cached tiny kernel: {milliseconds:.2f} ms")
        if LIMITS:
            self.assertLess(milliseconds, 2)

    def test_many_calls_keep_no_memory(self):
        """Tests outputs of kernels, their results, and calls that go wrong."""
        program = KERNEL.format(count=4096) + """
@ls.kernel(grid=(1,), num_threads=1)
def wrong(x: ls.GMEM((count,), ls.f32), out: ls.Out((count,), ls.f32)):
    out[ls.ds(0, 128)] = x[ls.ds(count, 128)]
def once(i):
    y = double(x)
    assert y[0] == 2
    if i % 10 == 0:
        ls.run(double, x).outputs
        try:
            wrong(x)
        except ls.Error:
            pass
        else:
            raise AssertionError("an access outside was let through")
for i in range(500):
    once(i)
before = status("VmRSS")
for i in range(10000):
    once(i)
print(status("VmRSS") - before)
"""
        grown = measured(program)[0]
        print(f"10,000 calls: {grown:+.2f} MiB")
        self.assertLess(grown, 2)

    def test_large_arrays(self):
        """The kernel reads its input where it lies, and its output becomes NumPy's: no copy is made of either."""
        program = KERNEL.format(count=MEBIBYTES << 18) + """
double(x)  # compiled
before = status("VmRSS")
open("/proc/self/clear_refs", "w").write("5")  # forgets the largest so far
y = double(x)
print(status("VmHWM") - before, status("VmRSS") - before, float(y[0]))
"""
        peak, kept, first = measured(program)
        print(f"{MEBIBYTES} MiB in, {MEBIBYTES} MiB out: {kept:.0f} MiB kept, {peak:.0f} MiB while the kernel ran")
        self.assertEqual(first, 2)
        self.assertLess(kept, MEBIBYTES * 1.1 + 8)  # one copy of the output
        self.assertLess(peak, MEBIBYTES * 1.1 + 16)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
