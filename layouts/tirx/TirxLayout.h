// A TVM TIRx layout as a value: shard and replica iterators on named axes, an offset, and an optional swizzle.
//
//   S[(8, 2, 4, 2):(4@laneid, 1@warpid, 1@laneid, 1)] at (16, 8): element (9, 2) -> flat 74 -> (4, 1, 1, 0)
//     -> laneid 4*4 + 1 = 17, warpid 1, m 0
//
// The shard extents cut the row-major index of the array, last fastest. Each part adds stride * part to its axis, and
// then the offset is added. Every element is copied to the places of the replica iterators. Thread axes make a thread
// number; `m` is the register of a thread or, alone, an offset in memory; TLane and TCol (in elements) are tensor
// memory. Source: apache/tvm python/tvm/tirx/layout.py, src/tirx/ir/layout/{tile_core,swizzle_layout,axis_registry}.cc.
#pragma once

#include "layouts/Affine.h"
#include "layouts/Layout.h"

#include <map>
#include <string_view>

namespace lanescope::layouts::tirx {

enum class Axis {
  Bx,
  By,
  Bz,
  Cbx,
  Cby,
  Cbz,
  Pid,
  Tx,
  WarpId,
  LaneId,
  WgId,
  TidInWg,
  WidInWg,
  Tid,
  M,
  P,
  F,
  Bank,
  TCol,
  TLane
};
std::string_view name(Axis axis);
std::optional<Axis> axisNamed(std::string_view name);
/// All names, for messages.
std::string axisNames();

struct Iter {
  int64_t extent = 1, stride = 0;
  Axis axis = Axis::M;
  bool operator==(const Iter &) const = default;
};

struct TileSpec {
  std::vector<Iter> shard, replica;
  std::map<Axis, int64_t> offset; // zero terms left out
};

/// (per_element, swizzle_len, atom_len) is CuTe's <base, bits, shift>. If `inner` is false, the lower bits are XORed
/// into the higher ones.
struct SwizzleSpec {
  int64_t perElement = 0, swizzleLen = 0, atomLen = 0;
  bool inner = true;
};

class TirxLayout : public ForeignLayout {
public:
  /// Without `tile`, the layout is the swizzle of an array in row-major order. Errors: extents below one, negative
  /// strides, axes that do not fit together (Trainium's; threads with tensor memory), a swizzle of any axis but `m`.
  static Result<TirxLayout> make(std::optional<TileSpec> tile, std::optional<SwizzleSpec> swizzle);

  std::string_view language() const override { return "tirx"; }
  std::string text() const override;
  std::vector<Memory> memories() const override { return {memory_}; }
  /// The extents, whose product is the element count; the layout accepts any shape with as many elements.
  std::optional<Shape> shape() const override;
  Result<ElementMap> elementMap(const Shape &shape) const override;
  Result<AddressMap> addressMap(const Shape &shape, int bitwidth) const override;
  Result<TmemMap> tmemMap(const Shape &shape, int bitwidth) const override;
  Result<std::vector<ExplainStep>> explain(const Shape &shape, const Shape &index) const override;

private:
  AffinePlaces places(const Shape &shape) const;
  AffineSwizzle swizzleFunction() const;

  std::optional<TileSpec> tile_;
  std::optional<SwizzleSpec> swizzle_;
  Memory memory_ = Memory::Shared;
};

} // namespace lanescope::layouts::tirx
