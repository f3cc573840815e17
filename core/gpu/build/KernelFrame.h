// The parts of a kernel that exist before its first statement: name, grid, arguments, shared and tensor memory,
// barriers and accumulators. GpuBuilder::make emits them.
#pragma once

#include "core/gpu/build/GpuReferences.h"
#include "core/gpu/ir/SmemTransforms.h"
#include "core/gpu/kernel/GpuTarget.h"

#include <array>

namespace lanescope::core {

constexpr int64_t kSharedAlignment = 1024; // bytes; each buffer begins where the pattern of the widest swizzle does

/// The parts of a kernel that exist before its first statement.
struct KernelFrame {
  struct Argument {
    std::string name;
    ArgumentKind kind = ArgumentKind::In;
    layouts::Dtype dtype = layouts::Dtype::F32;
    layouts::Shape shape;
    Span span;
  };
  struct Buffer {
    std::string name;
    layouts::Dtype dtype = layouts::Dtype::F32;
    layouts::Shape shape;
    std::optional<SmemTransforms> transforms; // nothing: inference chooses them
    Span span;
    /// Adjacent buffers with the same `overlay` above 0 share memory, except buffers of the same `member`.
    int64_t overlay = 0, member = 0;
  };
  struct TensorBuffer { // `TMEM(…)`: either all of a kernel's are collective, or none
    std::string name;
    layouts::Dtype dtype = layouts::Dtype::F32;
    layouts::Shape shape; // the last two dimensions must fit the layout
    TensorPlace place;
    Span span;
    int64_t overlay = 0, member = 0; // as in Buffer
  };
  struct Accumulator { // `ACC(…)`: in registers, initially zero
    std::string name;
    layouts::Dtype dtype = layouts::Dtype::F32;
    layouts::Shape shape;
    Span span;
  };
  struct BarrierGroup {
    std::string name;
    int64_t arrivals = 1; // in warpgroups
    int64_t count = 1;
    Span span;
    /// In a cluster: the groups of dimensions (0: x) along which blocks share the barrier. Only blocks that differ from
    /// this one within one group arrive.
    std::optional<std::vector<std::vector<int64_t>>> collective = std::nullopt;
    /// With `collective`, which then has one dimension: all blocks arrive only at the first block's barrier.
    bool leaderTracked = false;
    /// One thread of each warpgroup arrives, and tensor cores arrive as well. Everything that they did before to tensor
    /// memory (products, loads, stores) is visible after the wait.
    bool ordersTensorCore = false;
  };

  std::string name;
  Span span;                            // the kernel's `def`
  std::array<int64_t, 3> grid{1, 1, 1}; // in blocks
  std::array<int64_t, 3> cluster{1, 1, 1};
  int64_t devices = 0; // devices that run it together; 0: one device without peers
  int64_t warpgroups = 1;
  const GpuTarget *target = &defaultGpuTarget(); // determines the available shared memory
  int64_t profileEntries = 0;                    // words per trace; 0: not profiled
  bool infersTransforms = false;                 // choose transforms for buffers without stated ones
  bool profileShrinks = false;                   // use fewer words if shared memory is short
  std::vector<Argument> arguments;
  std::vector<Buffer> buffers;
  std::vector<TensorBuffer> tensorBuffers;
  std::vector<BarrierGroup> barriers;
  std::vector<Accumulator> accumulators;
};

} // namespace lanescope::core
