#!/usr/bin/env python3
"""Runs JAX's own tests of Mosaic GPU with their kernels through the bridge (repl/python/lanescope/jax), which compiles
them here and emulates them with checks.

  tests/gpu/jax_suite.py CHECKOUT --gpu b200 -o RESULTS          # on a machine with JAX 0.11; no GPU is used
  tests/gpu/jax_suite.py CHECKOUT --lowering jax --only TCGen05
  tests/gpu/jax_suite.py CHECKOUT --tpu 7x                       # those of SparseCores, lowered for that TPU; no GPU or TPU is used

CHECKOUT is a folder of jax-ml/jax at about the installed version. The script runs its tests (`--tests`), and loads its
modules for tests that the wheel lacks. Tests check themselves against NumPy and JAX on the CPU; tests for another GPU
are skipped. The script writes a line of JSON per test to RESULTS/tests.jsonl, and packages with the calls of tests that
fail or whose kernels have faults to RESULTS/failed/. At the end it prints a summary by cause. Tests that need things
that no CPU has (a device count, printed output of the GPU) fail here, so the exit status is always 0."""
import argparse
import collections
import importlib.util
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = HERE.parents[1] / "build" / "release" / "python"
TESTS = ["tests/mosaic/gpu_test.py", "tests/pallas/mosaic_gpu_test.py", "tests/pallas/mgpu_matmul_test.py"]
SPARSECORE_TESTS = ["tests/pallas/tpu_sparsecore_pallas_test.py"]
LEFT_OUT = ["jax._src.hypothesis_test_util", "jax._src.pallas.pallas_test_util", "jax.experimental.mosaic.gpu.test_util"]
ONE_TEST, MOST_BYTES = 60, 6 << 20  # seconds; bytes of a test's kept calls
TOO_LATE = 7  # exit status of a worker whose test took longer


# --- a worker: one process, one core

def load(name, file):
    try:
        return importlib.import_module(name)
    except ImportError:
        pass
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    parent, _, own = name.rpartition(".")
    if parent:
        setattr(importlib.import_module(parent), own, module)
    return module


def pretend_tpu(jtu):
    """Makes JAX's test utilities answer for the TPU. hooks.install gives the device its name."""
    jtu.device_under_test = lambda: "tpu"


def pretend(jtu, capability):
    """Makes JAX's test utilities answer for the GPU."""
    jtu.is_device_cuda, jtu.is_device_rocm, jtu.device_under_test = lambda: True, lambda: False, lambda: "gpu"
    jtu.is_cuda_version_at_least = lambda major, minor: True
    version = lambda text: tuple(map(int, text.split(".")))  # noqa: E731
    jtu.is_cuda_compute_capability_at_least = lambda text: capability >= version(text)
    jtu.is_cuda_compute_capability_equal = lambda text: capability == version(text)

    def only_tcgen05(self):
        if capability[0] != 10:
            self.skipTest("for Blackwell")

    jtu.CudaArchSpecificTest.skip_unless_tcgen05 = jtu.CudaArchSpecificTest.skip_unless_tcgen05_int8 = only_tcgen05


def watched(bridge_module, causes):
    """Records why calls of kernels fail, or have faults although the test continues."""
    call, tell, last = bridge_module.Bridge.call, bridge_module.Bridge.tell, [""]

    def noted_call(self, kernel, inputs, outputs):
        faults = self.faults
        try:
            results = call(self, kernel, inputs, outputs)
        except Exception as problem:
            causes.append(f"{type(problem).__name__}: {problem}"[:800])
            raise
        if self.faults > faults:
            causes.append("at fault: " + last[0])
        return results

    def noted_tell(self, name, ran):
        last[0] = next((f"{each.kind}: {each.message}" for each in ran.findings if each.severity == "error"), "")
        tell(self, name, ran)

    bridge_module.Bridge.call, bridge_module.Bridge.tell = noted_call, noted_tell


def watched_modules(sparsecore, causes):
    """The same for modules of SparseCores."""
    run = sparsecore.Kernel.run

    def noted_run(self, inputs, options, again=False):
        try:
            answer = run(self, inputs, options, again)
        except Exception as problem:
            causes.append(f"{type(problem).__name__}: {problem}"[:800])
            raise
        causes.extend(f"at fault: {each['kind']}: {each['message']}" for each in answer["findings"] if each["severity"] == "error")
        return answer

    sparsecore.Kernel.run = noted_run


def tests_of(checkout, files):
    import unittest

    def flat(suite):
        for each in suite:
            yield from flat(each) if isinstance(each, unittest.TestSuite) else (each,)

    loaded = [(file, list(flat(unittest.defaultTestLoader.loadTestsFromModule(load(pathlib.Path(file).stem, checkout / file))))) for file in files]
    spread = []
    for file, tests in loaded:
        random.Random(5).shuffle(tests)
        spread += [((i + 0.5) / len(tests), f"{pathlib.Path(file).stem}.{each.id().split('.', 1)[-1]}", each) for i, each in enumerate(tests)]
    return [(name, test) for _, name, test in sorted(spread, key=lambda entry: entry[0])]


