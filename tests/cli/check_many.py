#!/usr/bin/env python3
"""`lanescope check --results`, `report` and `baseline`: runs that are killed and resumed, shards, kernels that are
malformed, endless or need too much memory, the formats of a report, baselines, comments that allow findings.
Usage: check_many.py LANESCOPE REPOSITORY"""
import json
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

LANESCOPE = str(pathlib.Path(sys.argv[1]).resolve())
FORMATS = ["text", "html", "sarif", "junit", "markdown"]

# Each warp writes its number to a word of shared memory. Line 3 of the source is the write.
SOURCE = "__global__ void race(int *out) {\n  __shared__ int s;\n  s = threadIdx.x / 32;\n  out[threadIdx.x] = s;\n}\n"
RACE = """.version 8.0
.target sm_90a
.address_size 64
.file 1 "race.cu"
.visible .entry ENTRY(.param .u64 out)
{
.reg .b32 %r<8>;
.reg .b64 %d<8>;
.shared .align 4 .b8 s[128];
.loc 1 3 3
ld.param.u64 %d1, [out];
mov.u32 %r1, %tid.x;
shr.u32 %r2, %r1, 5;
WRITE
.loc 1 4 3
bar.sync 0;
ld.shared.u32 %r3, [s];
mul.wide.u32 %d2, %r1, 4;
add.s64 %d3, %d1, %d2;
st.global.u32 [%d3], %r3;
ret;
}
"""
WRITE = "st.shared.u32 [s], %r2;"
ENDLESS = RACE.replace("WRITE", "L: add.u32 %r4, %r4, 1;\nbra L;")
LAUNCH = {"entry": "ENTRY", "grid": [1, 1, 1], "cluster": [1, 1, 1], "block": [64, 1, 1], "dynamic_smem": 0,
          "params": [{"kind": "buffer", "dtype": "u32", "shape": [64], "out": "out.npy"}]}

failures, done = [], 0


def expect(condition, what):
    global done
    done += 1
    if not condition:
        failures.append(what)


def lanescope(folder, *words, **named):
    return subprocess.run([LANESCOPE, *map(str, words)], cwd=folder, capture_output=True, text=True, timeout=300, **named)


def kernel(folder, name, text, entry=None, launch=LAUNCH, source=None):
    """Writes folder/name/kernel.ptx with its launch."""
    entry = entry or name
    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    (place / "kernel.ptx").write_text(text.replace("ENTRY", entry))
    (place / "launch.json").write_text(json.dumps(launch).replace("ENTRY", entry))
    if source is not None:
        (place / "race.cu").write_text(source)
    return place


def good(folder, name):
    # A comment makes the contents of each different.
    return kernel(folder, name, RACE.replace("WRITE", "@%p bra D;\nst.shared.u32 [s], 7;\nD:").replace(
        "{\n", "{\n.reg .pred %p;\n// " + name + "\n", 1).replace("shr.u32", "setp.ne.u32 %p, %r1, 0;\nshr.u32"))


def corpus(folder):
    for n in range(20):
        good(folder, f"good{n:02}")
    kernel(folder, "a_race", RACE.replace("WRITE", WRITE), source=SOURCE)
    kernel(folder, "m_race", RACE.replace("WRITE", WRITE), source=SOURCE)
    (kernel(folder, "b_malformed", "") / "kernel.ptx").write_text(".version 8.0\n.target sm_90a\n.entry k( {{{\n")
    (kernel(folder, "h_bytes", "") / "kernel.ptx").write_bytes(bytes(range(256)) * 8)
    kernel(folder, "e_endless", ENDLESS)
    eater = json.loads(json.dumps(LAUNCH))
    eater["params"][0]["shape"] = [1 << 31]
    kernel(folder, "i_memory", RACE.replace("WRITE", ""), launch=eater)


def reports(folder, *results):
    return {each: lanescope(folder, "report", *results, "--format", each).stdout for each in FORMATS}


CHECK = ["check", "kernels", "--jobs", "2", "--time-limit", "60", "--unit-time-limit", "8", "--memory", "1G"]


