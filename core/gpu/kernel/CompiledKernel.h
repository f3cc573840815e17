// What the compiler hands to a device: PTX, how to launch it, and how to read the results.
#pragma once

#include "core/gpu/kernel/Launch.h"
#include "core/Trace.h"

#include <string>
#include <vector>

namespace lanescope::core {

/// The layout of one value, for views: where it is defined and what it is.
struct ValueLayout {
  Span span;          // the statement in the snippet
  std::string name;   // variable name where known
  std::string type;   // "f16[128, 128]"
  std::string layout; // JAX's text of the layout, or of the transforms
};

struct CompiledKernel {
  std::string name;
  std::string arch = "sm_90a";
  std::string ptx;
  /// Template: `buffers()` holds the kernel's GMEM arguments in order, then the profiler's u32 buffer when `profile`.
  Launch launch;
  /// Indices into launch.buffers() of the outputs, in the order of the kernel's results.
  std::vector<uint32_t> outputs;
  bool profiled = false;
  ProfileSpec profile;
  SourceRef source; // what `.loc` lines of file 1 refer to
  std::vector<ValueLayout> values;
};

} // namespace lanescope::core
