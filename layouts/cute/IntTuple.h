// CuTe's IntTuple: an integer, or a tuple of IntTuples. Shapes, strides, offsets and profiles are IntTuples.
//
//   IntTuple shape = IntTuple::of({IntTuple::of({4, 8}), 2});      // ((4,8),2)
//   productOf(shape)        ->  64
//   cppText(shape)          ->  "((4,8),2)"                        // "((_4,_8),_2)" with static integers
//
// A leaf is one of these: a static integer, which CuTe knows at compile time (C++ prints `_4`); a dynamic integer,
// which it knows when the kernel runs (`4`); an unknown integer (`?`, perhaps with a divisor); the whole mode (`_`). In
// a stride, a leaf may scale a basis vector: `2@0@1` is 2 times E<1,0> (include/cute/numeric/arithmetic_tuple.hpp
// prints the path innermost first). Depth and leaf counts are limited, which also limits recursion.
#pragma once

#include "layouts/Shape.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lanescope::layouts::cute {

inline constexpr int kMaxDepth = 24;
inline constexpr size_t kMaxLeaves = 1024;
/// The limit for sizes, strides and offsets. The sum or product of two such numbers fits 128 bits, which keeps checks
/// simple.
inline constexpr int64_t kMaxInt = int64_t(1) << 60;

struct Leaf {
  enum class Kind : uint8_t { Int, Unknown, Whole };
  Kind kind = Kind::Int;
  bool isStatic = false;
  uint8_t width = 0;           // for an unknown: the bits of its type, if the text gives them (`?{i64}`)
  int64_t value = 0;           // for an unknown: its divisor, or 1 if none is known
  std::vector<int> basis = {}; // the path of modes from the outside in; empty for a plain integer
  bool operator==(const Leaf &) const = default;
};

struct IntTuple {
  bool isTuple = false;
  Leaf leaf;
  std::vector<IntTuple> items;

  IntTuple() = default;
  IntTuple(int64_t value, bool isStatic = false) : leaf{.isStatic = isStatic, .value = value} {}
  IntTuple(Leaf leaf) : leaf(std::move(leaf)) {}
  static IntTuple of(std::vector<IntTuple> items);
  static IntTuple whole() { return Leaf{.kind = Leaf::Kind::Whole}; }

  /// The number of modes; a leaf has one mode, itself.
  size_t rank() const { return isTuple ? items.size() : 1; }
  const IntTuple &mode(size_t i) const { return isTuple ? items[i] : *this; }
  bool operator==(const IntTuple &) const = default;
};

/// The number of levels of tuples: 0 for a leaf.
int depthOf(const IntTuple &tuple);
void appendLeaves(const IntTuple &tuple, std::vector<Leaf> &leaves);
std::vector<Leaf> leavesOf(const IntTuple &tuple);
/// True if both have the same nesting.
bool congruent(const IntTuple &a, const IntTuple &b);
/// True if every leaf is a known integer.
bool known(const IntTuple &tuple);
/// True if some leaf scales a basis vector.
bool hasBasis(const IntTuple &tuple);
/// The product of the leaves, which must be known; kMaxInt + 1 if it exceeds kMaxInt.
int64_t productOf(const IntTuple &tuple);
/// Replaces a tuple of one item by that item, like CuTe's unwrap.
IntTuple unwrap(IntTuple tuple);
/// Errors: too deep, too many leaves. `what` names the tuple in messages: "the shape".
Result<void> checkSize(const IntTuple &tuple, std::string_view what);
/// Marks all leaves static, or none.
IntTuple withStatic(IntTuple tuple, bool isStatic);

/// The text that C++ prints: `_4` static, `4` dynamic.
std::string cppText(const IntTuple &tuple);
/// The text that CuTe DSL prints: integers without `_`.
std::string dslText(const IntTuple &tuple);
std::string cppText(const Leaf &leaf);
std::string dslText(const Leaf &leaf);

/// Integer arithmetic that records if a result left ± kMaxInt; such a result is clamped.
class Checked {
public:
  int64_t times(int64_t a, int64_t b) { return clamp(static_cast<__int128>(a) * b); }
  int64_t plus(int64_t a, int64_t b) { return clamp(static_cast<__int128>(a) + b); }
  bool overflowed() const { return overflowed_; }

private:
  int64_t clamp(__int128 value) {
    if (value >= -static_cast<__int128>(kMaxInt) && value <= kMaxInt)
      return static_cast<int64_t>(value);
    overflowed_ = true;
    return value < 0 ? -kMaxInt : kMaxInt;
  }
  bool overflowed_ = false;
};

} // namespace lanescope::layouts::cute
