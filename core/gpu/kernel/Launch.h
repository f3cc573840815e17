// How to launch a PTX entry: what `launch.json` says (docs/launch.md). Plain data, shared by emulator, worker,
// packages.
#pragma once

#include "core/Artifact.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lanescope::core {

/// A TMA descriptor over one of the block's buffers. Dimensions outermost first.
struct TensorMapSpec {
  uint32_t offset = 0; // in the parameter block, multiple of 64
  uint32_t buffer = 0;
  Dtype dtype = Dtype::F32;
  Shape shape;
  Shape stridesBytes; // rank-1 entries: the innermost dimension is contiguous
  Shape box;
  int swizzle = 0;     // 0, 32, 64, 128
  bool oobNan = false; // "oob_fill": "zeros" | "nan"
};

struct PointerSpec {
  uint32_t offset = 0, buffer = 0;
};

struct BufferParam {
  BufferSpec buffer;
};
struct ScalarParam {
  Dtype dtype = Dtype::I32;
  uint64_t bits = 0;
};
struct BytesParam {
  uint32_t size = 0, align = 64;
  std::vector<BufferSpec> buffers;
  std::vector<TensorMapSpec> tensorMaps;
  std::vector<PointerSpec> pointers;
};
using Param = std::variant<BufferParam, ScalarParam, BytesParam>;

struct Launch {
  std::string entry;
  std::array<uint32_t, 3> grid{1, 1, 1}, cluster{1, 1, 1}, block{128, 1, 1};
  uint32_t dynamicSmem = 0;
  std::vector<Param> params;

  /// All buffers, in parameter order, a bytes parameter's own in theirs: the order of a run's arrays.
  std::vector<const BufferSpec *> buffers() const;
};

Result<Launch> parseLaunch(SourceRef json);
std::string toJson(const Launch &launch);

} // namespace lanescope::core
