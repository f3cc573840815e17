// Synonyms for the entries of the palette: words from debuggers, profilers and editors, and other words of the field.
// tests/unit/gui/CommandPaletteTest.cpp searches for such words.
#include "viz/gui/window/CommandPalette.h"

namespace lanescope::viz {

namespace {

constexpr Synonyms kTable[] = {
    // Pictures.
    {"Array", "who owns, owner, ownership, who holds, element, fragment, matrix, tile"},
    {"Threads", "thread, registers, register file, what does a thread hold, thread values, tv layout, warps and lanes"},
    {"Tensor memory", "tmem, tensor core memory, tcgen05, ttmem"},
    {"Shared memory", "smem, shared, banks, bank, bank conflict, bank conflicts, conflict, conflicts, lds, wavefronts, "
                      "swizzled memory"},
    {"Bits", "linear layout, f2, basis, bases, matrix of bits, xor, bit matrix"},
    {"Compared", "second layout, other layout, side by side"},
    {"Relayout", "convert layout, layout conversion, convert, conversion, shuffle, shuffles, transpose registers, "
                 "layout cast, change layout, move data"},
    {"Difference", "diff, compare layouts, differences, what changed"},
    {"Devices", "sharding, shard, mesh, multi gpu, gpus, partition"},
    // Views.
    {"Layouts", "layout, explorer, fragment layout"},
    {"Trace", "timeline, profiler, profile, trace view, perfetto, nsight, gantt"},
    {"Code", "source, ir, mlir, ptx, assembly, listing, compiler explorer, godbolt"},
    {"Dump", "jax dump, mosaic dump, module, ops, operations"},
    {"Debugger", "debug, gdb, cuda-gdb, step, stepping, step through"},
    {"Data", "values, numbers, array values, npy, tensor values"},
    // The window.
    {"Dark theme", "dark mode, night mode, black, theme"},
    {"Light theme", "light mode, day mode, white, white background"},
    {"Larger", "font size, bigger, bigger text, increase font, larger text, scale up, ui scale"},
    {"Smaller", "decrease font, smaller text, scale down, tiny"},
    {"Keys", "shortcuts, keyboard, keyboard shortcuts, hotkeys, key bindings, keybindings, help, cheat sheet"},
    {"Console", "repl, terminal, command line, prompt, type an expression"},
    {"Clear the console", "clear, cls, clear output"},
    {"Open a file", "open, load, load file, import, browse, recent files"},
    {"Run again", "run, rerun, re-run, execute, reload, refresh, compile, build"},
    {"New snippet", "new, new file, new kernel, write a kernel, create, scratch"},
    {"Editor", "edit, text editor, edit code, edit kernel"},
    {"Save the snippet", "save, save file, write file"},
    {"Run while typing", "live, auto run, autorun, watch mode, hot reload, live coding"},
    {"Comment or uncomment", "comment, toggle comment"},
    {"Save the workspace", "save session, session, save workspace, project"},
    {"Stop", "kill, cancel, abort, interrupt, ctrl+c, break, terminate"},
    {"Copy view", "share, copy, clipboard"},
    {"Copy link", "link, share link, permalink, url, browser"},
    {"Paste", "paste layout, from clipboard, ctrl+v"},
    {"Usual arrangement", "reset, reset layout, reset window, default layout, restore windows, defaults"},
    {"Fold or unfold the side bar", "sidebar, side panel, hide panel, hide sidebar, details"},
    {"Fold or unfold the list of files", "file list, hide files, explorer panel, sidebar files"},
    {"Fold or unfold the console", "hide console, hide terminal"},
    {"Parameters as the text gives them", "reset parameters, reset sliders, default parameters"},
    // A picture.
    {"Zoom in", "zoom, magnify, closer"},
    {"Zoom out", "farther, shrink"},
    {"As large as labels need", "labels, show labels, readable, text in cells, numbers in cells"},
    {"Whole picture", "fit, zoom to fit, fit to window, reset zoom, home, show all, fullscreen"},
    {"Unpin", "deselect, unselect, clear selection, let go, escape"},
    {"Export the picture", "export, save image, save picture, svg, png, pdf, html, screenshot, save as, print, figure"},
    {"Colour by warp", "warp, warps, color by warp, which warp"},
    {"Colour by lane", "lane, lanes, color by lane, thread id, which lane, which thread"},
    {"Colour by register", "register, color by register, which register"},
    {"Colour by vector", "vectorization, vectorisation, vector width, color by vector"},
    {"Colour by bank", "color by bank"},
    {"Swizzle of 128 bytes", "swizzle, 128b swizzle, swizzling, swizzle mode"},
    {"No swizzle", "unswizzled, remove swizzle, interleave"},
    {"Read as memory", "as memory, memory layout, offsets, strides"},
    // Bank conflicts.
    {"Conflicts of ldmatrix.x4", "ldmatrix, ldsm, matrix load"},
    {"Conflicts of stmatrix.x4", "stmatrix, stsm, matrix store"},
    // A trace.
    {"Critical path", "why slow, slow, stall, stalls, bottleneck, why is it slow, hot spot, hotspot, latency, "
                      "what takes time, performance, bound"},
    {"Overlap over time", "overlap, utilization, utilisation, hidden latency, concurrency, tensor core busy"},
    {"Blocks on processors",
     "occupancy, sm, sms, tail, tail effect, waves, wave quantization, load balance, scheduling"},
    {"Compare the traces", "compare, compare traces, before and after, regression, ab, a/b"},
    {"Line of the cause", "why waits, who blocks, cause, blocked by, go to source, jump to line, source line"},
    // The code.
    {"Machine code", "sass, disassembly, disassemble, cubin, nvdisasm"},
    // The debugger.
    {"Debugger: line back", "step back, back, reverse, step backwards, undo step, rewind, time travel, previous line"},
    {"Debugger: line", "step over, next line, step line"},
    {"Debugger: instruction", "step into, stepi, single step, step instruction, next instruction"},
    {"Debugger: instruction back", "reverse stepi, previous instruction"},
    {"Debugger: continue", "continue, resume, go on, run to breakpoint, play"},
    {"Debugger: continue back", "reverse continue, run backwards"},
    {"Debugger: start", "restart, beginning, from the start, rewind to start"},
    {"Debugger: end", "run to end, finish, last moment"},
    {"Debugger: fault", "race, data race, fault, crash, error, go to fault, illegal address, deadlock point, bug"},
    {"Debugger: breakpoint", "breakpoint, break at line, toggle breakpoint, set breakpoint"},
    {"Debugger: stop where …", "watch, watchpoint, conditional breakpoint, condition, data breakpoint, break when"},
    {"Debugger: next warp", "switch warp, change warp, other warp, focus warp"},
    {"Debugger: warps", "warp states, all warps, program counters, pc"},
    {"Debugger: values", "variables, locals, print variable, inspect, watch window"},
    {"Debugger: barriers", "mbarrier, mbarriers, phase, phases, parity, bar.sync, named barrier"},
    {"Debugger: what is in flight",
     "tma, async copies, cp.async, in flight, pending copies, outstanding, wgmma groups"},
    {"Debugger: who waits for whom", "deadlock, hang, stuck, waiting, who waits, wait graph"},
    {"Debugger: registers", "register values, dump registers, pred, predicates"},
    {"Debugger: shared memory", "smem contents, shared memory contents, memory dump"},
    {"Debugger: tensor memory", "tmem contents, tensor memory contents"},
    {"Debugger: arrays", "global memory, arguments, outputs, buffers"},
    {"Debugger: what stops it", "breakpoints, list breakpoints, watchpoints"},
};

} // namespace

std::span<const Synonyms> synonyms() { return kTable; }

} // namespace lanescope::viz
