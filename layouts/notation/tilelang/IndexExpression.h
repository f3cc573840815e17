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

  /// Reads an expression up to the first text that cannot belong to it. `dims`: the number of placeholders `_i`, `_j`,
  /// ….
  static Result<IndexExpression> parse(Scanner &in, size_t dims);

  /// Returns nothing on overflow of 62 bits, division by zero or a shift out of range. `scratch` is reused between
  /// calls.
  std::optional<int64_t> evaluate(std::span<const int64_t> index, int64_t replica, std::vector<int64_t> &scratch) const;
  /// True if the expression is a sum of terms with at most one variable each. Its value is then the value at 0 plus one
  /// addend per index.
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
    int64_t value = 0; // a constant's value, or a variable's dimension
    size_t left = 0, right = 0;
  };
  struct Reader;
  std::string text(size_t node) const;
  static std::optional<int64_t> apply(Op op, int64_t a, int64_t b);

  std::vector<Node> nodes_; // operands come before their operation
};

/// The placeholder of a dimension: `_i` for 0, `_j` for 1, ….
std::string placeholder(size_t dim);

} // namespace lanescope::layouts
