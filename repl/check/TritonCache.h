// The files that Triton writes beside a kernel's PTX: `HASH/NAME.ptx` with `NAME.json` (warps, shared memory, clusters,
// descriptors) and `NAME.ttgir` or `NAME.ttir` (the arguments' names and types). Triton's cache, its dumps and the
// output of `triton.tools.compile` contain them.
//
//   auto hints = readTritonKernel("~/.triton/cache/HASH/add_kernel.ptx");
//   if (*hints) sketchLaunch(ptx, **hints);
//
// They do not contain the grid, the sizes and the scalar arguments, which differ from call to call.
#pragma once

#include "core/gpu/emulator/LaunchSketch.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace lanescope::repl {

/// The number of elements that one program of the kernel handles along each axis. It is the factor by which the IR
/// multiplies the program's index: 1024 in `%pid = tt.get_program_id x`, `%offset = arith.muli %pid, %c1024_i32`. The
/// number is 1 if there is no such factor, and 0 if there are several or if there is no IR.
std::array<int64_t, 3> tritonBlocks(const std::filesystem::path &ptx);

/// Reads the hints from the files; nothing if there are none. Error "triton": the JSON is damaged.
Result<std::optional<core::SketchOptions>> readTritonKernel(const std::filesystem::path &ptx);

} // namespace lanescope::repl
