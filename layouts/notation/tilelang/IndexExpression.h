// Integer expressions over index placeholders, as TVM prints them: parsed once, evaluated per element. Private to
// notation/.
//
//   `_i % 8 * 4 + T.bitwise_xor(_j // 8, _i)`  at (_i, _j) = (3, 17)
#pragma once

#include "layouts/notation/text/Scanner.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lanescope::layouts {

class IndexExpression {
public:
  static constexpr int kReplica = -1; // the variable `_rep`
  static constexpr size_t kMaxNodes = 4096;

  /// Up to what cannot belong to it. `dims`: how many of `_i`, `_j`, … there are.
  static Result<IndexExpression> parse(Scanner &in, size_t dims);

  /// Nothing on overflow of 62 bits, division by zero or a shift out of range. `scratch` is reused between calls.
  std::optional<int64_t> evaluate(std::span<const int64_t> index, int64_t replica, std::vector<int64_t> &scratch) const;
  /// Whether it is a sum of terms with one variable each: then its value is that at 0 and what each index adds to it.
  bool isSeparable() const;
  std::string text() const { return text(nodes_.size() - 1); }
  size_t size() const { return nodes_.size(); }

private:
  enum class Op {
    Constant,
    Variable,
    Add,
    Subtract,
    Multiply,
    FloorDiv,
    FloorMod,
    Xor,
    And,
    Or,
    ShiftLeft,
    ShiftRight,
    Min,
    Max
  };
  struct Node {
    Op op;
    int64_t value = 0; // of a constant; a variable's dimension
    size_t left = 0, right = 0;
  };
  struct Reader;
  std::string text(size_t node) const;
  static std::optional<int64_t> apply(Op op, int64_t a, int64_t b);

  std::vector<Node> nodes_; // operands before their operation
};

/// `_i` for 0, `_j` for 1, …
std::string placeholder(size_t dim);

} // namespace lanescope::layouts
