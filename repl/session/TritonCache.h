// What Triton keeps of a kernel beside its PTX: `HASH/NAME.ptx` with `NAME.json` (warps, shared memory, clusters,
// descriptors) and `NAME.ttgir` or `NAME.ttir` (the arguments' names and types). Its cache, its dumps and what
// `triton.tools.compile` leaves have these files.
//
//   auto hints = readTritonKernel("~/.triton/cache/HASH/add_kernel.ptx");
//   if (*hints) sketchLaunch(ptx, **hints);
//
// Grid, sizes and numbers are not among it: they are those of each call.
#pragma once

#include "core/gpu/emulator/LaunchSketch.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace lanescope::repl {

/// How many elements a program of the kernel does along each axis, by its IR: what the program's number is multiplied
/// by, `%pid = tt.get_program_id x`, `%offset = arith.muli %pid, %c1024_i32`. 1 where it is not; 0 where there are
/// several such numbers, or there is no IR.
std::array<int64_t, 3> tritonBlocks(const std::filesystem::path &ptx);

/// Nothing where there are no such files. Error "triton": its JSON is damaged.
Result<std::optional<core::SketchOptions>> readTritonKernel(const std::filesystem::path &ptx);

} // namespace lanescope::repl
