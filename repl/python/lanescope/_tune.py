"""`tune` over any executor of concurrent.futures: processes, Dask, Ray, MPI, Slurm (submitit)."""

import concurrent.futures
import itertools
import multiprocessing

from . import _builtins
from ._errors import Error

MOST_TRIES = 2  # a configuration whose worker died is tried so often


class NothingRuns(Error):
    """No configuration of a kernel runs with right results."""

    def __init__(self, message):
        Exception.__init__(self, message)
        self.findings = []


class Tuning:
    """The result of `tune(…, executor=…)`. `rows` has a dict for each configuration and device (`configuration`, `time_us`,
    `refused`, `device`), the fastest first. `best`, `time_us` and `device` are the first row's. `by_device` has the best
    configuration of each device. `kernel` is the best kernel."""

    def __init__(self, make_kernel, rows):
        def time(row):
            return float("inf") if row["time_us"] is None else row["time_us"]

        self._make_kernel = make_kernel
        self.rows = sorted(rows, key=time)
        self.best, self.time_us, self.device = (self.rows[0][name] for name in ("configuration", "time_us", "device"))
        self.by_device = {}
        for row in self.rows:
            if row["refused"] is None:
                self.by_device.setdefault(row["device"], row["configuration"])

    @property
    def kernel(self):
        return self._make_kernel(**self.best)

    def __repr__(self):
        out = []
        for device in dict.fromkeys(row["device"] for row in self.rows):
            own = [row for row in self.rows if row["device"] == device]
            names = [", ".join(f"{name}={value!r}" for name, value in row["configuration"].items()) for row in own]
            width = max(map(len, names))
            out.append(f"on {device}" if device else "on no device")
            for name, row in zip(names, own):
                out.append(f"  {name:{width}}  " + (row["refused"] or f"{row['time_us']:9.1f} us"))
        return "\n".join(out)


def _points(space):
    """The configurations: all combinations of a dict's lists, or a list of dicts."""
    if isinstance(space, dict):
        return [dict(zip(space, values)) for values in itertools.product(*space.values())] if space else []
    return [dict(each) for each in space]


def _alone(make_kernel, space, inputs, **named):
    """The function `tune` of the language. Python calls `make_kernel`, as it does with a lambda, and does not read it."""
    return _builtins.get("tune")(lambda **point: make_kernel(**point), space, inputs, **named)


def _timed(make_kernel, configuration, inputs, named):
    """The row of one configuration, and its outputs if nothing is expected of them yet. Runs on a worker."""
    named = dict(named)
    outputs = None
    try:
        found = _alone(make_kernel, [configuration], inputs, remember=False, **named)
        if named.get("expected") is None:
            answer = found.kernel(*inputs)
            outputs = list(answer) if isinstance(answer, (tuple, list)) else [answer]
        row = {"time_us": found.time_us, "refused": None, "device": found.device}
    except Error as problem:
        notes = [note["message"] for finding in problem.findings for note in finding.notes]
        reason = notes[0].split(": ", 1)[1] if problem.findings and problem.kind == "tune" and notes else str(problem).split("\n")[0]
        row = {"time_us": None, "refused": reason, "device": ""}
    return {"configuration": configuration, **row}, outputs


def tune(make_kernel, space, inputs, *, executor=None, **named):
    """The fastest configuration of a kernel. Without `executor` it is the function `tune` of the language.

    executor: has `submit` as those of `concurrent.futures` have. Each configuration is compiled and timed by a call of its
    own, so a worker should have a GPU of its own, or none: then the times are those of the emulator's cost model.
    `make_kernel` and `inputs` are sent to the workers: for processes it is a function of a module. A configuration whose
    worker dies is tried again. Returns a `Tuning`; nothing is remembered for `tuned`. Raises `Error` if no configuration
    runs and is right."""
    if executor is None:
        return _alone(make_kernel, space, inputs, **named)
    named.pop("remember", None)
    points = _points(space)
    if not points:
        raise ValueError("the space is empty: give each name at least one value")
    rows, rest = [], points
    while named.get("expected") is None and rest:  # the outputs of the first that runs are expected of the others
        (row, outputs), rest = _spread(executor, make_kernel, rest[:1], inputs, named)[0], rest[1:]
        rows.append(row)
        if outputs is not None:
            named["expected"] = outputs
    rows += [row for row, _ in _spread(executor, make_kernel, rest, inputs, named)]
    found = Tuning(make_kernel, rows)
    if found.time_us is None:
        raise NothingRuns("no configuration runs and is right\n" + repr(found))
    return found


def _spread(executor, make_kernel, points, inputs, named, tries=MOST_TRIES):
    """The results of the configurations. Those whose worker died are tried again: each in a new process if the executor
    has no worker left."""
    results, left = {}, list(range(len(points)))
    for attempt in range(tries):
        futures = []
        for n in left:
            try:
                futures.append(executor.submit(_timed, make_kernel, points[n], inputs, named))
            except Exception as problem:  # the executor has lost its workers
                futures.append(concurrent.futures.Future())
                futures[-1].set_exception(problem)
        for n, future in zip(left, futures):
            try:
                results[n] = future.result()
            except Exception as problem:
                results[n] = {"configuration": points[n], "time_us": None, "refused": f"fails: its worker ended: {problem}", "device": ""}, None
        left = [n for n in left if (results[n][0]["refused"] or "").startswith("fails: its worker ended")]
        if not left:
            break
        if attempt + 1 < tries and _is_broken(executor):
            for n in left:
                with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as own:
                    results[n] = _spread(own, make_kernel, [points[n]], inputs, named, tries=1)[0]
            break
    return [results[n] for n in range(len(points))]


def _is_broken(executor):
    """True if the executor takes no more work, as a ProcessPoolExecutor after the death of a process."""
    try:
        executor.submit(int).result()
    except Exception:
        return True
    return False

