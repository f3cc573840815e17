#!/usr/bin/env python3
"""Checks many kernels: killed and resumed, in shards on Dask, in an array on Slurm; all give the same report.
Usage: many.py LANESCOPE GOLDEN [--count N] [--kills N] [--jobs N] [--dask] [--slurm] [--memory SIZE]
[--seconds N] [--scratch DIR]"""
import argparse
import difflib
import json
import os
import pathlib
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import corpus
import slurm

FORMATS = ("text", "html", "sarif", "junit", "markdown")


class Runs:
    """The commands, all in one folder with the same kernels."""

    def __init__(self, lanescope, folder, options, jobs):
        self.lanescope, self.folder, self.options, self.jobs = str(pathlib.Path(lanescope).resolve()), folder, options, jobs

    def words(self, results, *more, jobs=None):
        return [self.lanescope, "check", "kernels", *self.options, "--jobs", str(jobs or self.jobs), "--results", results, *more]

    def start(self, results):
        return subprocess.Popen(self.words(results), cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def check(self, results, *more):
        """Runs to the end; returns the seconds."""
        begin = time.time()
        ended = subprocess.run(self.words(results, *more), cwd=self.folder, capture_output=True, text=True)
        assert ended.returncode in (0, 1), ended.stderr[-2000:]
        return time.time() - begin

    def reports(self, *results):
        return {each: subprocess.run([self.lanescope, "report", *results, "--format", each], cwd=self.folder, capture_output=True, text=True).stdout for each in FORMATS}

    def records(self, *results):
        lines = [line for each in results for line in (self.folder / each / "records-1-of-1.jsonl").read_text().split("\n")]
        return [json.loads(line) for line in lines if line.endswith("}")]


def expect_same(reports, wanted, which):
    for each in FORMATS:
        lines = [line for line in difflib.unified_diff(wanted[each].split("\n"), reports[each].split("\n"), "undisturbed", which, lineterm="", n=0)]
        if lines:
            sys.exit(f"many.py: the report {which} differs ({each}):\n" + "\n".join(line[:300] for line in lines[:40]))


def killed(runs, kills, seconds):
    """Kills the run at random times and resumes it. Returns the numbers of records at the kills."""
    records, counts = runs.folder / "killed/records-1-of-1.jsonl", []
    for _ in range(kills):
        run = runs.start("killed")
        try:
            run.wait(timeout=random.uniform(0.2, 0.95 * seconds / kills))
        except subprocess.TimeoutExpired:
            run.send_signal(signal.SIGKILL)
            run.wait()
        counts.append(records.read_bytes().count(b"\n") if records.exists() else 0)
    runs.check("killed")
    return counts


def by_dask(runs):
    from distributed import Client, LocalCluster

    begin = time.time()
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster, Client(cluster) as client:
        futures = [client.submit(subprocess.call, runs.words(f"dask-{n}", "--shard", f"{n}/2", jobs=1), cwd=str(runs.folder), stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL) for n in (1, 2)]  # fmt: skip
        assert all(status in (0, 1) for status in client.gather(futures)), "a shard failed"
    return time.time() - begin


def by_slurm(runs):
    with slurm.running(runs.folder / "slurm") as environment:
        begin = time.time()
        command = " ".join(runs.words("slurm-results", "--shard", "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT", jobs=1))
        ended = slurm.run_array(environment, runs.folder, 4, f"{command} || [ $? = 1 ]")
        assert ended.returncode == 0, ended
        return time.time() - begin


# A process inherits the largest memory of the one that starts it, so a small interpreter starts the check.
MEASURED = """
import os, sys
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, n, os.devnull, os.O_RDWR, 0) for n in (1, 2)])
_, status, usage = os.wait4(pid, 0)
os.write(3, f"{os.waitstatus_to_exitcode(status)} {usage.ru_utime + usage.ru_stime} {usage.ru_maxrss / 1024}".encode())
"""


def costs(runs, units, most):
    """The seconds of a core and the largest memory, in MB, of single checks: a sample of the units."""
    cores, memory = [], []
    for unit in units[:: max(1, len(units) // most)]:
        words = [runs.lanescope, "check", unit, "--format", "record", "--keep-going", "--threads", "1"]
        shell = 'exec "$@" 3>&1 >/dev/null'
        said = subprocess.run(["sh", "-c", shell, "sh", sys.executable, "-I", "-S", "-c", MEASURED, *words], cwd=runs.folder, stdout=subprocess.PIPE, text=True)
        status, core, most_memory = said.stdout.split()
        assert status in ("0", "1"), (unit, status)
        cores.append(float(core))
        memory.append(float(most_memory))
    return cores, memory


def spread(values, unit):
    values = sorted(values)
    at = lambda share: values[min(len(values) - 1, int(share * len(values)))]
    return f"median {statistics.median(values):.3g} {unit}, p95 {at(0.95):.3g} {unit}, slowest or largest {values[-1]:.3g} {unit}, mean {statistics.mean(values):.3g} {unit}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lanescope")
    parser.add_argument("golden", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--memory", default="2G")
    parser.add_argument("--dask", action="store_true")
    parser.add_argument("--slurm", action="store_true")
    parser.add_argument("--sample", type=int, default=60, help="units whose memory is measured")
    parser.add_argument("--seconds", type=int, default=120, help="the time limit of a kernel; where an endless one stands at it depends on the time")
    parser.add_argument("--scratch", help="the folder for the folder of the runs")
    given = parser.parse_args()
    random.seed(45)
    with tempfile.TemporaryDirectory(dir=given.scratch) as folder:
        folder = pathlib.Path(folder)
        distinct, count = corpus.make(given.golden, folder, given.count)
        print(f"{count} kernels, from {distinct} different packages", flush=True)
        options = ["--memory", given.memory, "--time-limit", str(10 * given.seconds), "--unit-time-limit", str(given.seconds)]
        runs = Runs(given.lanescope, folder, options, given.jobs)
        seconds = runs.check("whole")
        wanted = runs.reports("whole")
        print(f"undisturbed: {seconds:.1f} s with {given.jobs} jobs; {wanted['text'].splitlines()[-1]}", flush=True)
        records = runs.records("whole")
        assert len(records) == count, len(records)
        outcomes = {record["unit"].partition("/")[2]: record["outcome"] for record in records}
        for name, outcome in (("malformed", "refused"), ("endless", "time-limit"), ("eater", "out-of-memory")):
            told = [is_so for unit, is_so in outcomes.items() if unit.endswith(f"-{name}/kernel.ptx")]
            assert len(told) == 1 and told[0] == outcome, (name, told)
        print("seconds of a unit:", spread([record["run"]["seconds"] for record in records], "s"))
        good = [record["unit"] for record in records if record["outcome"] == "checked"]
        cores, memory = costs(runs, good, given.sample)
        print("a core's seconds of a unit:", spread(cores, "s"))
        print("memory of a unit:", spread(memory, "MB"), flush=True)
        sizes = [len(json.dumps(record)) for record in records]
        print("bytes of a record:", spread(sizes, "B"), flush=True)

        if given.kills:
            counts = killed(runs, given.kills, seconds)
            expect_same(runs.reports("killed"), wanted, "of the killed run")
            print(f"killed {given.kills} times, with {counts} records: the same reports", flush=True)
        if given.dask:
            spent = by_dask(runs)
            expect_same(runs.reports("dask-1", "dask-2"), wanted, "of the shards on Dask")
            print(f"two shards on Dask: the same reports, {spent:.1f} s", flush=True)
        if given.slurm:
            if not slurm.is_here():
                sys.exit("many.py: slurmctld, slurmd, slurm-client and munge are not installed")
            spent = by_slurm(runs)
            expect_same(runs.reports("slurm-results"), wanted, "of the array on Slurm")
            print(f"an array of four on Slurm: the same reports, {spent:.1f} s", flush=True)


if __name__ == "__main__":
    main()
