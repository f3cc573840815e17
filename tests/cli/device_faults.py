#!/usr/bin/env python3
"""Planted faults between devices. Each file in tests/emulator/devices has one fault, marked by a comment at its line:
`fault: TEXT`. If two devices race, the checker reports the later access, so one of several lines may be meant: `either:
TEXT`. The run must fail with a message at that line that has that text, on each schedule, or only on those of `on:
SCHEDULE`. Without the fault (directly after the comment sign, `+ LINE` adds a line, and `= LINE` replaces the line
above) the run must report nothing, on 1, 2, 4 and 8 devices. A body of PTX (`// `) can use the registers of PROLOGUE;
`// devices: N` is the number of devices that its fault needs. A snippet (`# `) has that number in `devices = N`.
Usage: device_faults.py LANESCOPE REPOSITORY [--all]
Without `--all`, a file that needs fewer than 4 devices runs on 4 with one schedule, and each repaired file runs on each
number of devices with one schedule. The next file takes the next schedule."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

# The prologue is one line, so that the body's lines keep their numbers.
PROLOGUE = """
.version 9.1 .target sm_90a .address_size 64
.visible .entry k(.param .u64 p_out, .param .u64 p_box, .param .u64 p_sem, .param .u64 p_meta) {
.reg .pred %p, %leader, %others; .reg .b32 %r, %q, %n, %rank, %devices, %tid, %value, %next, %prev;
.reg .b64 %a, %b, %lane4, %out, %box, %sem, %meta, %boxes, %sems, %next_box, %next_sem, %prev_box, %prev_sem, %mc_box, %mc_sem;
.shared .align 128 .b8 tile[256]; .shared .align 8 .b64 bar;
ld.param.u64 %out, [p_out]; ld.param.u64 %box, [p_box]; ld.param.u64 %sem, [p_sem]; ld.param.u64 %meta, [p_meta];
ld.global.u32 %rank, [%meta]; mov.u32 %devices, DEVICES; mov.u32 %tid, %tid.x; mul.wide.u32 %lane4, %tid, 4;
setp.eq.u32 %leader, %tid, 0; setp.ne.u32 %others, %tid, 0; mad.lo.u32 %value, %rank, 100, %tid; add.u32 %value, %value, 1;
add.u32 %next, %rank, 1; rem.u32 %next, %next, %devices; add.u32 %prev, %rank, %devices; sub.u32 %prev, %prev, 1; rem.u32 %prev, %prev, %devices;
mul.wide.u32 %a, %devices, 8; add.u64 %boxes, %meta, 32; add.u64 %boxes, %boxes, %a; add.u64 %sems, %boxes, %a;
mul.wide.u32 %b, %next, 8; add.u64 %a, %boxes, %b; ld.global.u64 %next_box, [%a]; add.u64 %a, %sems, %b; ld.global.u64 %next_sem, [%a];
mul.wide.u32 %b, %prev, 8; add.u64 %a, %boxes, %b; ld.global.u64 %prev_box, [%a]; add.u64 %a, %sems, %b; ld.global.u64 %prev_sem, [%a];
mul.wide.u32 %a, %devices, 8; add.u64 %a, %a, %sems; ld.global.u64 %mc_box, [%a+8]; ld.global.u64 %mc_sem, [%a+16];
"""
MARK = re.compile(r"(?://|#) (fault|either): (.+)$")
REPAIR = re.compile(r"^( *)(?://|#)([+=]) (.*)$")
DEVICES = re.compile(r"^(// devices: |devices = )(\d+)", re.M)
WORDS = 64


def repaired(text):
    lines = []
    for line in text.splitlines():
        if match := REPAIR.match(line):
            if match[2] == "=":
                lines.pop()
            line = match[1] + match[3]
        lines.append(line)
    return "\n".join(lines)


def run(lanescope, folder, path, text, devices, options, debug=None):
    """The kernel's run on so many devices; `debug`: in the debugger, with these commands."""
    def lanescope_does(*command):
        if debug:
            command = ["debug", *(word for word in command[1:] if word not in ("--device", "emulator")), "--fault", "--commands", "-"]
        return subprocess.run([lanescope, *map(str, command), *options], input=debug, capture_output=True, text=True, timeout=120)

    kernel, launch = folder / path.name, folder / "launch.json"
    if path.suffix == ".py":
        kernel.write_text(DEVICES.sub(rf"\g<1>{devices}", text) + "\n")
        return lanescope_does("run", kernel, "--device", "emulator")
    prologue = " ".join(PROLOGUE.replace("DEVICES", str(devices)).split("\n"))
    kernel.write_text(prologue + text + "\nret; }\n")
    buffer = {"kind": "buffer", "dtype": "u32", "shape": [devices, WORDS]}
    launch.write_text(json.dumps({"entry": "k", "grid": [1, 1, 1], "block": [32, 1, 1], "devices": devices,
                                  "params": [dict(buffer, name=n) for n in ("out", "box", "sem")] + [{"kind": "collective_metadata"}]}))
    return lanescope_does("emulate", kernel, "--launch", launch)


def main():
    lanescope, repository = sys.argv[1], pathlib.Path(sys.argv[2])
    every = "--all" in sys.argv[3:]
    passed, failed = 0, 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for index, path in enumerate(sorted((repository / "tests/emulator/devices").iterdir())):
            text = path.read_text()
            most = int(match[2]) if (match := DEVICES.search(text)) else 2
            wanted = [(number, match[2]) for number, line in enumerate(text.splitlines(), 1) if (match := MARK.search(line))]
            on = re.findall(r"(?://|#) on: (\S+)", text) or ["0", "5", "slow-device-1", "slow-link:3"]
            for devices in sorted({most, 4}):
                for schedule in (["--seed", name] for name in (on if every or devices == most else [on[index % len(on)]])):
                    result = run(lanescope, folder, path, text, devices, schedule)
                    said = result.stdout + result.stderr
                    told = any(re.search(rf"{re.escape(path.name)}:{number}:\d+: error: .*" + re.escape(words), said) for number, words in wanted)
                    if result.returncode == 1 and told:
                        passed += 1
                    else:
                        failed += 1
                        print(f"FAILED {path.name} on {devices} devices {' '.join(schedule)}: exit status {result.returncode}; wanted {wanted}\n{said}")
            # The debugger stands before the fault of the first schedule, and again after going back.
            debugged = run(lanescope, folder, path, text, most, ["--seed", on[0]], "here\nwaits\nreverse-moment 40\nfault\nhere\n").stdout
            places = re.findall(r"(?:before a fault|no warp can go on): (.*)", debugged)
            met = bool(places) and len(set(places)) == 1 and any(words in debugged for number, words in wanted)
            if met:
                passed += 1
            else:
                failed += 1
                print(f"FAILED {path.name} in the debugger: wanted {wanted}\n{debugged}")
            schedules = [[], ["--seed", "7"], ["--seed", "slow-device-0"], ["--seed", "slow-link"]]
            for number, devices in enumerate((1, 2, 4, 8)):
                for schedule in schedules if every else [schedules[(index + number) % len(schedules)]]:
                    result = run(lanescope, folder, path, repaired(text), devices, schedule)
                    said = result.stdout + result.stderr
                    if result.returncode == 0 and "warning: " not in said and "error: " not in said:
                        passed += 1
                    else:
                        failed += 1
                        print(f"FAILED {path.name} without its fault on {devices} devices {' '.join(schedule)}: exit status {result.returncode}\n{said}")
    print(f"device faults: {passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


sys.exit(main())
