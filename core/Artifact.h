// A compiler hands this to a device. It holds what every target has: the arrays that a run takes and gives, and the
// places of the snippet's values. Each target derives its own, which says how it is run:
// core/gpu/kernel/CompiledKernel.h.
#pragma once

#include "core/data/Array.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lanescope::core {

/// A device array. `data`: file it starts from (zeros without); `out`: file it is saved to after the run.
struct BufferSpec {
  Dtype dtype = Dtype::F32;
  Shape shape;
  std::string data, out; // relative to the launch description; empty: none
  std::string name;      // the kernel argument, for messages; may be empty
};

/// The layout of one value, for views: where it is defined and what it is.
struct ValueLayout {
  Span span;          // the statement in the snippet
  std::string name;   // variable name where known
  std::string type;   // "f16[128, 128]"
  std::string layout; // JAX's text of the layout, or of the transforms
};

struct Artifact {
  Artifact() = default;
  Artifact(const Artifact &) = default;
  Artifact(Artifact &&) = default;
  Artifact &operator=(const Artifact &) = default;
  Artifact &operator=(Artifact &&) = default;
  virtual ~Artifact() = default;

  std::string name;
  std::string arch; // Target::name; of an artifact from elsewhere maybe one that we have no Target of
  /// Indices into buffers() of the outputs, in the order of the kernel's results.
  std::vector<uint32_t> outputs;
  SourceRef source; // the snippet; null: unknown
  std::vector<ValueLayout> values;

  /// Every array of a run: the kernel's arguments in order, then what the target adds for itself.
  virtual std::vector<const BufferSpec *> buffers() const = 0;
};

} // namespace lanescope::core
