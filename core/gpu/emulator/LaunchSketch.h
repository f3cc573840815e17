// Makes a launch description from PTX alone. Where PTX does not determine a value, the value is a guess.
//
//   auto sketch = sketchLaunch(ptx, {.arguments = {{"N", "1024"}}});
//   sketch->launch                 // ready to run, if the guesses are good
//   sketchJson(*sketch)            // launch.json, with the guesses named in its `comment`
//
// PTX states the entry, the sizes of the parameters and often the threads per block. A pointer's element type is
// deduced from the loads and stores that use the pointer. The number of elements, the values of scalars and the number
// of blocks are guesses.
#pragma once

#include "core/gpu/kernel/Launch.h"
#include "layouts/support/Source.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lanescope::core {

/// Facts about a parameter from another source, such as Triton's files.
struct ParamHint {
  std::string name;
  std::optional<Dtype> element = {}; // type of the elements that the pointer points to
  // A descriptor with dtype, box and swizzle; sizes and strides are guesses.
  std::optional<TensorMapSpec> tensorMap = {};
  int64_t bytes = -1; // size of the memory that the pointer points to; negative: unknown
};

struct SketchOptions {
  std::string entry;                           // empty: the first entry
  std::optional<std::array<uint32_t, 3>> grid; // blocks
  uint32_t threads = 0;                        // threads per block; 0: what the PTX requires
  uint32_t leastThreads = 0;                   // used if the PTX requires no number; 0: 128, as a guess
  std::array<uint32_t, 3> cluster{1, 1, 1};
  uint32_t dynamicSmem = 0;
  std::map<std::string, std::string> arguments; // values of scalars by name, or by number from 0
  bool ofOthersToo = false;                     // `arguments` may name parameters of other kernels
  std::vector<ParamHint> hints;                 // for the first parameters, in order
};

struct LaunchSketch {
  Launch launch;
  std::vector<std::string> guesses; // "`grid`: one block"
  std::vector<std::string> taken;   // names in SketchOptions::arguments that a parameter has
};

/// Errors: "ptx" and related kinds if the text cannot be read; "no-entry"; "arguments" if a value fits no parameter.
Result<LaunchSketch> sketchLaunch(const SourceRef &ptx, const SketchOptions &options);
std::string sketchJson(const LaunchSketch &sketch);
/// Returns the names of the `.entry` functions in the PTX that have a body, in order. Errors: "ptx" and related kinds.
Result<std::vector<std::string>> entryNames(const SourceRef &ptx);

/// Returns sample numbers for a buffer: floats from -1 to 1 in quarters, or small integers. The same seed gives the
/// same numbers.
Array sampleArray(const BufferSpec &buffer, uint32_t seed);

} // namespace lanescope::core
