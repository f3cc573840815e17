"""A plugin for pytest: `pytest --lanescope` checks every kernel that a test launches (docs/ci.md).

A wheel registers it; elsewhere name it: `pytest -p lanescope.pytest_plugin --lanescope`."""

import hashlib
import json
import linecache
import pathlib
import socket
import sys
import time

import pytest

RECORDS, UNITS = "records-1-of-1.jsonl", "units-1-of-1.json"
GRADES = {"error": "fault", "warning": "hazard", "note": "note"}  # by severity, the worst first


def pytest_addoption(parser):
    group = parser.getgroup("lanescope", "checks of GPU kernels")
    group.addoption("--lanescope", action="store_true", help="check every kernel that a test launches, on an emulated GPU")
    group.addoption("--lanescope-fail-on", choices=tuple(GRADES.values()), default="fault", help="the findings that fail a test, and worse ones (fault)")
    group.addoption("--lanescope-results", metavar="DIR", help="write a record of each test that launches kernels, for `lanescope report DIR`")


def pytest_configure(config):
    if not config.getoption("lanescope"):
        if config.getoption("lanescope_results"):
            raise pytest.UsageError("--lanescope-results needs --lanescope")
        return
    try:
        from . import _native  # noqa: F401
    except ImportError as problem:
        raise pytest.UsageError(f"--lanescope needs the extension module of the package lanescope: {problem}")
    from .jax.imports import OnImport

    if "triton" in sys.modules:
        _emulate_triton()
    else:
        OnImport("triton", _emulate_triton)
    config.pluginmanager.register(Checks(config), "lanescope-checks")


def _emulate_triton():
    from . import triton

    triton.install()


class _Seen:
    """The launches and findings of one test."""

    def __init__(self, launches):
        self.launches, self.begin = launches, time.time()
        self.findings = []  # hazards and notes, which are only warnings to the test
        self.raised = []  # the findings of each `Fault` that was raised
        self.failing = []  # those findings that have failed the test

    def failing_text(self, fail_on):
        """The hazards and notes that fail the test, as text."""
        grades = list(GRADES.values())
        return "\n".join(_text(each) for each in self.findings if grades.index(GRADES[each.severity]) <= grades.index(fail_on))


def _text(finding):
    """The finding as a terminal shows it, with its grade and its rule."""
    return finding.text.replace(f"{finding.severity}: ", f"{GRADES[finding.severity]} [{finding.kind}]: ", 1)


def _place(place):
    return {"file": place["path"], "line": place["line"], "column": place["column"]} if place else {"file": "", "line": 0, "column": 0}


def _record(finding):
    """The finding as in a record of `lanescope check` (docs/ci.md)."""
    out = {"grade": GRADES[finding.severity], "rule": finding.kind, "message": finding.message, **_place(finding.place)}
    if finding.place:
        out["statement"] = "".join(linecache.getline(finding.place["path"], finding.place["line"]).split())
    out["related"] = [{"message": note["message"], **_place(note["place"])} for note in finding.notes]
    out["text"] = _text(finding) + "\n"
    return out


def _distinct(records):
    known = {(each["grade"], each["rule"], each["file"], each["line"], each["column"], each["message"]): each for each in records}
    return list(known.values())


def _faults_of(problem):
    """The findings of the `Fault` that is, or that caused, the exception."""
    from ._errors import Fault

    passed = set()
    while problem is not None and id(problem) not in passed:
        if isinstance(problem, Fault):
            return problem.findings
        passed.add(id(problem))
        problem = problem.__cause__ or problem.__context__
    return []


class Checks:
    """The hooks, if `--lanescope` is given. With pytest-xdist each worker has one, and the main process sums up."""

    def __init__(self, config):
        self.fail_on = config.getoption("lanescope_fail_on")
        self.is_worker = hasattr(config, "workerinput")
        folder = config.getoption("lanescope_results")
        self.folder = pathlib.Path(folder) if folder and not self.is_worker else None
        self.kernels = self.tests = self.caught = 0
        self.records = []
        self.seen = pytest.StashKey()
        if self.folder is not None:
            self.begin_results()

    def begin_results(self):
        records = self.folder / RECORDS
        first = records.open(encoding="utf-8", errors="replace").readline() if records.exists() else ""
        if first and "::" not in first.partition('"unit": ')[2].partition(",")[0]:
            raise pytest.UsageError(f"{self.folder} has records of `lanescope check`, which would be lost: name another folder")
        self.folder.mkdir(parents=True, exist_ok=True)
        records.write_text("")

    def pytest_report_header(self):
        return "lanescope: kernels run on an emulated GPU, and are checked"

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item):
        from . import _check, _errors, _native

        seen = item.stash[self.seen] = _Seen(_native.launches())
        watcher = _errors.Watcher(seen.findings.append, seen.raised.append)
        with _check._configured(device="emulator", strict=False, fast=False), watcher:
            yield

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        from . import _native

        outcome = yield
        report, seen = outcome.get_result(), item.stash[self.seen]
        if call.excinfo is not None:
            seen.failing += _faults_of(call.excinfo.value)
        elif call.when == "call" and report.passed and (words := seen.failing_text(self.fail_on)):
            report.outcome, report.longrepr = "failed", words
        if call.when == "teardown":
            raised = {id(each): each for findings in seen.raised for each in findings}
            for each in seen.failing:
                raised.pop(id(each), None)
            report.lanescope = {  # pytest-xdist sends a report's own attributes to the main process
                "kernels": _native.launches() - seen.launches,
                "seconds": round(time.time() - seen.begin, 3),
                "findings": _distinct(map(_record, [*seen.failing, *seen.findings])),
                "caught": sum(each.severity == "error" for each in raised.values()),
            }

    def pytest_runtest_logreport(self, report):
        from . import _native

        about = getattr(report, "lanescope", None)
        if self.is_worker or not about or not (about["kernels"] or about["findings"]):
            return
        self.tests += 1
        self.kernels += about["kernels"]
        self.caught += about["caught"]
        record = {
            "schema": "lanescope.record/1",
            "unit": report.nodeid,
            "key": hashlib.sha256(f"{_native.version} {report.nodeid}".encode()).hexdigest(),
            "outcome": "checked",
            "runs": about["kernels"],
            "findings": about["findings"],
            "run": {"seconds": about["seconds"], "memory": 0, "finished": int(time.time() * 1000), "host": socket.gethostname(), "program": _native.version},
        }
        self.records.append(record)
        if self.folder is not None:
            with (self.folder / RECORDS).open("a", encoding="utf-8") as records:
                records.write(json.dumps(record, ensure_ascii=False) + "\n")

    def pytest_sessionfinish(self):
        if self.folder is not None:
            units = sorted(({"unit": each["unit"], "key": each["key"]} for each in self.records), key=lambda unit: unit["unit"])
            (self.folder / UNITS).write_text(json.dumps({"schema": "lanescope.units/1", "units": units}), encoding="utf-8")

    def pytest_terminal_summary(self, terminalreporter):
        findings = _distinct(each for record in self.records for each in record["findings"])
        counts = {grade: sum(each["grade"] == grade for each in findings) for grade in GRADES.values()}
        for each in findings:
            if each["grade"] != "fault":  # a fault is shown with its test
                terminalreporter.write(each["text"])
        words = ", ".join(f"{count} {grade}{'' if count == 1 else 's'}" for grade, count in counts.items())
        caught = f"; tests caught {self.caught} more fault{'' if self.caught == 1 else 's'}" if self.caught else ""
        terminalreporter.write_line(f"lanescope: {words} in {self.kernels} kernel launches of {self.tests} tests{caught}")
