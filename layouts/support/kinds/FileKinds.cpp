#include "layouts/support/kinds/Areas.h"

#include <array>

namespace lanescope {
namespace {

// clang-format off
constexpr auto kFilesRows = std::to_array<KindEntry>({
    kind("unreadable-file", "a file cannot be read: it is missing, a folder, not permitted or too large",
         "Check the name and its folder: names in a snippet begin at the snippet's folder. The message has the operating system's error."),
    kind("unwritable-file", "a file or folder cannot be written",
         "Choose another folder with `-o` or `--out`, or make room on the disk."),
    kind("scratch-folder", "the folder of `--scratch` cannot hold arrays",
         "Name a folder on a disk in which files can be made, such as /var/tmp. A file system in memory (tmpfs) would not save any."),
    kind("file-access", "a name leads out of the folders that may be read or written, through a link, or to a pipe or a device",
         "Snippets of strangers must not reach your files. `--read FOLDER` and `--out FOLDER` open other folders (docs/security.md)."),
    kind("file-exists", "the file exists already, and the snippet did not make it",
         "Lanescope overwrites such a file only with `--overwrite`. Remove the file, choose another name, or give that option."),
    kind("unusable-file", "a file that a snippet names does not fit its use",
         "The message says which dtype, shape or format is needed there."),
    kind("gzip", "compressed data are damaged, or larger than the limit after unpacking",
         "Fetch the file again; `gzip -t FILE` checks that it is whole."),
    kind("json", "a text is no JSON, or a value has no JSON form",
         "For a text: the message has the place. For a value: convert it first, a layout with `str`, for instance."),
    kind("npy", "a `.npy` file is damaged, or holds a type that is not supported",
         "Save the array again with `numpy.save` with a number type; arrays of objects are never read."),
    kind("npz", "a `.npz` file is damaged",
         "Save it again with `numpy.savez`; `unzip -t FILE` checks that it is whole."),
    kind("launch", "a launch description is wrong, or its arrays do not fit it",
         "docs/launch.md lists the fields; the message has the line of the description."),
    kind("tensor-map", "the hardware refuses a TMA descriptor, or a copy through it",
         "Each stride is a multiple of 16 bytes, each box size at most 256, and the swizzle holds a row of the box; the message says which rule is broken."),
    kind("workspace-file", "a file is no workspace of the window, or a field has another type",
         "Save the workspace again from the window (docs/window.md)."),
    kind("checkpoint", "a checkpoint of a run is damaged or of another launch, or the run cannot have one",
         "Remove the file to run from the start. Kernels whose blocks may wait for each other at global memory, and launches on several devices, run without `--checkpoint`."),
    kind("package", "a kernel package is damaged, or its parts do not fit together",
         "Make the package again with `lanescope compile --emit package`, `record` or `run --capture`."),
    kind("record", "`lanescope record` cannot start, or a launch cannot be described as a package",
         "The message says which launch. The program itself goes on."),
    kind("usage", "the command line of `record` lacks its program, or has an unknown word or a value that does not fit",
         "Write `lanescope record [OPTIONS] -o DIR -- PROGRAM ARGS…`; `lanescope record --help` lists the options."),
    kind("cuda-image", "an image that a CUDA program gives to the driver is damaged, or compressed in a way that cannot be read here",
         "Build the program with PTX in it, uncompressed: `nvcc -gencode arch=compute_90,code=compute_90 --no-compress`."),
    kind("unexpected-output", "a run did not give the expected arrays, or did not print the expected text",
         "The message has the first element that differs. Look at it, or give more room with `--rtol` and `--atol`."),
    kind("cache", "a file of the kernel cache is damaged; it counts as missing",
         "You need not do anything: the kernel is compiled again.")
        .noTest("no message leaves the cache"),
    kind("trace", "a file is no Chrome trace",
         "The file has to be a JSON list of events, or an object with `traceEvents`."),
    kind("trace-skipped", "events of kinds that Lanescope does not read",
         "They are not drawn. The message counts them.")
        .severities("warning"),
    kind("trace-left-out", "events of a trace that cannot be used: no `ph`, `ts` or `dur`, or values of another kind",
         "Mend the program that writes the trace; the other events are shown.")
        .severities("warning"),
    kind("trace-unfinished", "the file ends before its array of events does",
         "The program that wrote it was stopped. The events before the end are shown.")
        .severities("warning"),
    kind("trace-comma", "there is a comma too many between the events of a trace",
         "The events are read all the same.")
        .severities("warning"),
    kind("trace-utf8", "bytes of a trace's events that are no UTF-8",
         "They are shown as replacement characters.")
        .severities("warning"),
    kind("trace-far-apart", "events more than 104 days from most others, whose times are not exact",
         "A clock was wrong or in another unit. Check the events that the message names.")
        .severities("warning"),
    kind("trace-without-id", "an asynchronous event or a flow without `id`",
         "Give each pair of events one `id`.")
        .severities("warning"),
    kind("trace-unmatched", "an end of an asynchronous slice or a flow without the other end",
         "Write both ends, with one `id` and `cat`.")
        .severities("warning"),
    kind("trace-stray-end", "an `E` event that ends nothing",
         "Write its `B` event before it, in the same `pid` and `tid`.")
        .severities("warning"),
    kind("trace-wrong-end", "an `E` event whose name is not that of the slice that it ends",
         "Slices of a thread nest: end the inner one first.")
        .severities("warning"),
    kind("trace-open", "a `B` event that never ends",
         "It is drawn to the end of the trace. Write its `E` event.")
        .severities("warning"),
    kind("trace-flights", "a block made more copies and waits than its trace holds",
         "The first ones are kept. Trace fewer blocks or a smaller problem.")
        .severities("warning"),
    kind("trace-notes", "the file beside a trace, `FILE.notes.json`, holds no notes",
         "Remove it, or restore it; the trace itself is not affected."),
    kind("profile", "a profiler's buffer has another size than its description says",
         "Read the buffer with the description of the same compilation.")
        .severities("error warning"),
    kind("profile-corrupt", "the kernel wrote over the profiler's memory",
         "A store of the kernel goes past its array: run the kernel on the emulator, which names the store.")
        .severities("error warning"),
    kind("profile-clocks", "the clocks of several GPUs cannot be compared: each device has times of its own in the trace",
         "Compare durations only, not times of two devices.")
        .severities("warning"),
    kind("profile-full", "there are more events than the profiler's memory holds",
         "Raise the number of entries, or profile fewer iterations.")
        .severities("warning"),
    kind("profile-open", "a profiled region never ends",
         "Leave the region before the kernel ends.")
        .severities("warning"),
    kind("profile-stray-end", "a profiled region ends without a begin",
         "Begin and end each region in the same warp.")
        .severities("warning"),
    kind("profile-space", "the profiler's records do not fit into shared memory",
         "Record fewer entries, or make the kernel's own buffers smaller.")
        .severities("error warning"),
    kind("layout-not-inferable", "layout inference has no answer: a reference without a contiguous dimension, elements without a width, or tiles that split dimensions",
         "Give the layout or the transforms yourself."),
    kind("dump-layout", "layouts or transforms in a dump belong to no value",
         "Look at the operation that the message names; the rest of the dump is shown.")
        .severities("warning"),
    kind("no-dumps", "a folder holds no files with the names of JAX's dumps, or a dump lacks the part that was asked for",
         "Write dumps with `MOSAIC_GPU_DUMP_TO=FOLDER` and give that folder (docs/dumps.md)."),
    kind("what-if", "a cast asks for a layout that the value does not have",
         "Choose among the layouts that the value has."),
    kind("dump-kernel", "a dump's launch cannot become a kernel here: several launches, sizes that are no constants, values that the host computes, or a module of a SparseCore",
         "Dump the one kernel with constant shapes, or look at it with `lanescope open`."),
    kind("not-a-dump", "a module has no operations at the level of warpgroups",
         "Take the module before it is lowered (docs/dumps.md)."),
    kind("chunk-too-large", "a pasted text is longer than the part that is read",
         "Save it as a file and open that."),
    kind("launches-left-out", "there are more launches than a run keeps, and the first ones are not saved",
         "Launch less often, or save within the loop.")
        .severities("warning"),
    kind("findings-left-out", "there are more findings than a run shows",
         "Mend the first ones; the rest often goes with them.")
        .severities("warning"),
});
// clang-format on

} // namespace

KindArea fileKinds() { return {"Files, traces, packages", kFilesRows}; }

} // namespace lanescope