def killed_and_resumed(folder):
    corpus(folder / "kernels")
    whole = lanescope(folder, *CHECK, "--results", "whole")
    expect(whole.returncode == 1, whole)
    last = whole.stdout.splitlines()[-1]
    expect(last == "2 faults, 0 hazards, 0 notes in 26 kernels; 2 could not be checked; 1 took too long; 1 ran out of memory", whole.stdout)
    wanted = reports(folder, "whole")
    expect(wanted["text"] == whole.stdout, "the command ends with the report")
    for told in ("kernels/a_race/race.cu:3:3: fault [race]", "in kernels/a_race/kernel.ptx", "kernels/b_malformed/kernel.ptx:3",
                 "did not end within 8 s", "needs more memory than the 1 GiB"):
        expect(told in whole.stdout, (told, whole.stdout))

    random.seed(45)
    records = folder / "killed/records-1-of-1.jsonl"
    for least in (0, 1, 3, 6, 10, 15):  # records, by which the next kill comes
        run = subprocess.Popen([LANESCOPE, *CHECK, "--results", "killed"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while run.poll() is None and (records.read_bytes().count(b"\n") if records.exists() else 0) < least:
            time.sleep(0.02)
        time.sleep(random.uniform(0, 0.3))
        run.send_signal(signal.SIGKILL)
        run.wait()
    partial = lanescope(folder, "report", "killed")
    expect(partial.returncode == 1, partial)
    resumed = lanescope(folder, *CHECK, "--results", "killed")
    expect(re.search(r"^\d+ of 26 kernels were checked before$", resumed.stderr, re.M), resumed)
    expect(reports(folder, "killed") == wanted, "a run that was killed and resumed gives the same reports")
    records = [json.loads(line) for line in (folder / "killed/records-1-of-1.jsonl").read_text().splitlines() if line.endswith("}")]
    expect(len(records) == 26 and len({record["unit"] for record in records}) == 26, f"{len(records)} records")
    expect({record["outcome"] for record in records} == {"checked", "refused", "time-limit", "out-of-memory"}, "outcomes")
    expect(all(re.fullmatch(r"[0-9a-f]{64}", record["key"]) and record["run"]["seconds"] > 0 for record in records), records[0])

    for number in (1, 2):
        part = lanescope(folder, *CHECK, "--results", f"shard-{number}", "--shard", f"{number}/2", "--fail-on", "fault")
        expect("missing" not in part.stdout and "not checked" not in part.stdout, part)
    lone = lanescope(folder, "report", "shard-1")
    expect(lone.returncode == 1 and lone.stdout.endswith("; 1 shard is missing\n"), lone)
    expect(reports(folder, "shard-2", "shard-1") == wanted, "shards give the same reports")

    good(folder / "fine", "one")
    for number in (1, 2):
        part = lanescope(folder, "check", "fine", "--results", "fine-results", "--shard", f"{number}/2")
        expect(part.returncode == 0, part)
    expect(lanescope(folder, "report", "fine-results").returncode == 0, "shards in one folder")

    # Another job count and another order give the same; a changed kernel alone is checked again.
    again = lanescope(folder, *CHECK, "--results", "whole")
    expect("26 of 26 kernels were checked before" in again.stderr and again.stdout == whole.stdout, again)
    good(folder / "kernels", "good00").joinpath("kernel.ptx").open("a").write("// changed\n")
    again = lanescope(folder, *CHECK, "--results", "whole")
    expect("25 of 26 kernels were checked before" in again.stderr and again.stdout == whole.stdout, again)
    return wanted


def interrupted(folder):
    run = subprocess.Popen([LANESCOPE, *CHECK, "--results", "interrupted"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    records = folder / "interrupted/records-1-of-1.jsonl"
    for _ in range(600):
        if records.exists() and records.stat().st_size:
            break
        time.sleep(0.1)
    run.send_signal(signal.SIGINT)
    _, errors = run.communicate(timeout=60)
    expect(re.search(r"stopped: \d+ of 26 kernels are not checked; the same command goes on", errors), errors)
    expect(run.returncode == -signal.SIGINT, run.returncode)
    part = lanescope(folder, "report", "interrupted")
    expect(part.returncode == 1 and "not checked yet" in part.stdout, part)
    refused = lanescope(folder, "baseline", "interrupted", "-o", "known.json")
    expect(refused.returncode == 1 and "not complete" in refused.stderr and not (folder / "known.json").exists(), refused)


def crashed(folder):
    kernel(folder / "crash", "endless", ENDLESS)
    got = lanescope(folder, "check", "crash", "--results", "crashed", "--jobs", "1", "--time-limit", "280", "--unit-time-limit", "280",
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (2, 60)))
    expect(got.returncode == 1 and "ended without a result (signal" in got.stdout and got.stdout.endswith("in 1 kernel; 1 crashed\n"), got)


def formats(wanted):
    sarif = json.loads(wanted["sarif"])
    run = sarif["runs"][0]
    expect(sarif["version"] == "2.1.0" and {result["ruleId"] for result in run["results"]} >= {"race", "out-of-memory", "unit-time-limit"}, sarif)
    race = next(result for result in run["results"] if result["ruleId"] == "race")
    place = race["locations"][0]["physicalLocation"]
    expect(place["artifactLocation"]["uri"] == "kernels/a_race/race.cu" and place["region"]["startLine"] == 3, race)
    suite = xml.etree.ElementTree.fromstring(wanted["junit"]).find("testsuite")
    expect([suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["26", "2", "4", "0"], suite.attrib)
    expect(len(suite.findall("testcase")) == 26 and len(suite.findall("testcase/failure")) == 2, "test cases")
    expect(wanted["markdown"].startswith("### Lanescope: 2 faults, 0 hazards") and "| fault | race | kernels/a&#95;race/race.cu:3 |" in wanted["markdown"], wanted["markdown"])
    expect("<a href=\"#f1\">kernels/a_race/race.cu:3</a>" in wanted["html"] and not re.search(r"(src|href)=\"(?!#)", wanted["html"]), "a page without anything from elsewhere")


def baselines(folder):
    project = folder / "project"
    kernel(project, "k", RACE.replace("WRITE", WRITE), source=SOURCE)

    def check(*words):
        return lanescope(project, "check", "k", "--results", "results", "--jobs", "1", *words)

    expect(check().returncode == 1, "a race fails")
    written = lanescope(project, "baseline", "results", "-o", "known.json")
    expect(written.returncode == 0 and written.stderr == "1 known finding: known.json\n", written)
    known = check("--baseline", "known.json", "--fail-on", "new")
    expect(known.returncode == 0 and known.stdout == "0 faults, 0 hazards, 0 notes, 1 known in 1 kernel\n", known)
    one = lanescope(project, "check", "k/kernel.ptx", "--baseline", "known.json")
    expect(one.returncode == 0 and one.stdout.startswith("0 faults, 0 hazards, 0 notes, 1 known in "), one)
    sarif = json.loads(lanescope(project, "report", "results", "--baseline", "known.json", "--format", "sarif").stdout)
    expect(sarif["runs"][0]["results"][0]["baselineState"] == "unchanged", sarif)

    # The line moves and a formatter runs; the file gets another name.
    moved = SOURCE.replace("  s = threadIdx.x / 32;", "\n\n\n  s =\n      threadIdx.x /\n      32;  // the warp")
    kernel(project, "k", RACE.replace("WRITE", WRITE).replace(".loc 1 3 3", ".loc 1 6 3").replace(".loc 1 4 3", ".loc 1 9 3"), source=moved)
    got = check("--baseline", "known.json")
    expect(got.returncode == 0 and ", 1 known in" in got.stdout, got)
    (project / "k/race.cu").rename(project / "k/other.cu")
    ptx = project / "k/kernel.ptx"
    ptx.write_text(ptx.read_text().replace("race.cu", "other.cu"))
    got = check("--baseline", "known.json")
    expect(got.returncode == 0 and ", 1 known in" in got.stdout, got)

    # A new race in the same kernel, behind the known one.
    two = SOURCE.replace("  out[", "  t[0] = s;\n  out[")
    kernel(project, "k", RACE.replace("WRITE", WRITE + "\n.loc 1 4 3\nst.shared.u32 [s+64], %r2;").replace(".loc 1 4 3\nbar", ".loc 1 5 3\nbar"), source=two)
    got = check("--baseline", "known.json")
    expect(got.returncode == 1 and "race.cu:4:3: fault [race]" in got.stdout and "1 fault, 0 hazards, 0 notes, 1 known in" in got.stdout, got)

    # The kernel is mended.
    kernel(project, "k", RACE.replace("WRITE", ""), source=SOURCE)
    got = check("--baseline", "known.json")
    expect("the baseline has a fault [race] of `k` that is there no more" in got.stdout, got)
    wrong = check("--baseline", "none.json")
    expect(wrong.returncode == 1 and "none.json" in wrong.stderr, wrong)


def allowed(folder):
    project = folder / "allowing"

    def check(comment, write=WRITE):
        source = SOURCE.replace("/ 32;", f"/ 32;  // {comment}" if comment else "/ 32;")
        kernel(project, "k", RACE.replace("WRITE", write), source=source)
        return (lanescope(project, "check", "k", "--results", "results", "--jobs", "1", "--fail-on", "note"),
                lanescope(project, "check", "k/kernel.ptx", "--fail-on", "note"))

    for got in check("lanescope: allow race because any of the numbers will do"):
        expect(got.returncode == 0 and ", 1 allowed in " in got.stdout, got)
    sarif = json.loads(lanescope(project, "report", "results", "--format", "sarif").stdout)
    expect(sarif["runs"][0]["results"][0]["suppressions"] == [{"kind": "inSource", "justification": "any of the numbers will do"}], sarif)
    for got in check("lanescope: allow race"):
        expect(got.returncode == 1 and "this comment gives no reason" in got.stdout + got.stderr and "fault [race]" in got.stdout, got)
    for got in check("lanescope: allow racing because it is fine"):
        expect(got.returncode == 1 and "there is no rule `racing`" in got.stdout + got.stderr, got)
    for got in check("lanescope: allow race because any of the numbers will do", write="st.shared.u32 [s], 1;"):
        expect(got.returncode == 1 and "race.cu:3:" in got.stdout and "note [unused-allow]" in got.stdout, got)

    snippet = project / "snippet.py"
    snippet.write_text((pathlib.Path(sys.argv[2]) / "tests/emulator/missing_commit.py").read_text())
    listed = json.loads(lanescope(project, "check", "snippet.py", "--format", "json").stdout)
    first = listed["findings"][0]
    lines = snippet.read_text().splitlines()
    lines[first["line"] - 1] += f"  # lanescope: allow {first['rule']} because this is a test"
    snippet.write_text("\n".join(lines) + "\n")
    again = json.loads(lanescope(project, "check", "snippet.py", "--format", "json").stdout)
    expect(any(each.get("allowed") == "this is a test" for each in again["findings"]), again)


def guessed(folder):
    """A launch that nothing describes is named in the summary: the check says nothing about other launches."""
    good(folder / "guesses", "k")
    (folder / "guesses/k/launch.json").unlink()
    ran = lanescope(folder, "check", "guesses", "--grid", "4", "--results", "guessed")
    expect(ran.stdout.splitlines()[-1].startswith("0 faults, 0 hazards, 0 notes in 1 kernel; launched as guessed: grid 4x1x1"), ran)
    for each, text in reports(folder, "guessed").items():
        expect("guessed" in text and ("4x1x1" in text or each == "sarif"), (each, text))
    junit = xml.etree.ElementTree.fromstring(lanescope(folder, "report", "guessed", "--format", "junit").stdout).find("testsuite")
    expect("guessed for `k`: " in junit.find("testcase/system-out").text, junit.find("testcase/system-out").text)

    # The command that shows a finding again has only the options that its kernel's launch is made from.
    named = RACE.replace("(.param .u64 out)", "(.param .u64 out, .param .u32 n)").replace("WRITE", WRITE)
    for name, text in (("plain", RACE.replace("WRITE", WRITE)), ("named", named), ("described", RACE.replace("WRITE", WRITE))):
        place = kernel(folder / "again", name, re.sub(r"\.loc.*\n", "", text))  # each finding is in a file of its own
        if name != "described":
            (place / "launch.json").unlink()
    ran = lanescope(folder, "check", "again", "--grid", "2", "--arg", "1=3", "--results", "again-results")
    commands = dict(re.findall(r"in again/(\w+)/kernel.ptx; again with `lanescope check \S+ --keep-going(.*?)`", ran.stdout))
    expect(commands == {"plain": " --grid 2,1,1", "named": " --grid 2,1,1 --arg 1=3", "described": ""}, (commands, ran.stdout))
    for name, words in commands.items():
        once = lanescope(folder, "check", f"again/{name}/kernel.ptx", "--keep-going", *words.split())
        expect(once.returncode == 1 and "fault [race]" in once.stdout, once)


def pages(folder):
    """Each finding has a page with the steps of its run."""
    made = lanescope(folder, "report", "whole", "--format", "html", "-o", "out/report.html", "--pages", "out/findings")
    expect(not (folder / "out").exists() or made.returncode == 1, made)
    report = (folder / "out/report.html").read_text()
    expect(set(re.findall(r'href="(findings/[^"]*)"', report)) == {"findings/finding-1.html", "findings/finding-2.html"}, report)
    page = (folder / "out/findings/finding-1.html").read_text()
    expect(not re.search(r"(src|href)=\"(?!\.\./report\.html)", page), "a page without anything from elsewhere")
    expect('<div id="s3" class="named"><b>3</b>  s = threadIdx.x / 32; </div>' in page, page)
    steps = json.loads(re.search(r"const steps = (.*?);</script>", page)[1])
    items = re.findall(r"<li( class=\"access\")?>(.*?)</li>", page)
    expect(len(items) == len(steps) and items[-1] == (' class="access"', "warp 1 of block 0: st.shared.u32 [s], %r2;"), items)
    expect((' class="access"', "warp 0 of block 0: st.shared.u32 [s], %r2;") in items[:-1], "the other access")
    expect(steps[-1]["source"] == 3 and steps[-1]["ptx"] == 14 and "warp 0" in steps[-1]["warps"], steps[-1])
    needs = lanescope(folder, "report", "whole", "--pages", "out/findings")
    expect(needs.returncode == 2 and "--pages requires --output" in needs.stderr, needs)


def usage(folder):
    (folder / "kernels/lone.ptx").write_text("")
    for words, told in ((["check", "kernels", "kernels"], "several files need `--results DIR`"),
                        (["check", "kernels", "--jobs", "2"], "--jobs requires --results"),
                        (["check", "kernels", "--format", "html"], "`--format html` needs `--results DIR`"),
                        (["check", "kernels", "--results", "r", "--shrink"], "are for one file"),
                        (["check", "kernels", "--results", "r", "--shard", "3/2"], "a shard is a number and a count"),
                        (["check", "kernels", "--results", "r", "--format", "json"], "has no `--format json`"),
                        (["check", "none", "--results", "r"], "there is no file or folder `none`"),
                        (["report", "kernels"], "has no results"),
                        (["report", "whole", "--fail-on", "faults"], "--fail-on")):
        got = lanescope(folder, *words)
        expect(got.returncode in (1, 2) and told in got.stderr, (words, got))
    (folder / "whole/records-1-of-1.jsonl").open("a").write('{"schema": "lanescope.record/2", "unit": "k", "outcome": "checked"}\n')
    later = lanescope(folder, "report", "whole")
    expect(later.returncode == 1 and "reads records of the schema lanescope.record/1" in later.stderr, later)


def main():
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        wanted = killed_and_resumed(folder)
        formats(wanted)
        pages(folder)
        interrupted(folder)
        crashed(folder)
        baselines(folder)
        allowed(folder)
        guessed(folder)
        usage(folder)
    for failure in failures:
        print("FAILED:", failure)
    print(f"check_many: {done - len(failures)} of {done}")
    return 1 if failures else 0


sys.exit(main())
