// CuTe's Layout, a shape and strides of the same nesting, and its Swizzle.
//
//   Layout layout = *Layout::make(IntTuple::of({8, 8}), IntTuple::of({8, 1}));   // (8,8):(8,1)
//   valueAt(layout, 3)             ->  24        // index 3 is coordinate (3,0): the first mode runs fastest
//   Swizzle{3, 3, 3}.apply(64)     ->  72        // bits 6..8 are xored onto bits 3..5
//
// A layout is a function from coordinates (or their colexicographic index) to integers; with strides that scale basis
// vectors, it is a function to coordinates. Sources: include/cute/{layout,swizzle,stride}.hpp of NVIDIA/cutlass.
#pragma once

#include "layouts/cute/IntTuple.h"

namespace lanescope::layouts::cute {

struct Layout {
  IntTuple shape, stride;

  /// Errors: the nesting differs; a size below 1; too deep, too many modes; an extent beyond ± kMaxInt.
  static Result<Layout> make(IntTuple shape, IntTuple stride);
  /// The layout with column-major strides, which CuTe gives a shape without strides.
  static Result<Layout> compact(IntTuple shape);

  size_t rank() const { return shape.rank(); }
  Layout mode(size_t i) const { return {shape.mode(i), stride.mode(i)}; }
  /// The number of coordinates; the shape must be known.
  int64_t size() const { return productOf(shape); }
  bool known() const { return cute::known(shape) && cute::known(stride); }
  bool operator==(const Layout &) const = default;
};

/// The modes of `layouts` side by side.
Layout makeLayout(const std::vector<Layout> &layouts);

/// One size and stride of a layout's flat form.
struct FlatMode {
  Leaf size, stride;
};
/// The leaves, fastest first.
std::vector<FlatMode> flatModes(const Layout &layout);

/// Returns an error that names `?` if a size or stride is not known; `what` is for the message.
Result<void> requireKnown(const Layout &layout, std::string_view what);
/// Like requireKnown, but also refuses basis strides.
Result<void> requireIntegers(const Layout &layout, std::string_view what);

/// layout(index) of a known layout with integer strides, for index >= 0. Beyond the size, the last mode continues.
int64_t valueAt(const Layout &layout, int64_t index);
int64_t valueAt(const std::vector<FlatMode> &modes, int64_t index);
/// One more than the largest value, computed from the absolute strides (CuTe's cosize). The strides must be integers.
int64_t cosizeOf(const Layout &layout);
/// The part of a layout with basis strides that runs along `basis`: all other strides become 0.
Layout along(const Layout &layout, const std::vector<int> &basis);
/// The basis vectors that occur, in order; an empty one for plain non-zero strides.
std::vector<std::vector<int>> basesOf(const Layout &layout);
/// values[i] = layout(i) for all i below the size. The caller must have limited the size. The strides must be integers.
std::vector<int64_t> valuesOf(const Layout &layout);

/// The text `shape:stride`, as C++ and as CuTe DSL print it.
std::string cppText(const Layout &layout);
std::string dslText(const Layout &layout);

/// x ^ ((x & Y) >> S), where Y is the B bits from M + S up; for S < 0 the shift is to the left.
struct Swizzle {
  int bits = 0, base = 0, shift = 0; // B, M, S

  /// Errors: B or M below 0, |S| < B, bits above 30.
  static Result<Swizzle> make(int64_t bits, int64_t base, int64_t shift);
  int64_t apply(int64_t value) const {
    int64_t mask = ((int64_t(1) << bits) - 1) << (base + (shift > 0 ? shift : 0));
    return value ^ (shift > 0 ? (value & mask) >> shift : (value & mask) << -shift);
  }
  bool operator==(const Swizzle &) const = default;
};
std::string text(const Swizzle &swizzle, std::string_view name); // "Sw<3,4,3>", name: Sw, S or Swizzle

} // namespace lanescope::layouts::cute
