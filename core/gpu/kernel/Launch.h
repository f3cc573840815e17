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

/// Elements of 4 or 6 bits that TMA copies sixteen at a time, by their names in the PTX ISA ("Sub-byte types").
enum class TmaFormat : uint8_t {
  Plain,    // whole bytes, or 4 bits as halves of them
  B4x16,    // 8 bytes of both memories
  B4x16P64, // 8 bytes of global, 16 of shared memory: the upper half is not written
  B6x16P32, // 12 bytes of global, 16 of shared memory
};
struct TmaFormatSizes {
  int bits = 0;        // of an element
  int globalBytes = 0; // of sixteen
  int sharedBytes = 0; // of sixteen
  bool padded() const { return globalBytes != sharedBytes; }
};
/// Of all but Plain.
TmaFormatSizes sizesOf(TmaFormat format);
std::string_view name(TmaFormat format); // "b4x16_p64"; of Plain empty

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
  /// Sizes of shape and box count elements all the same; `dtype` is of the bits, or U8 for 6 of them.
  TmaFormat format = TmaFormat::Plain;
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
