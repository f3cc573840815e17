"""`check_many`: checks many files over any executor of concurrent.futures: processes, Dask, Ray, MPI, Slurm."""

import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from ._errors import Error


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


def _checked(file, folder, options):
    """The record of one file. Runs on a worker, whose files are those of this machine."""
    program = _program()
    if program is None:
        raise CheckFailed("there is no program `lanescope` beside the package or in PATH")
    with tempfile.TemporaryDirectory() as results:
        words = [program, "check", file, "--results", results, "--jobs", "1", *options]
        ended = subprocess.run(words, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        records = pathlib.Path(results, "records-1-of-1.jsonl")
        lines = records.read_text(encoding="utf-8").splitlines() if records.exists() else []
    if len(lines) != 1:
        reason = f"it gave {len(lines)} records; a folder is a matter of `lanescope check`" if lines else "it gave no record"
        raise CheckFailed(ended.stderr.strip() or f"{file}: {reason}")
    return json.loads(lines[0])


def _once(executor, files, folder, options):
    """The records, or the exception of each file."""
    futures = []
    for file in files:
        try:
            futures.append(executor.submit(_checked, file, folder, options))
        except Exception as problem:  # the executor has lost its workers
            futures.append(concurrent.futures.Future())
            futures[-1].set_exception(problem)
    for future in futures:
        try:
            yield future.result()
        except Exception as problem:
            yield problem


def check_many(files, *, executor=None, options=(), results=None):
    """Checks each file in a process of its own, as `lanescope check FILE --results` does. Returns the records (docs/ci.md)
    as dictionaries, in the order of `files`.

    files: PTX, packages or Python files. executor: has `submit` as those of `concurrent.futures` have, whose workers see
    the same files; without it, threads of this process. options: words of the command line: `("--seeds", "4")`.
    results: a new folder for the records, for `lanescope report`. A file whose worker dies is tried again by this process.
    Raises CheckFailed if the program is missing or refuses an option or a file, and FileExistsError if `results` has records."""
    files = [os.fspath(file) for file in files]
    records = None
    if results is not None:
        records = pathlib.Path(results, "records-1-of-1.jsonl")
        if records.exists():
            raise FileExistsError(f"{records} has records already: choose another folder")
    folder, options = os.getcwd(), tuple(options)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as own:
        found = list(_once(executor or own, files, folder, options))
        lost = [n for n, each in enumerate(found) if isinstance(each, Exception)]
        for n, each in zip(lost, _once(own, [files[n] for n in lost], folder, options)):
            found[n] = each
    for each in found:
        if isinstance(each, Exception):
            raise each
    if records is not None:
        records.parent.mkdir(parents=True, exist_ok=True)
        records.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in found), encoding="utf-8")
        units = [{"unit": each["unit"], "key": each["key"]} for each in found]
        (records.parent / "units-1-of-1.json").write_text(json.dumps({"schema": "lanescope.units/1", "units": units}))
    return found
