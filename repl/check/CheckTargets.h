// A PTX file with its launch and arrays, as `lanescope check` runs it.
//
//   auto target = ptxTarget("~/.triton/cache/HASH/add_kernel.ptx", {}, compiler, remarks);
//   emulate(target->ptx, target->launch, target->arrays, {});
//
// The launch comes from the first of these beside the PTX file: `NAME.launch.json` or `launch.json`, if it describes an
// entry of the file; Triton's metadata; JAX's module. Output code of torch.compile adds the sizes of its call. All
// other parts of the launch are guessed.
#pragma once

#include "core/gpu/emulator/LaunchSketch.h"
#include "core/gpu/kernel/Launch.h"
#include "repl/check/InductorCode.h"

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
  std::vector<std::string> used;    // the options that the launch is made from: "--grid", "--arg N"
};

struct TargetOptions {
  // The description of a single PTX file's launch; empty: the description beside the file.
  std::filesystem::path launch = {};
  core::SketchOptions sketch = {};   // a grid in place of the described one; arguments, where no file describes them
  InductorFiles *inductor = nullptr; // finds output code of torch.compile; null: do not look for it
};

/// The launch description beside a PTX file: `NAME.launch.json`, else `launch.json`; empty: neither exists.
std::filesystem::path launchBeside(const std::filesystem::path &ptx);
/// The launch that the PTX alone suggests. All that the PTX leaves open is guessed.
Result<CheckTarget> guessedTarget(SourceRef ptx, const core::SketchOptions &options);
/// The PTX file with its launch and arrays. `remarks` gets a note if arrays are random because their file is missing,
/// and a note if a description beside the PTX is ignored because it describes another kernel. Errors: the file cannot
/// be read, its launch is unknown, its arrays do not fit.
Result<CheckTarget> ptxTarget(const std::filesystem::path &ptx, const TargetOptions &options,
                              const std::function<core::Compiler &()> &compiler, Diagnostics &remarks);
/// The files beside a PTX file that its launch, its arrays and the places of its findings come from, sorted; some of
/// them may not exist. If none of them changes, ptxTarget() returns the same target.
std::vector<std::filesystem::path> filesOfTarget(const std::filesystem::path &ptx);
/// All PTX files in a folder and its subfolders, sorted. Error "no-ptx": there is none.
Result<std::vector<std::filesystem::path>> ptxFiles(const std::filesystem::path &folder);

} // namespace lanescope::repl
