// What is debugged: PTX with its launch and arrays, and what is known of the snippet that it was made from.
#pragma once

#include "core/Artifact.h"
#include "core/gpu/kernel/Launch.h"
#include "core/gpu/kernel/TensorArrays.h"

#include <string>
#include <vector>

namespace lanescope::repl {

struct DebugTarget {
  std::string name; // of the kernel
  SourceRef ptx;    // with marks where values are to be found by name (core/gpu/codegen/DebugValues.h)
  core::Launch launch;
  std::vector<core::Array> arrays; // launch.buffers() order
  SourceRef snippet;               // null: PTX from elsewhere
  std::vector<core::ValueLayout> values;
  std::vector<core::TensorArray> tensorArrays; // that the kernel declares in tensor memory
  uint64_t seed = 0;
  bool strict = false;
};

} // namespace lanescope::repl
