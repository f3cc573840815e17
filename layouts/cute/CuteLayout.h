// Whatever CuTe prints where a layout stands, as one of our layouts: shape:stride, a swizzled or composed layout, a
// tensor's pointer and layout, one (thread, value) layout of an atom, a bare swizzle, a tile.
//
//   Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)      the swizzle acts on byte addresses
//   Sw<3,3,3> o _0 o (_8,_64):(_64,_1)                        … on element offsets: the same map for 16-bit elements
//   tmem_[32b](0x0000.0000) o (_128,_64):(_65536,_1)          lane in bits 16 and up, 32-bit column below
//
// How it answers for an array:
// - shared memory: element (i, j, …) lies at the offset of coordinate (i, j, …) where the array's shape is that of the
//   layout's modes; an array of another shape and the same number of elements is read as CuTe reads coordinates of
//   other shapes, by colexicographic index (the first dimension runs fastest).
// - registers: mode 0 is the thread, mode 1 the value; the result counts the array's elements in column-major order,
//   or is its coordinates where the strides are basis vectors. Value v is register v. A layout that states its tile
//   (`LayoutC_TV` of an atom) counts within it: the tile repeats over an array that is a multiple of it, and a thread
//   has the values of all tiles, those of the first tile first, the tiles in column-major order, as CuTe's partitions
//   do. Any other array is an error.
// - tensor memory: addresses as CuTe's tmem_ptr counts them, elements of b bits 32/b to a column.
// Pointers' addresses are dropped: offsets count from an address that the swizzle leaves alone.
#pragma once

#include "layouts/AddressMap.h"
#include "layouts/Coverage.h"
#include "layouts/cute/Algebra.h"
#include "layouts/ElementMap.h"
#include "layouts/Layout.h"
#include "layouts/Reading.h"
#include "layouts/TmemMap.h"

#include <variant>

namespace lanescope::layouts::cute {

/// What a tensor's layout hangs on. `sparsity` > 0: CuTe's sparse elements, logical ones per stored one.
struct Engine {
  enum class Kind { Generic, Gmem, Smem, Rmem, Tmem };
  Kind kind = Kind::Generic;
  int bits = 0;
  int sparsity = 0;
  bool operator==(const Engine &) const = default;
};
std::string cppText(const Engine &engine);

/// A (thread, value) layout's place in a printout: `LayoutC_TV` of an atom of shape 16x8.
struct Operand {
  std::string label;
  std::optional<Shape> tile;       // (M,N) for C, (M,K) for A, (N,K) for B
  std::optional<Layout> threadIds; // logical thread -> thread of the warp or warpgroup; absent: the same
  bool operator==(const Operand &) const = default;
};

struct Parts {
  std::variant<std::monostate, Swizzle, Layout> outer = {};
  std::optional<IntTuple> offset = {}; // between the outer and the inner layout
  std::optional<Engine> engine = {};
  bool swizzlesAddress = false; // the swizzle belongs to the pointer: it acts on byte addresses
  std::optional<Layout> plain = {};
  std::optional<Tiler> tile = {};
  std::optional<Operand> operand = {};
  bool operator==(const Parts &) const = default;
};

class CuteLayout final : public ForeignLayout, public SaysMemory, public StatesArray {
public:
  /// Errors: parts that do not go together (an offset without an outer layout, a tile with anything else).
  static Result<CuteLayout> make(Parts parts);
  /// A plain layout; Layout::make has checked it.
  explicit CuteLayout(Layout plain) : parts_{.plain = std::move(plain)} {}

  const Parts &parts() const { return parts_; }
  const Swizzle *swizzle() const { return std::get_if<Swizzle>(&parts_.outer); }
  /// The same outer parts around another inner layout, as CuTe's algebra does with composed layouts.
  CuteLayout withPlain(Layout plain) const;
  bool operator==(const CuteLayout &other) const { return parts_ == other.parts_; }

  std::string_view language() const override { return "cute"; }
  /// As C++ prints it.
  std::string text() const override;
  std::vector<Memory> memories() const override;
  /// All but a plain `shape:stride` do: pointers, swizzles, labels, strides that are coordinates.
  bool saysMemory() const override;
  /// That of a (thread, value) layout of an atom, a TiledMMA or a TiledCopy.
  std::optional<Shape> statedTile() const;
  /// "the tile of (16, 8) repeats 2 x 1 times …".
  std::string application(const Shape &shape) const override;
  std::string whereShort() const override;
  /// The sizes of its modes, or how far its coordinates reach; of a (thread, value) layout of an atom, its tile.
  std::optional<Shape> shape() const override;
  std::optional<int> bitwidth() const override;
  Result<ElementMap> elementMap(const Shape &shape) const override;
  Result<AddressMap> addressMap(const Shape &shape, int bitwidth) const override;
  Result<TmemMap> tmemMap(const Shape &shape, int bitwidth) const override;
  Result<std::vector<ExplainStep>> explain(const Shape &shape, const Shape &index) const override;

  /// The layout as a function of its own coordinate: one integer index per top-level mode, or one colexicographic index
  /// for all. Errors: a coordinate outside, `?`, basis strides, a pointer that swizzles byte addresses without
  /// elements' width.
  Result<int64_t> offsetAt(const Shape &coordinate) const;

private:
  explicit CuteLayout(Parts parts) : parts_(std::move(parts)) {}
  Parts parts_;
};

/// The CuteLayout behind a Layout; null when it is of another language.
const CuteLayout *asCute(const layouts::Layout &layout);
layouts::Layout toLayout(CuteLayout layout);

} // namespace lanescope::layouts::cute
