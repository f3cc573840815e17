// Reads CuTe's texts piece by piece: integers and tuples, layouts, swizzles, pointers, tiles, and chains of them with
// `o`. Private to notation/; other code uses Cute.h.
#pragma once

#include "layouts/cute/CuteLayout.h"
#include "layouts/notation/text/Scanner.h"

#include <variant>
#include <vector>

namespace lanescope::layouts {

class CuteReader {
public:
  /// A piece that was read, with its place. `items` are the elements of a tuple, so that errors can point into it.
  struct Node {
    /// monostate: a piece without influence on the layout, such as `ArithTuple(_0,_0)`.
    using Value = std::variant<cute::IntTuple, cute::Layout, cute::Tiler, cute::Swizzle, cute::Engine, cute::Parts,
                               std::monostate>;
    Value value;
    uint32_t begin = 0, end = 0;
    std::vector<Node> items = {};
    const cute::IntTuple *tuple() const { return std::get_if<cute::IntTuple>(&value); }
  };

  explicit CuteReader(Scanner &in) : in_(in) {}

  /// Reads term {`o` term}.
  Result<Node> chain();
  /// Reads a chain as a layout.
  Result<cute::CuteLayout> layout();
  /// Reads `shape:stride`, or a shape, which then has column-major strides.
  Result<cute::Layout> plain();
  Result<cute::Tiler> tile();
  Result<cute::IntTuple> tuple(std::string_view what);

  Result<cute::CuteLayout> toLayout(Node node);
  Result<cute::Tiler> toTile(Node node);

private:
  Result<Node> term();
  Result<Node> primary();
  Result<Node> leaf();
  Result<Node> parenthesised();
  Result<Node> bracketed();
  Result<Node> braced();
  Result<Node> assemble(std::vector<Node> terms);
  Result<cute::Layout> toPlain(const Node &shape);
  Result<cute::Layout> toPlain(const Node &shape, const Node &stride);
  Result<void> checkSizes(const Node &shape);
  Result<void> checkNesting(const Node &shape, const Node &stride);

  // Names with arguments: CuteCalls.cpp.
  bool namedPiece();
  Result<Node> named();
  Result<Node> swizzle(uint32_t begin);
  Result<Node> pointer(std::string_view name, uint32_t begin);
  Result<Node> typedPointer(uint32_t begin);
  Result<Node> smemAtom(std::string_view name, uint32_t begin);
  Result<Node> tileToShape(uint32_t begin);
  std::optional<bool> compactOrder();
  Result<Node> layoutCall(std::string_view name, uint32_t begin);
  Result<Node> tupleCall(std::string_view name, uint32_t begin);
  Result<Node> coordinateIterator(uint32_t begin);
  Result<Node> mlirType(uint32_t begin);
  Result<Node> leafCall(std::string_view name, uint32_t begin);
  Result<std::vector<int64_t>> integers(std::string_view what);
  /// Reads up to the bracket that closes the one just read.
  Result<std::string> balanced(char close);
  void eatBraces();

  Node at(Node::Value value, uint32_t begin, std::vector<Node> items = {}) const;
  std::unexpected<Diagnostics> failAt(const Node &node, Message message, std::string kind = "layout-syntax") const;
  template <typename T> Result<T> placed(const Node &node, Result<T> result) const {
    if (result)
      return result;
    return lanescope::at(spanOf(node), std::move(result.error()));
  }
  Span spanOf(const Node &node) const;

  Scanner &in_;
  int depth_ = 0;
};

} // namespace lanescope::layouts
