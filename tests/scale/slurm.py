"""A Slurm of one node in a scratch folder: munged, slurmctld and slurmd, ended with the `with`."""
import contextlib
import os
import pathlib
import secrets
import shutil
import socket
import subprocess
import time

CONFIGURATION = """
ClusterName=scratch
SlurmctldHost={host}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={port}
SlurmdPort={slurmd_port}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/linear
SchedulerType=sched/backfill
ReturnToService=2
MpiDefault=none
NodeName={host} CPUs={cores} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4
"""


def is_here():
    return all(shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin") for name in ("slurmctld", "slurmd", "munged", "sbatch"))


def free_port():
    with socket.socket() as one:
        one.bind(("", 0))
        return one.getsockname()[1]


@contextlib.contextmanager
def running(folder):
    """Gives the environment for `sbatch`."""
    folder = pathlib.Path(folder).resolve()
    for name in ("", "state", "spool"):
        (folder / name).mkdir(exist_ok=True)
    folder.chmod(0o755)
    key = folder / "munge.key"
    key.write_bytes(secrets.token_bytes(1024))
    key.chmod(0o600)
    import pwd

    file = folder / "slurm.conf"
    file.write_text(CONFIGURATION.format(host=socket.gethostname().split(".")[0], user=pwd.getpwuid(os.getuid()).pw_name, folder=folder, port=free_port(),
                                         slurmd_port=free_port(), cores=os.cpu_count()))  # fmt: skip
    environment = {**os.environ, "SLURM_CONF": str(file), "PATH": f"{os.environ['PATH']}:/usr/sbin"}
    processes = []
    try:
        for words in (
            ["munged", "--foreground", "--force", f"--socket={folder}/munge.socket", f"--key-file={key}", f"--pid-file={folder}/munged.pid",
             f"--log-file={folder}/munged.log", f"--seed-file={folder}/munged.seed"],
            ["slurmctld", "-D", "-f", file],
            ["slurmd", "-D", "-f", file],
        ):  # fmt: skip
            processes.append(subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            time.sleep(1)
        for _ in range(60):
            state = subprocess.run(["sinfo", "-h", "-o", "%T"], env=environment, capture_output=True, text=True)
            if state.stdout.strip().startswith(("idle", "mixed", "alloc")):
                break
            time.sleep(1)
        else:
            raise RuntimeError(f"Slurm does not start: {state}; {(folder / 'slurmctld.log').read_text()[-2000:]}")
        yield environment
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in reversed(processes):
            process.wait(timeout=60)


def run_array(environment, folder, count, command):
    """Runs the command as an array of `count` jobs in the folder, and waits for its end."""
    script = f"#!/bin/sh\ncd '{folder}'\n{command}\n"
    words = ["sbatch", "--wait", f"--array=1-{count}", "--output=slurm-%a.out", f"--chdir={folder}"]
    return subprocess.run(words, input=script, env=environment, capture_output=True, text=True)
