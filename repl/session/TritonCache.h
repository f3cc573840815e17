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

#include <filesystem>
#include <optional>

namespace lanescope::repl {

/// Nothing where there are no such files. Error "triton": its JSON is damaged.
Result<std::optional<core::SketchOptions>> readTritonKernel(const std::filesystem::path &ptx);

} // namespace lanescope::repl
