// Represents everything that CuTe prints as a layout: shape:stride, a swizzled or composed layout, a tensor's pointer
// and layout, one (thread, value) layout of an atom, a bare swizzle, a tile.
//
//   Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)      the swizzle acts on byte addresses
//   Sw<3,3,3> o _0 o (_8,_64):(_64,_1)                        … on element offsets: the same map for 16-bit elements
//   tmem_[32b](0x0000.0000) o (_128,_64):(_65536,_1)          lane in bits 16 and up, 32-bit column below
//
// A CuteLayout places an array as follows:
// - Shared memory: if the array's shape is that of the layout's modes, element (i, j, …) lies at the offset of
//   coordinate (i, j, …). An array of another shape with the same number of elements is read as CuTe reads coordinates
//   of other shapes, by colexicographic index (the first dimension runs fastest).
// - Registers: mode 0 is the thread, mode 1 the value. The result counts the array's elements in column-major order, or
//   is their coordinates if the strides are basis vectors. Value v is register v. A layout that states its tile
//   (`LayoutC_TV` of an atom) counts within the tile: the tile repeats over an array that is a multiple of it. A thread
//   then has the values of all tiles, those of the first tile first, with the tiles in column-major order, as in CuTe's
//   partitions. Any other array is an error.
// - Tensor memory: addresses count as CuTe's tmem_ptr counts them, with 32/b elements of b bits per column.
//   The address of a pointer is dropped; offsets count from an address that the swizzle does not change.
#pragma once

#include "layouts/AddressMap.h"
#include "layouts/cute/Algebra.h"
#include "layouts/ElementMap.h"
#include "layouts/Layout.h"
#include "layouts/MapCoverage.h"
#include "layouts/Reading.h"
#include "layouts/TmemMap.h"

#include <variant>

namespace lanescope::layouts::cute {

/// The pointer of a tensor's layout. `sparsity` > 0: CuTe's sparse elements, as logical elements per stored one.
struct Engine {
  enum class Kind { Generic, Gmem, Smem, Rmem, Tmem };
  Kind kind = Kind::Generic;
  int bits = 0;
  int sparsity = 0;
  bool operator==(const Engine &) const = default;
};
std::string cppText(const Engine &engine);

/// A (thread, value) layout's role in a printout: `LayoutC_TV` of an atom of shape 16x8.
struct Operand {
  std::string label;
  std::optional<Shape> tile;       // (M,N) for C, (M,K) for A, (N,K) for B
  std::optional<Layout> threadIds; // logical thread -> thread of the warp or warpgroup; absent: the identity
  bool operator==(const Operand &) const = default;
};

struct Parts {
  std::variant<std::monostate, Swizzle, Layout> outer = {};
  std::optional<IntTuple> offset = {}; // between the outer and the inner layout
  std::optional<Engine> engine = {};
  bool swizzlesAddress = false; // the swizzle belongs to the pointer, so it acts on byte addresses
  std::optional<Layout> plain = {};
  std::optional<Tiler> tile = {};
  std::optional<Operand> operand = {};
  bool operator==(const Parts &) const = default;
};

class CuteLayout final : public ForeignLayout, public SaysMemory, public StatesArray {
public:
  /// Errors: parts that do not fit together (an offset without an outer layout, a tile with anything else).
  static Result<CuteLayout> make(Parts parts);
  /// A plain layout; Layout::make has checked it.
  explicit CuteLayout(Layout plain) : parts_{.plain = std::move(plain)} {}

  const Parts &parts() const { return parts_; }
  const Swizzle *swizzle() const { return std::get_if<Swizzle>(&parts_.outer); }
  /// Replaces the inner layout; the offset, the outer layout and the swizzle stay. This is how CuTe's algebra treats
  /// composed layouts.
  CuteLayout withPlain(Layout plain) const;
  bool operator==(const CuteLayout &other) const { return parts_ == other.parts_; }

  std::string_view language() const override { return "cute"; }
  /// The text that C++ prints.
  std::string text() const override;
  std::vector<Memory> memories() const override;
  /// True for all but a plain `shape:stride`: pointers, swizzles, labels, and strides that are coordinates determine
  /// the memory.
  bool saysMemory() const override;
  /// The tile of a (thread, value) layout of an atom, a TiledMMA or a TiledCopy.
  std::optional<Shape> statedTile() const;
  /// Describes the repetition of the tile: "the tile of (16, 8) repeats 2 x 1 times …".
  std::string application(const Shape &shape) const override;
  std::string whereShort() const override;
  /// The sizes of its modes, or the range of its coordinates; for an atom's (thread, value) layout, its tile.
  std::optional<Shape> shape() const override;
  std::optional<int> bitwidth() const override;
  Result<ElementMap> elementMap(const Shape &shape) const override;
  Result<AddressMap> addressMap(const Shape &shape, int bitwidth) const override;
  Result<TmemMap> tmemMap(const Shape &shape, int bitwidth) const override;
  Result<std::vector<ExplainStep>> explain(const Shape &shape, const Shape &index) const override;

  /// The layout as a function of its own coordinate: one integer index per top-level mode, or one colexicographic index
  /// for all. Errors: a coordinate outside the shape; `?`; basis strides; a pointer that swizzles byte addresses, if
  /// the width of the elements is missing.
  Result<int64_t> offsetAt(const Shape &coordinate) const;

private:
  explicit CuteLayout(Parts parts) : parts_(std::move(parts)) {}
  Parts parts_;
};

/// The CuteLayout inside a Layout; null for layouts of other languages.
const CuteLayout *asCute(const layouts::Layout &layout);
layouts::Layout toLayout(CuteLayout layout);

} // namespace lanescope::layouts::cute
