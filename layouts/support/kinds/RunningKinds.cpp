#include "layouts/support/kinds/Areas.h"

#include <array>

namespace lanescope {
namespace {

// clang-format off
constexpr auto kRunningRows = std::to_array<KindEntry>({
    kind("no-rule", "there is no such rule of the checker",
         "docs/rules.md lists the rules; the message proposes the nearest."),
    kind("launch-field", "the form for a launch has no such field, or the field does not take that text",
         "Choose a field of the form."),
    kind("launch-of-another", "the launch description beside a PTX file describes a kernel that the file does not have; it is not used",
         "Give the right one with `--launch`.")
        .severities("note"),
    kind("no-launch", "PTX is to be checked without a launch description",
         "Give `--launch launch.json` (docs/launch.md), or `--grid` and arguments for a guess."),
    kind("no-entry", "PTX has no `.entry`, or none of that name",
         "The message lists the entries that there are."),
    kind("guessed-launch", "a launch without a description was guessed; a note lists the guesses, and an error says that the kernel left the guessed buffers",
         "Describe the launch with `--launch`, or set what the note names.")
        .severities("error note"),
    kind("output-code", "how torch.compile's output code calls a kernel, and the kernel under which it was launched; it is no fault",
         "Nothing is to be done.")
        .severities("note"),
    kind("random-inputs", "a file that a launch description names is missing, and random numbers are used instead",
         "Put the file beside the description if the results have to be meaningful.")
        .severities("note"),
    kind("compiled-anew", "PTX that JAX dumped takes other parameters than its module says; the module was compiled here instead",
         "Dump both in one run.")
        .severities("note"),
    kind("triton", "the metadata of a kernel in Triton's cache is damaged",
         "Remove the folder of the kernel from the cache and run the program again."),
    kind("schedule", "there is no schedule of that name",
         "Take a name from a finding, or a number for `--seed`."),
    kind("no-ptx", "a folder to be checked holds no PTX",
         "Give the folder of a dump, of Triton's cache or of packages."),
    kind("allow-without-reason", "a comment that allows findings gives no reason",
         "Write `lanescope: allow RULE because REASON` (docs/ci.md)."),
    kind("unused-allow", "a comment allows findings at a statement where no kernel has one any more",
         "Remove the comment if the kernel is mended.")
        .severities("note"),
    kind("unit-time-limit", "the check of one of many files did not end in time",
         "Give it more with `--unit-time-limit`, or check the file alone."),
    kind("unit-crash", "the process that checked one of many files ended without a result",
         "Check the file alone, and report the crash if it comes again."),
    kind("results", "a folder of results, one of its records or the number of a shard is wrong",
         "`lanescope check FOLDER --results DIR` writes such a folder (docs/ci.md)."),
    kind("baseline", "a baseline of known findings is damaged",
         "Write it again with `lanescope baseline DIR -o FILE`."),
    kind("no-parameter", "a parameter is set that no `param(…)` declares",
         "Declare it in the snippet, or correct the name."),
    kind("parameter-twice", "two calls of `param` have the same name",
         "Give each parameter a name of its own.")
        .run("a = param('n', 1)\nb = param('n', 2)",
              "the parameter `n` is declared twice; name its value once and use that"),
    kind("parameter-value", "a parameter is set to a value that it does not take",
         "Its `param(…)` states type and choices.")
        .severities("error note"),
    kind("file-kind", "the command does not take files of that kind",
         "The message names the command that does."),
    kind("spills", "a kernel's threads keep many of their values in local memory",
         "Use smaller tiles, or more warps for a tile.")
        .severities("note"),
    kind("no-gpu", "there is no GPU that can be used",
         "Use `--device emulator`, or a worker on another host (`--worker`); `lanescope doctor` lists what is missing."),
    kind("gpu", "a call of the CUDA driver failed",
         "The message has the driver's words; `lanescope doctor` examines the machine."),
    kind("kernel-fault", "the kernel failed on the GPU",
         "Run it on the emulator, which names the instruction."),
    kind("timeout", "the kernel did not end in time",
         "Raise `--time-limit`, or look for a wait that never ends: the emulator reports deadlocks."),
    kind("tune", "no configuration that `tune` tried runs with right results",
         "The notes say why each was refused."),
    kind("tuned", "neither `tune` nor the table has an entry for the kernel at that many sizes",
         "Call `tune` for it first."),
    kind("process", "the worker's process could not be started, or ended early",
         "The message has its last words."),
    kind("program", "a Python program failed, or its process sent no valid message; as a note: which Python ran it",
         "Run the program by itself to see its own error.")
        .severities("error note"),
    kind("no-python", "there is no Python that can run a program, or the package is not beside this program",
         "Install CPython 3.11 or later, or name one with `--python`."),
    kind("worker-silent", "the GPU's worker has said nothing for some seconds",
         "Wait: the note says what it is doing. Ctrl-C stops it.")
        .severities("note"),
    kind("worker-gone", "the worker's process has ended, or its connection is closed",
         "The next run starts a new one. Over ssh, check that the command still logs in."),
    kind("worker-timeout", "the worker did not answer within its time limit",
         "Over a slow connection, start it once by hand; the next run starts a new one."),
    kind("worker-protocol", "a message of the worker does not fit the protocol",
         "Install the same version of `lanescope-worker` on both hosts."),
    kind("breakpoint", "a breakpoint at a line without code, or a watchpoint outside of memory",
         "Choose a line that the listing marks as code."),
    kind("debug-command", "the debugger has no such command, or the command takes other words, or there is nothing to debug",
         "`help` in the debugger lists the commands."),
    kind("debug-value", "a name has no value yet at the line where the run has stopped",
         "Step past the line that defines it."),
});
// clang-format on

} // namespace

KindArea runningKinds() { return {"Running: GPU, worker, programs", kRunningRows}; }

} // namespace lanescope
