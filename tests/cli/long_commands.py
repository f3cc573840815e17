#!/usr/bin/env python3
"""Commands that take longer than a second: the progress line on the terminal, and Ctrl-C.

    long_commands.py LANESCOPE"""
import os
import pathlib
import pty
import select
import signal
import subprocess
import sys
import tempfile
import time

LANESCOPE = sys.argv[1]
PATIENCE = 60  # seconds after which expected output counts as missing
HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
# Each block counts to BOUND; block 0 of `endless` never ends.
COUNT = HEAD + """.visible .entry count(.param .u64 out) {
  .reg .pred %p; .reg .u32 %r1;
  mov.u32 %r1, 0;
again:
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p, %r1, BOUND;
  @%p bra again;
  ret;
}
"""
ENDLESS = COUNT.replace("setp.lt.u32 %p, %r1, BOUND;", "setp.ne.u32 %p, %r1, -1;").replace("count", "endless")
LAUNCH = """{{"entry": "{entry}", "grid": [{blocks}, 1, 1], "block": [32, 1, 1],
  "params": [{{"kind": "buffer", "dtype": "i32", "shape": [32]}}]}}"""
SNIPPET = """
@kernel(grid=(1,), num_threads=1)
def spin(out: Out((128,), i32)):
  for i in range(2000000000):
    out[...] = broadcasted_iota(i32, (128,), 0)

run(spin)
"""


class Terminal:
    """A program whose terminal is this."""

    def __init__(self, arguments, folder):
        self.seen = b""
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execve(LANESCOPE, [LANESCOPE, *arguments], dict(os.environ, HOME=str(folder)))

    def until(self, words):
        deadline = time.monotonic() + PATIENCE
        while words.encode() not in self.seen:
            if time.monotonic() > deadline or not self.read(deadline - time.monotonic()):
                raise AssertionError(f"{words!r} did not come: {self.seen[-500:]!r}")

    def read(self, seconds):
        if not select.select([self.file], [], [], max(seconds, 0))[0]:
            return False
        try:
            chunk = os.read(self.file, 65536)
        except OSError:
            chunk = b""
        self.seen += chunk
        return bool(chunk)

    def end(self):
        """The exit status, or the negative number of the signal that ended it."""
        while self.read(PATIENCE):
            pass
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def screen(self):
        """The lines that remain on the terminal."""
        lines = []
        for line in self.seen.decode(errors="replace").replace("\r\n", "\n").split("\n"):
            lines.append(line.rsplit("\r\x1b[K", 1)[-1])
        return "\n".join(lines)


def write(folder, ptx, entry, blocks=1):
    (folder / "k.ptx").write_text(ptx)
    (folder / "launch.json").write_text(LAUNCH.format(entry=entry, blocks=blocks))


def counts_blocks(folder):
    write(folder, COUNT.replace("BOUND", "1600000"), "count", blocks=64)
    t = Terminal(["emulate", "k.ptx", "--launch", "launch.json", "--threads", "1", "--time-limit", "600"], folder)
    t.until(" of 64 blocks, ")
    t.until("s (Ctrl-C stops)")
    assert t.end() == 0, t.screen()
    assert "Ctrl-C" not in t.screen(), t.screen()


def stops_at_ctrl_c(folder):
    write(folder, ENDLESS, "endless")
    t = Terminal(["emulate", "k.ptx", "--launch", "launch.json", "--time-limit", "600"], folder)
    t.until("0 of 1 block, ")
    os.write(t.file, b"\x03")
    assert t.end() == -signal.SIGINT, t.screen()
    assert "the kernel was interrupted" in t.screen() and "k.ptx:" in t.screen(), t.screen()
    assert "Ctrl-C" not in t.screen(), t.screen()


def check_keeps_what_it_found(folder):
    others = folder / "kernels"
    for name, ptx, entry in (("a", COUNT.replace("BOUND", "10"), "count"), ("b", ENDLESS, "endless"), ("c", ENDLESS, "endless")):
        place = others / name
        place.mkdir(parents=True)
        write(place, ptx, entry)
    t = Terminal(["check", "kernels", "--time-limit", "600"], folder)
    t.until("1 of 3 kernels (k.ptx), 0 schedules, 0 of 1 block")
    os.write(t.file, b"\x03")
    assert t.end() == -signal.SIGINT, t.screen()
    for words in ("stopped before all runs were made", "the kernel was interrupted", "0 faults"):
        assert words in t.screen(), (words, t.screen())


def snippets_stop(folder):
    (folder / "spin.py").write_text(SNIPPET)
    t = Terminal(["run", "spin.py", "--device", "emulator", "--time-limit", "600"], folder)
    t.until("`spin`, 0 of 1 block, ")
    os.write(t.file, b"\x03")
    assert t.end() == -signal.SIGINT, t.screen()
    assert "interrupted" in t.screen(), t.screen()


def an_entry_that_is_stopped_leaves_the_session(folder):
    t = Terminal([], folder)
    t.until(">>> ")
    (folder / "spin.py").write_text(SNIPPET.replace("run(spin)", "run(spin, device='emulator', timeout=600)"))
    os.write(t.file, b"run('spin.py')\n")
    t.until("`spin`, 0 of 1 block, ")
    os.write(t.file, b"\x03")
    t.until("interrupted")
    os.write(t.file, b"6 * 7\n")
    t.until("42")
    os.write(t.file, b"\x04")
    assert t.end() == 0


def nothing_where_no_terminal_is(folder):
    write(folder, COUNT.replace("BOUND", "60000000"), "count")
    ran = subprocess.run([LANESCOPE, "emulate", "k.ptx", "--launch", "launch.json", "--time-limit", "600"], cwd=folder,
                         capture_output=True, text=True, timeout=10 * PATIENCE)
    assert ran.returncode == 0 and ran.stderr == "", ran
    background = subprocess.run(["sh", "-c", f"trap '' INT; kill -INT $$; exec '{LANESCOPE}' eval '6 * 7'"], cwd=folder,
                                capture_output=True, text=True, timeout=PATIENCE)
    assert background.stdout == "42\n", background


def nothing_on_a_dumb_terminal(folder):
    write(folder, COUNT.replace("BOUND", "60000000"), "count")
    os.environ["TERM"] = "dumb"
    t = Terminal(["emulate", "k.ptx", "--launch", "launch.json", "--time-limit", "600"], folder)
    assert t.end() == 0 and b"\x1b" not in t.seen, t.seen


def main():
    os.environ["TERM"] = "xterm"
    for case in (counts_blocks, stops_at_ctrl_c, check_keeps_what_it_found, snippets_stop, an_entry_that_is_stopped_leaves_the_session,
                 nothing_where_no_terminal_is, nothing_on_a_dumb_terminal):
        with tempfile.TemporaryDirectory() as folder:
            case(pathlib.Path(folder))
            print("ok", case.__name__)


if __name__ == "__main__":
    main()
