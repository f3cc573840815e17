"""Functions that run kernels under the emulator's checker."""

import contextlib

from . import _native
from ._errors import Fault


class Findings(list):
    """The checker's findings: a list of `Finding`s, faults first. The list is true if it contains a fault."""

    @property
    def faults(self):
        return [each for each in self if each.severity == "error"]

    @property
    def hazards(self):
        return [each for each in self if each.severity == "warning"]

    def __bool__(self):
        return bool(self.faults)

    def __str__(self):
        return "\n".join(map(str, self)) if len(self) else "no findings"

    def _repr_html_(self):
        from ._pages import findings

        return findings(self)


def _distinct(findings):
    out = {}
    for each in findings:
        place = each.place and (each.place["path"], each.place["line"], each.place["column"])
        out.setdefault((each.kind, place, each.message), each)
    order = {"error": 0, "warning": 1, "note": 2}
    return Findings(sorted(out.values(), key=lambda each: order[each.severity]))


def check(function, *arguments, seeds=1, **named):
    """Runs a kernel, or a function that runs kernels, on the emulator with all checks, under `seeds` schedules.
    Returns the findings and does not raise them. Passes other exceptions on."""
    from ._support import findings_from

    found = []
    for seed in range(seeds):
        with _configured(device="emulator", seed=seed, fast=False):

            def once():
                try:
                    function(*arguments, **named)
                except Fault as fault:
                    found.extend(fault.findings)

            found.extend(findings_from(_native.findings_of(once)))
    return _distinct(found)


under_check = 0  # the number of running `check` and `checked`; a fault is raised inside of them


@contextlib.contextmanager
def _configured(**settings):
    global under_check
    former = _native.configure(**settings)
    under_check += 1
    try:
        yield
    finally:
        under_check -= 1
        _native.configure(**former)


@contextlib.contextmanager
def checked(*, seed=0, strict=False):
    """Runs every kernel that is launched inside the `with` on the emulator with all checks. A fault is raised as
    `Fault`, so that the test fails. With `strict`, a hazard is raised too."""
    with _configured(device="emulator", seed=seed, strict=strict, fast=False):
        yield
