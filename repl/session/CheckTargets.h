// A PTX file as `lanescope check` runs it: with its launch and its arrays.
//
//   auto target = ptxTarget("~/.triton/cache/HASH/add_kernel.ptx", {}, compiler, remarks);
//   emulate(target->ptx, target->launch, target->arrays, {});
//
// A PTX file is launched as `NAME.launch.json` or `launch.json` beside it says, where that is of an entry of its; else
// as Triton's metadata or JAX's module beside it say, with what the output code of torch.compile calls it with, and
// what these leave open is guessed.
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
  std::vector<std::string> guesses; // of the launch: what nobody said; empty: nothing
};

struct TargetOptions {
  std::filesystem::path launch = {}; // of one PTX file; empty: beside it
  core::SketchOptions sketch = {};   // grid and arguments where nobody else says them
  InductorFiles *inductor = nullptr; // finds output code of torch.compile for PTX of its cache; null: not looked for
};

/// The description of a launch beside a PTX file: `NAME.launch.json`, else `launch.json`; empty: neither is there.
std::filesystem::path launchBeside(const std::filesystem::path &ptx);
/// The launch as PTX alone suggests it, and what that leaves open as a guess.
Result<CheckTarget> guessedTarget(SourceRef ptx, const core::SketchOptions &options);
/// Notes on arrays that are random, as their file is not there, and on a description beside the PTX
/// that is of another kernel and not taken, go to `remarks`. Errors: the file cannot be read,
/// nothing says how it is launched, its arrays do not fit.
Result<CheckTarget> ptxTarget(const std::filesystem::path &ptx, const TargetOptions &options,
                              const std::function<core::Compiler &()> &compiler, Diagnostics &remarks);
/// All PTX files in a folder and below, in order. Error "no-ptx": there is none.
Result<std::vector<std::filesystem::path>> ptxFiles(const std::filesystem::path &folder);

} // namespace lanescope::repl