def work(options, number, end):
    import unittest

    os.sched_setaffinity(0, {number % os.cpu_count()})
    if importlib.util.find_spec("lanescope") is None:
        sys.path.insert(0, str(PACKAGE))
    from absl import app
    from jax._src import test_util as jtu
    from lanescope.jax import bridge, gpus, hooks, sparsecore
    from lanescope.jax.options import Options

    for name in LEFT_OUT:
        load(name, options.checkout / (name.replace(".", "/") + ".py"))
    if options.tpu:
        pretend_tpu(jtu)
    else:
        pretend(jtu, gpus.GPUS[options.gpu].arch)
    calls, causes, current = options.output / f"calls{number}", [], {}
    hooks.install(Options(gpu=options.gpu, tpu=options.tpu, lowering=options.lowering, quiet=True, timeout=ONE_TEST, capture=str(calls)))
    watched(bridge, causes)
    watched_modules(sparsecore, causes)
    log = open(options.output / "tests.jsonl", "a", buffering=1)

    def say(name, result, cause=""):
        log.write(json.dumps({"test": name, "result": result, "cause": cause}) + "\n")

    def stop_late():
        while True:
            time.sleep(1)
            if "begin" in current and time.time() > min(current["begin"] + ONE_TEST, end + 10):
                say(current["name"], "timeout")
                os._exit(TOO_LATE)

    def main(_):
        threading.Thread(target=stop_late, daemon=True).start()
        for name, test in tests_of(options.checkout, options.tests):
            if time.time() > end:
                break
            if options.only and not re.search(options.only, name):
                continue
            try:
                (options.output / "claims" / re.sub(r"\W+", "_", name)[:200]).touch(exist_ok=False)
            except FileExistsError:
                continue
            causes.clear()
            current.update(name=name, begin=time.time())
            result = unittest.TestResult()
            unittest.TestSuite([test]).run(result)
            del current["begin"]
            wrong = result.errors + result.failures
            end_of = wrong[0][1].strip().splitlines()[-1] if wrong else ""
            say(name, "fail" if wrong else "skip" if result.skipped else "pass", causes[0] if causes else end_of)
            kept = sum(file.stat().st_size for file in calls.rglob("*") if file.is_file()) if calls.exists() else 0
            if (wrong or causes) and 0 < kept < MOST_BYTES:
                shutil.copytree(calls, options.output / "failed" / re.sub(r"\W+", "_", name)[:120], dirs_exist_ok=True)
            for folder in calls.glob("*"):
                shutil.rmtree(folder, ignore_errors=True)
        os._exit(0)

    sys.argv = sys.argv[:1]
    app.run(main)


# --- all tests

def summary(file):
    results, causes = collections.Counter(), collections.Counter()
    for line in file.read_text().splitlines():
        entry = json.loads(line)
        results[entry["result"]] += 1
        if entry["cause"] and entry["result"] != "skip":
            causes[entry["result"], re.sub(r"\d+", "N", entry["cause"].splitlines()[0])[:150]] += 1
    print(", ".join(f"{count} {result}" for result, count in results.most_common()))
    for (result, cause), count in causes.most_common():
        print(f"{count:5} {result:4} {cause}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--gpu", default="b200", choices=("h100", "h200", "b200"))
    parser.add_argument("--tpu", default="", choices=("v5p", "v6e", "7x"), help="run the tests of SparseCores, for this TPU")
    parser.add_argument("--lowering", default="ours", choices=("ours", "jax"))
    parser.add_argument("--tests", nargs="+", default=[], metavar="FILE", help="in CHECKOUT")
    parser.add_argument("--only", default="", metavar="REGEX", help="of names such as gpu_test.TCGen05Test.test_mma")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("jax-suite"))
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--end", type=float, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.checkout, options.output = options.checkout.resolve(), options.output.resolve()
    options.tests = options.tests or (SPARSECORE_TESTS if options.tpu else TESTS)
    if options.worker is not None:
        return work(options, options.worker, options.end)
    for file in options.tests:
        if not (options.checkout / file).is_file():
            parser.error(f"{options.checkout} has no {file}: name a checkout of jax-ml/jax, or its tests with --tests")
    if not importlib.util.find_spec("jax"):
        parser.error("JAX is not installed for this Python: pip install jax")
    shutil.rmtree(options.output / "claims", ignore_errors=True)
    (options.output / "claims").mkdir(parents=True)
    (options.output / "tests.jsonl").write_text("")
    end = time.time() + options.seconds
    environment = dict(os.environ, JAX_PLATFORMS="cpu", CUDA_VISIBLE_DEVICES="", JAX_PALLAS_USE_MOSAIC_GPU="1", OMP_NUM_THREADS="1")

    def start(number):
        return subprocess.Popen([sys.executable, __file__, *sys.argv[1:], "--worker", str(number), "--end", str(end)], env=environment,
                                stdout=open(options.output / f"worker{number}.txt", "ab"), stderr=subprocess.STDOUT)

    workers = {number: start(number) for number in range(options.jobs)}
    while workers and time.time() < end + 30:
        time.sleep(0.3)
        for number, process in list(workers.items()):
            if process.poll() is None:
                continue
            del workers[number]
            if (process.returncode == TOO_LATE or process.returncode < 0) and time.time() < end - 10:  # with a test
                workers[number] = start(number)
            elif process.returncode > 0:
                print(f"worker {number} ended with {process.returncode}: {options.output / f'worker{number}.txt'}", file=sys.stderr)
    for process in workers.values():
        process.kill()
    summary(options.output / "tests.jsonl")


if __name__ == "__main__":
    main()
