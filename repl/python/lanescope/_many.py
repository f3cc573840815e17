"""`check_many`: checks many files over any executor of concurrent.futures: processes, Dask, Ray, MPI, Slurm."""

import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading

from ._errors import Error

RECORDS, UNITS = "records-1-of-1.jsonl", "units-1-of-1.json"


class CheckFailed(Error):
    """The program `lanescope` is missing, or refuses a file or an option."""

    def __init__(self, message):
        Exception.__init__(self, message)
        self.findings = []


def _program():
    """The program beside the package (a wheel), in a folder around it (a build tree, /usr), or in PATH."""
    package = pathlib.Path(__file__).parent  # with its links: a build tree's files are links to the sources
    for folder in (package, *package.parents):
        if os.access(folder / "bin" / "lanescope", os.X_OK):
            return str(folder / "bin" / "lanescope")
    return shutil.which("lanescope")


def _lines(text):
    return [line for line in text.split("\n") if line]  # a record may have other characters that end lines


def _checked(file, folder, options, former):
    """The record of one file as a line. Runs on a worker, whose files are those of this machine.

    former: the line of an earlier record, or None. The program returns it if nothing that it depends on has changed."""
    program = _program()
    if program is None:
        raise CheckFailed("there is no program `lanescope` beside the package or in PATH")
    with tempfile.TemporaryDirectory() as results:
        records, units = pathlib.Path(results, RECORDS), pathlib.Path(results, UNITS)
        if former is not None:
            records.write_text(former + "\n", encoding="utf-8")
            units.write_text(json.dumps({"schema": "lanescope.units/1", "units": []}), encoding="utf-8")
        words = [program, "check", file, "--results", results, "--jobs", "1", *options]
        ended = subprocess.run(words, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        count = len(json.loads(units.read_text(encoding="utf-8"))["units"]) if units.exists() else 0
        lines = _lines(records.read_text(encoding="utf-8")) if count else []
    if count != 1 or not lines:
        reason = f"it gave {count} records; a folder is a matter of `lanescope check`" if count else "it gave no record"
        raise CheckFailed(ended.stderr.strip() or f"{file}: {reason}")
    return lines[-1]


class _Results:
    """The folder with records. A record is appended as soon as it is there, so that a run that is killed loses only the
    files in flight. Without a folder, nothing is kept."""

    def __init__(self, folder, files):
        self.folder = None if folder is None else pathlib.Path(folder)
        self.files = [pathlib.PurePath(os.path.normpath(file)).as_posix() for file in files]
        self.lines = {}  # by unit
        self.lock = threading.Lock()
        if self.folder is None:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / RECORDS
        if path.exists():
            text = path.read_text(encoding="utf-8", errors="replace")
            for line in _lines(text):
                try:
                    self.lines[json.loads(line)["unit"]] = line
                except (ValueError, TypeError, KeyError):
                    pass  # a run was killed while it wrote the line
            if text and not text.endswith("\n"):
                with path.open("a", encoding="utf-8") as records:
                    records.write("\n")
        self.list_units()

    def former(self, n):
        return self.lines.get(self.files[n])

    def keep(self, line):
        unit = json.loads(line)["unit"]
        with self.lock:
            if self.lines.get(unit) == line:
                return
            self.lines[unit] = line
            if self.folder is not None:
                with (self.folder / RECORDS).open("a", encoding="utf-8") as records:
                    records.write(line + "\n")

    def list_units(self):
        """Writes the list of the files. A file without a record has no key yet, so a report names it as not checked."""
        if self.folder is None:
            return
        with self.lock:
            units = [{"unit": unit, "key": json.loads(self.lines.get(unit, "{}")).get("key", "")} for unit in sorted(set(self.files))]
            fresh = self.folder / f"{UNITS}.{os.getpid()}"
            fresh.write_text(json.dumps({"schema": "lanescope.units/1", "units": units}), encoding="utf-8")
            fresh.replace(self.folder / UNITS)


def _once(executor, numbers, submitted, results):
    """The records of the files by their numbers, or the exception of each file."""

    def ended(future):
        try:
            results.keep(future.result())
        except Exception:
            pass  # it is raised where the result is awaited

    futures = []
    for n in numbers:
        try:
            futures.append(executor.submit(_checked, *submitted(n)))
        except Exception as problem:  # the executor has lost its workers
            futures.append(concurrent.futures.Future())
            futures[-1].set_exception(problem)
        if hasattr(futures[-1], "add_done_callback"):
            futures[-1].add_done_callback(ended)
    for future in futures:
        try:
            line = future.result()
            results.keep(line)
            yield json.loads(line)
        except Exception as problem:
            yield problem


def check_many(files, *, executor=None, options=(), results=None):
    """Checks each file in a process of its own, as `lanescope check FILE --results` does. Returns the records (docs/ci.md)
    as dictionaries, in the order of `files`.

    files: PTX, packages or Python files. executor: has `submit` as those of `concurrent.futures` have, whose workers see
    the same files; without it, threads of this process. options: words of the command line: `("--seeds", "4")`.
    results: a folder for the records, for `lanescope report`. They are written as they come, and a later call with the
    same folder checks only the files without a record, and those that have changed. A file whose worker dies is tried
    again by this process. Raises CheckFailed if the program is missing or refuses an option or a file."""
    files = [os.fspath(file) for file in files]
    kept = _Results(results, files)
    folder, options = os.getcwd(), tuple(options)

    def submitted(n):
        return files[n], folder, options, kept.former(n)

    try:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as own:
            found = list(_once(executor or own, range(len(files)), submitted, kept))
            lost = [n for n, each in enumerate(found) if isinstance(each, Exception)]
            for n, each in zip(lost, _once(own, lost, submitted, kept)):
                found[n] = each
    finally:
        kept.list_units()
    for each in found:
        if isinstance(each, Exception):
            raise each
    return found
