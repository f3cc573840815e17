"""Kernels that go wrong on purpose, and the Python line at which the checker has to report this."""

import pathlib
import warnings

import lanescope.triton
import torch
import triton
import triton.language as tl


def line_of(mark):
    return next(n for n, line in enumerate(pathlib.Path(__file__).read_text().splitlines(), 1) if line.endswith(f"# {mark}"))


def expect(kind, mark, launch):
    """Expects that the launch raises a fault of that kind at the line that ends with the mark."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            launch()
    except lanescope.Fault as fault:
        found = fault.findings[0]
        assert found.place and found.place["path"].endswith("faults.py"), found.text
        assert (found.kind, found.line) == (kind, line_of(mark)), found.text
        return
    raise AssertionError(f"no {kind}")


@triton.jit
def racing(out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.program_id(0) + i
    tl.store(out + i, value)  # race


def case_race_between_programs():
    expect("race", "race", lambda: racing[(4,)](torch.zeros(128, dtype=torch.int32), BLOCK=128))


@triton.jit
def beyond(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + i)  # too far
    tl.store(out + i, values)


def case_out_of_bounds():
    expect("global-out-of-bounds", "too far", lambda: beyond[(2,)](torch.zeros(200), torch.zeros(256), BLOCK=128))


@triton.jit
def asserted(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    values = tl.load(x + i)
    tl.device_assert(values < 100, "a value is too large")  # assertion
    tl.store(x + i, values + 1)


def case_device_assert():
    expect("kernel-assertion", "assertion", lambda: asserted[(1,)](torch.arange(128), BLOCK=128, debug=True))


@triton.jit
def inner(x, i):
    return tl.load(x + i + 1)  # inner


@triton.jit
def through_a_function(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, inner(x, i))


def case_out_of_bounds_in_a_function():
    expect("global-out-of-bounds", "inner", lambda: through_a_function[(1,)](torch.zeros(128), torch.zeros(128), BLOCK=128))


def case_tensor_is_untouched_after_a_fault():
    out = torch.zeros(256)
    try:
        beyond[(2,)](torch.ones(200), out, BLOCK=128)
    except lanescope.Fault:
        assert not out.any()
        return
    raise AssertionError("no fault")
