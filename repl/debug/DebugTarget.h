// The run to debug: PTX with its launch and arrays, and facts about the snippet that the PTX was compiled from.
#pragma once

#include "core/Artifact.h"
#include "core/gpu/kernel/Launch.h"
#include "core/gpu/kernel/TensorArrays.h"

#include <string>
#include <vector>

namespace lanescope::repl {

struct DebugTarget {
  std::string name; // name of the kernel
  SourceRef ptx;    // must have marks if values are to be found by name (core/gpu/codegen/DebugValues.h)
  core::Launch launch;
  std::vector<core::Array> arrays; // in the order of launch.buffers()
  SourceRef snippet;               // null: the PTX was not compiled from a snippet
  std::vector<core::ValueLayout> values;
  std::vector<core::TensorArray> tensorArrays; // arrays of the kernel in tensor memory
  uint64_t seed = 0;
  bool strict = false;
};

} // namespace lanescope::repl
