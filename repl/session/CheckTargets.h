// A PTX file with its launch and arrays, as `lanescope check` runs it.
//
//   auto target = ptxTarget("~/.triton/cache/HASH/add_kernel.ptx", {}, compiler, remarks);
//   emulate(target->ptx, target->launch, target->arrays, {});
//
// The launch comes from the first of these beside the PTX file: `NAME.launch.json` or `launch.json`, if it describes an
// entry of the file; Triton's metadata; JAX's module. Output code of torch.compile adds the sizes of its call. The rest
// is guessed.
#pragma once

#include "core/gpu/emulator/LaunchSketch.h"
#include "core/gpu/kernel/Launch.h"
#include "repl/session/InductorCode.h"

#include <filesystem>
#include <functional>
#include <vector>

namespace lanescope::core {
class Compiler;
}

namespace lanescope::repl {

struct CheckTarget {
  SourceRef ptx;
  core::Launch launch;
  std::vector<core::Array> arrays;
  std::vector<std::string> guesses; // the guessed parts of the launch
};

struct TargetOptions {
  std::filesystem::path launch = {}; // the description of one PTX file's launch; empty: the one beside it
  core::SketchOptions sketch = {};   // grid and arguments that no file describes
  InductorFiles *inductor = nullptr; // finds output code of torch.compile; null: do not look for it
};

/// The launch description beside a PTX file: `NAME.launch.json`, else `launch.json`; empty: neither exists.
std::filesystem::path launchBeside(const std::filesystem::path &ptx);
/// The launch that the PTX alone suggests; the rest is guessed.
Result<CheckTarget> guessedTarget(SourceRef ptx, const core::SketchOptions &options);
/// The PTX file with its launch and arrays. `remarks` gets notes on arrays that are random because their file is
/// missing, and on a description beside the PTX that is ignored because it describes another kernel. Errors: the file
/// cannot be read, its launch is unknown, its arrays do not fit.
Result<CheckTarget> ptxTarget(const std::filesystem::path &ptx, const TargetOptions &options,
                              const std::function<core::Compiler &()> &compiler, Diagnostics &remarks);
/// All PTX files in a folder and its subfolders, in order. Error "no-ptx": there is none.
Result<std::vector<std::filesystem::path>> ptxFiles(const std::filesystem::path &folder);

} // namespace lanescope::repl
