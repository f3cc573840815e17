// The result of a compiler, for a device. This base class has the members that every target needs: the arrays that a
// run reads and writes, and the places of the snippet's values. Each target derives a class with the data for a launch,
// such as CompiledKernel (core/gpu/kernel/CompiledKernel.h).
#pragma once

#include "core/data/Array.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lanescope::core {

/// A device array. `data` names the file with the array's initial values; without a file the array begins as zeros.
/// `out` names the file that receives the array after the run.
struct BufferSpec {
  Dtype dtype = Dtype::F32;
  Shape shape;
  std::string data, out; // relative to the launch description; empty if there is none
  std::string name;      // the kernel argument, for messages; may be empty
};

/// The layout of one value, for views.
struct ValueLayout {
  Span span;          // the statement in the snippet
  std::string name;   // the variable's name, if known
  std::string type;   // "f16[128, 128]"
  std::string layout; // JAX's text for the layout, or for the transforms
};

struct Artifact {
  Artifact() = default;
  Artifact(const Artifact &) = default;
  Artifact(Artifact &&) = default;
  Artifact &operator=(const Artifact &) = default;
  Artifact &operator=(Artifact &&) = default;
  virtual ~Artifact() = default;

  std::string name;
  std::string arch; // Target::name; an artifact from elsewhere may name an unknown target
  /// Indices into buffers() of the outputs, in the order of the kernel's results.
  std::vector<uint32_t> outputs;
  SourceRef source; // the snippet; null if unknown
  std::vector<ValueLayout> values;

  /// Every array of a run: the kernel's arguments in order, then the arrays that the target adds.
  virtual std::vector<const BufferSpec *> buffers() const = 0;
};

} // namespace lanescope::core
