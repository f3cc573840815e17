// A launch description made from PTX alone, with a guess in each place that PTX does not say.
//
//   auto sketch = sketchLaunch(ptx, {.arguments = {{"N", "1024"}}});
//   sketch->launch                 // ready to run, if the guesses are good
//   sketchJson(*sketch)            // launch.json, with the guesses named in its `comment`
//
// PTX says the entry, the parameters' sizes and often the threads of a block; what a pointer points to is read off the
// loads and stores behind it. How many elements it has, what numbers are and how many blocks there are is nowhere.
#pragma once

#include "core/gpu/kernel/Launch.h"
#include "layouts/support/Source.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lanescope::core {

/// What somebody else knows of a parameter, such as Triton's files.
struct ParamHint {
  std::string name;
  std::optional<Dtype> element = {};           // of what it points to
  std::optional<TensorMapSpec> tensorMap = {}; // a descriptor: dtype, box and swizzle; sizes and strides are guessed
  int64_t bytes = -1;                          // of what it points to; below 0: not known
};

struct SketchOptions {
  std::string entry;                           // empty: the first one
  std::optional<std::array<uint32_t, 3>> grid; // blocks
  uint32_t threads = 0;                        // of a block; 0: what the PTX asks for
  uint32_t leastThreads = 0;                   // where the PTX asks for none; 0: 128, as a guess
  std::array<uint32_t, 3> cluster{1, 1, 1};
  uint32_t dynamicSmem = 0;
  std::map<std::string, std::string> arguments; // values of scalars by name, or by number from 0
  bool ofOthersToo = false;                     // some arguments may be other kernels'
  std::vector<ParamHint> hints;                 // of the first parameters, in order
};

struct LaunchSketch {
  Launch launch;
  std::vector<std::string> guesses; // "`grid`: one block"
};

/// Errors: "ptx" and such of a text that cannot be read; "no-entry"; "arguments" for a value that no parameter takes.
Result<LaunchSketch> sketchLaunch(const SourceRef &ptx, const SketchOptions &options);
std::string sketchJson(const LaunchSketch &sketch);
/// The names of the PTX's `.entry` functions with a body, in their order. Errors: "ptx" and such.
Result<std::vector<std::string>> entryNames(const SourceRef &ptx);

/// Numbers for a buffer, the same for the same seed: floats from -1 to 1 in quarters, small integers.
Array sampleArray(const BufferSpec &buffer, uint32_t seed);

} // namespace lanescope::core
