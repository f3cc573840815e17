#!/usr/bin/env python3
"""Runs Triton's own tests with their kernels on the emulator (repl/python/lanescope/triton). Needs and uses no GPU.

  PYTHONPATH=build/release/python tests/gpu/triton_suite.py CHECKOUT --arch sm_90a --seconds 100 -o RESULTS

CHECKOUT is a folder of triton-lang/triton at about the installed version; the script reads its python/test. Needs
Triton, PyTorch and pytest. Tests run in a random order that depends on the seed, until the time is over. The CPU
answers their queries to CUDA. The script writes a line of JSON per test to RESULTS/tests.jsonl, and prints a summary by
cause at the end. Tests that read a cubin or time kernels fail here, so the exit status is always 0."""

import argparse
import collections
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

TESTS = ["unit/language/test_core.py", "unit/language/test_tensor_descriptor.py", "unit/language/test_standard.py", "unit/language/test_random.py",
         "unit/language/test_block_pointer.py", "unit/language/test_conversions.py", "unit/language/test_tuple.py", "unit/language/test_matmul.py",
         "unit/language/test_warp_specialization.py", "unit/runtime/test_launch.py", "unit/cuda/test_tma_descriptor.py", "gluon/test_core.py"]  # fmt: skip
ONE_TEST = 40  # seconds


def answer_for_cuda(torch, capability, multiprocessors):
    """Gives the CPU to tests that name the device "cuda", and the emulator's capability to tests that ask for it."""
    import types

    from torch.overrides import TorchFunctionMode

    def here(value):
        return "cpu" if isinstance(value, (str, torch.device)) and str(value).startswith("cuda") else value

    class OnCpu(TorchFunctionMode):
        def __torch_function__(self, function, kinds, args=(), kwargs=None):
            return function(*map(here, args), **{name: here(each) for name, each in (kwargs or {}).items()})

    cuda = torch.cuda
    cuda.is_available = lambda: True
    cuda.get_device_capability = lambda *_: divmod(capability, 10)
    cuda.current_device = lambda: 0
    cuda.synchronize = lambda *_: None
    cuda.get_device_properties = lambda *_: types.SimpleNamespace(multi_processor_count=multiprocessors, name="emulated")
    torch.Tensor.cuda = lambda self, *_, **__: self
    OnCpu().__enter__()


def older(name):
    """The functions that the installed Triton's `triton._internal_testing` lacks: queries for other GPUs."""
    if not name.startswith("is_"):
        raise AttributeError(name)
    return lambda *_: False


def work(options, number, end):
    import pytest
    import torch

    import lanescope.triton

    multiprocessors = 8
    driver = lanescope.triton.install(options.arch, multiprocessors=multiprocessors)
    lanescope.configure(timeout=ONE_TEST / 2)
    answer_for_cuda(torch, driver.target.capability, multiprocessors)
    torch.set_num_threads(1)
    import triton._internal_testing  # asks for the GPU

    triton._internal_testing.__getattr__ = older
    log = open(options.output / "tests.jsonl", "a", buffering=1)

    class Shard:
        def pytest_collection_modifyitems(self, items):
            items[:] = [each for each in items if re.search(options.only, each.nodeid)]
            random.Random(options.seed).shuffle(items)
            items[:] = items[number :: options.jobs]

        def pytest_runtest_setup(self, item):
            if time.time() > end:
                pytest.exit("the time is over", 0)

        def pytest_runtest_logreport(self, report):
            if report.when == "call" or report.outcome != "passed":
                cause = "" if report.outcome == "passed" else str(report.longrepr)
                said = [line[2:].strip() for line in cause.splitlines() if line.startswith("E ")]
                name = report.nodeid.split("/")[-1]
                log.write(json.dumps({"test": name, "result": report.outcome, "seconds": report.duration, "cause": "\n".join(said)[:3000] or cause[-300:]}) + "\n")

    files = [str(options.checkout / "python/test" / each) for each in options.tests]
    sys.exit(pytest.main(["-q", "--device", "cpu", "-p", "no:cacheprovider", "-p", "no:xdist", f"--timeout={ONE_TEST}", "--tb=short", "-W", "ignore", "--continue-on-collection-errors", *files], [Shard()]))


def summary(file):
    results, causes = collections.Counter(), collections.Counter()
    for line in file.read_text().splitlines():
        entry = json.loads(line)
        results[entry["result"]] += 1
        if entry["result"] == "failed":
            text = entry["cause"].splitlines()
            causes[re.sub(r"0x[0-9a-f]+|\d+", "N", (text or [""])[0])[:170], entry["test"].split("[")[0]] += 1
    print(", ".join(f"{count} {result}" for result, count in results.most_common()))
    for (cause, test), count in causes.most_common(60):
        print(f"{count:5} {test}: {cause}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--arch", default="sm_90a")
    parser.add_argument("--tests", nargs="+", default=TESTS, metavar="FILE", help="in CHECKOUT/python/test")
    parser.add_argument("--only", default="", metavar="REGEX")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("triton-suite"))
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--end", type=float, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.checkout, options.output = options.checkout.resolve(), options.output.resolve()
    if options.worker is not None:
        return work(options, options.worker, options.end)
    shutil.rmtree(options.output, ignore_errors=True)
    options.output.mkdir(parents=True)
    (options.output / "tests.jsonl").write_text("")
    end = time.time() + options.seconds
    environment = dict(os.environ, CUDA_VISIBLE_DEVICES="", OMP_NUM_THREADS="1")
    workers = [
        subprocess.Popen([sys.executable, __file__, *sys.argv[1:], "--worker", str(number), "--end", str(end)], env=environment,
                         stdout=open(options.output / f"worker{number}.txt", "wb"), stderr=subprocess.STDOUT)
        for number in range(options.jobs)
    ]  # fmt: skip
    for each in workers:
        try:
            each.wait(max(1, end + 10 - time.time()))
        except subprocess.TimeoutExpired:
            each.kill()
    summary(options.output / "tests.jsonl")
    return 0


if __name__ == "__main__":
    sys.exit(main())
