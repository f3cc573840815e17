#include "layouts/notation/cute/CuteReader.h"

#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::layouts {

using cute::Engine;
using cute::IntTuple;
using cute::Leaf;
using cute::Parts;
using cute::Swizzle;
using cute::Tiler;
using Node = CuteReader::Node;

Span CuteReader::spanOf(const Node &node) const {
  Span span = in_.spanFrom(node.begin);
  span.end = std::max(node.begin, node.end);
  return span;
}

Node CuteReader::at(Node::Value value, uint32_t begin, std::vector<Node> items) const {
  // The lookahead has moved the head past the blanks.
  uint32_t end = in_.offset();
  const std::string &text = in_.spanFrom(begin).source->text();
  while (end > begin && std::string_view(" \t\r\n").contains(text[end - 1]))
    --end;
  return {std::move(value), begin, end, std::move(items)};
}

std::unexpected<Diagnostics> CuteReader::failAt(const Node &node, Message message, std::string kind) const {
  return error(std::move(kind), spanOf(node), std::move(message));
}

Result<Node> CuteReader::chain() {
  std::vector<Node> terms;
  while (true) {
    Result<Node> next = term();
    if (!next)
      return next;
    terms.push_back(*std::move(next));
    if (terms.size() > 4)
      return failAt(terms.back(), "the chain has more parts than a pointer, an outer layout, an offset and a layout");
    if (in_.eat("\xE2\x88\x98")) // the composition sign
      continue;
    uint32_t here = in_.offset();
    if (in_.identifier() != "o") {
      in_.rewind(here);
      break;
    }
  }
  return assemble(std::move(terms));
}

/// Reads a piece, or a shape with its strides.
Result<Node> CuteReader::term() {
  Result<Node> shape = primary();
  if (!shape || !shape->tuple() || in_.peek() != ':')
    return shape;
  uint32_t colon = in_.offset();
  in_.eat(':');
  Result<Node> stride = primary();
  if (!stride)
    return stride;
  if (!stride->tuple())
    return failAt(*stride, "expected strides, which are integers");
  // `(_8,_8:(_8,_1)`: one size with a tuple of strides, because the parenthesis of the sizes was left open.
  std::string_view text = in_.spanFrom(0).source->text();
  if (!shape->tuple()->isTuple && stride->tuple()->isTuple && depth_ > 0 &&
      std::ranges::count(text, '(') > std::ranges::count(text, ')')) {
    in_.rewind(colon);
    return in_.expected("`)` to close the sizes before their strides");
  }
  Result<cute::Layout> layout = toPlain(*shape, *stride);
  if (!layout)
    return std::unexpected(std::move(layout.error()));
  return at(*std::move(layout), shape->begin);
}

Result<Node> CuteReader::primary() {
  char next = in_.peek();
  uint32_t begin = in_.offset();
  if (++depth_ > cute::kMaxDepth + 4) {
    --depth_;
    return in_.expected(text("at most ", cute::kMaxDepth, " levels of nesting"));
  }
  Result<Node> node = [&]() -> Result<Node> {
    switch (next) {
    case '(': return parenthesised();
    case '[': return bracketed();
    case '{': return braced();
    case '!': return mlirType(begin);
    default: return namedPiece() ? named() : leaf();
    }
  }();
  --depth_;
  return node;
}

/// Reads `_8`, `8`, `-8`, `_`, `?` or `?{i64 div=4}`, each with optional `@mode`s after it.
Result<Node> CuteReader::leaf() {
  char next = in_.peek();
  uint32_t begin = in_.offset();
  Leaf leaf;
  if (in_.eat('?')) {
    leaf = {.kind = Leaf::Kind::Unknown, .value = 1};
    if (in_.eat('{')) {
      while (!in_.eat('}')) {
        uint32_t word = in_.offset();
        std::string_view name = in_.identifier();
        std::optional<int> width = name.starts_with('i') ? parseInteger<int>(name.substr(1)) : std::nullopt;
        if (width && *width > 0 && *width <= 64) {
          leaf.width = static_cast<uint8_t>(*width);
        } else if (name == "div" && in_.eat('=')) {
          in_.peek();
          uint32_t number = in_.offset();
          Result<int64_t> divisor = in_.integer("a divisor");
          if (!divisor)
            return std::unexpected(std::move(divisor.error()));
          if (*divisor < 1 || *divisor > cute::kMaxInt)
            return in_.fail(number, "a divisor is a positive integer");
          leaf.value = *divisor;
        } else {
          in_.rewind(word);
          return in_.expected("`i32`, `i64`, `div=n` or `}`");
        }
        in_.eat(',');
      }
    }
  } else {
    bool marked = next == '_';
    if (marked) {
      in_.eat('_');
      uint32_t here = in_.offset();
      char after = in_.peek();
      bool number = in_.offset() == here && (after == '-' || (after >= '0' && after <= '9'));
      in_.rewind(here);
      if (!number) {
        if (std::string_view word = in_.identifier(); !word.empty()) {
          in_.rewind(begin);
          return in_.expected("a layout");
        }
        return at(IntTuple::whole(), begin);
      }
    }
    Result<int64_t> value = in_.integer("a layout: an integer, `(`, a swizzle or a pointer");
    if (!value)
      return std::unexpected(std::move(value.error()));
    if (*value > cute::kMaxInt || *value < -cute::kMaxInt)
      return in_.fail(begin, "the number is beyond the supported 2^60");
    leaf = {.isStatic = marked, .value = *value};
    if (marked)
      eatBraces(); // `_8{}`
  }
  while (in_.eat('@')) {
    in_.peek();
    uint32_t number = in_.offset();
    Result<int64_t> mode = in_.integer("the number of a mode");
    if (!mode)
      return std::unexpected(std::move(mode.error()));
    if (*mode < 0 || *mode > 255)
      return in_.fail(number, "modes count from 0 to 255");
    leaf.basis.insert(leaf.basis.begin(), static_cast<int>(*mode)); // the innermost mode is written first
    if (leaf.basis.size() > static_cast<size_t>(cute::kMaxDepth))
      return in_.fail(begin, "the path of modes is too long");
  }
  return at(IntTuple(std::move(leaf)), begin);
}

/// Reads `(` … `)`: a tuple of integers, a tile, or another piece in parentheses.
Result<Node> CuteReader::parenthesised() {
  uint32_t begin = in_.offset();
  std::vector<Node> items;
  bool comma = false;
  Result<void> list = readList(in_, '(', ')', "the tuple", [&]() -> Result<void> {
    Result<Node> item = chain();
    if (!item)
      return std::unexpected(std::move(item.error()));
    items.push_back(*std::move(item));
    comma = in_.peek() == ',';
    return {};
  });
  if (!list)
    return std::unexpected(std::move(list.error()));
  if (std::ranges::all_of(items, [](const Node &item) { return item.tuple() != nullptr; })) {
    std::vector<IntTuple> tuples;
    for (const Node &item : items)
      tuples.push_back(*item.tuple());
    return at(IntTuple::of(std::move(tuples)), begin, std::move(items));
  }
  if (items.size() == 1 && !comma) { // parentheses around a layout
    items[0].begin = begin;
    items[0].end = in_.offset();
    return std::move(items[0]);
  }
  std::vector<Tiler> modes;
  for (Node &item : items) {
    Result<Tiler> mode = toTile(std::move(item));
    if (!mode)
      return std::unexpected(std::move(mode.error()));
    modes.push_back(*std::move(mode));
  }
  return at(Tiler::of(std::move(modes)), begin);
}

/// Reads `[(4,8):(1,4);_;(2,3):(1,2)]`, a tile as CuTe DSL prints it.
Result<Node> CuteReader::bracketed() {
  uint32_t begin = in_.offset();
  std::vector<Tiler> modes;
  in_.eat('[');
  while (!in_.eat(']')) {
    if (modes.size() >= Scanner::kMaxListEntries)
      return in_.expected("a shorter tile");
    Result<Node> item = chain();
    Result<Tiler> mode = item ? toTile(*std::move(item)) : std::unexpected(std::move(item.error()));
    if (!mode)
      return std::unexpected(std::move(mode.error()));
    modes.push_back(*std::move(mode));
    if (!in_.eat(';') && !in_.eat(',')) {
      if (Result<void> closed = in_.expect(']', "the tile"); !closed)
        return std::unexpected(std::move(closed.error()));
      break;
    }
  }
  return at(Tiler::of(std::move(modes)), begin);
}

/// Reads `{4}`, an offset between two layouts, as tensor-layouts prints it.
Result<Node> CuteReader::braced() {
  uint32_t begin = in_.offset();
  in_.eat('{');
  Result<Node> offset = primary();
  if (!offset)
    return offset;
  if (!offset->tuple())
    return failAt(*offset, "expected an offset, which is an integer or a tuple of them");
  if (Result<void> closed = in_.expect('}', "the offset"); !closed)
    return std::unexpected(std::move(closed.error()));
  offset->begin = begin;
  offset->end = in_.offset();
  return offset;
}

Result<void> CuteReader::checkSizes(const Node &shape) {
  for (const Node &item : shape.items)
    if (Result<void> checked = checkSizes(item); !checked)
      return checked;
  const IntTuple &tuple = *shape.tuple();
  if (tuple.isTuple)
    return {};
  if (tuple.leaf.kind == Leaf::Kind::Whole)
    return failAt(shape, "expected a size; `_` stands for a whole mode in a tile");
  if (!tuple.leaf.basis.empty())
    return failAt(shape, "expected a size; `@` belongs to strides");
  if (tuple.leaf.kind == Leaf::Kind::Int && tuple.leaf.value < 1)
    return failAt(shape, Message("expected a size of at least 1, not {}", tuple.leaf.value));
  return {};
}

Result<void> CuteReader::checkNesting(const Node &shape, const Node &stride) {
  const IntTuple &sizes = *shape.tuple(), &steps = *stride.tuple();
  if (!steps.isTuple && steps.leaf.kind == Leaf::Kind::Whole)
    return failAt(stride, "expected a stride, not `_`");
  if (sizes.isTuple != steps.isTuple || sizes.items.size() != steps.items.size())
    return failAt(
        stride, Message("expected {} for the shape `{}`, found `{}`",
                        sizes.isTuple ? text(sizes.items.size(), " strides in parentheses") : std::string("one stride"),
                        dslText(sizes), dslText(steps)));
  for (size_t i = 0; i < shape.items.size() && i < stride.items.size(); ++i)
    if (Result<void> nested = checkNesting(shape.items[i], stride.items[i]); !nested)
      return nested;
  return {};
}

Result<cute::Layout> CuteReader::toPlain(const Node &shape, const Node &stride) {
  if (Result<void> sizes = checkSizes(shape); !sizes)
    return std::unexpected(std::move(sizes.error()));
  if (Result<void> nested = checkNesting(shape, stride); !nested)
    return std::unexpected(std::move(nested.error()));
  return placed(stride, cute::Layout::make(*shape.tuple(), *stride.tuple()));
}

Result<cute::Layout> CuteReader::toPlain(const Node &shape) {
  if (const auto *layout = std::get_if<cute::Layout>(&shape.value))
    return *layout;
  if (!shape.tuple())
    return failAt(shape, "expected `shape:stride`");
  if (Result<void> sizes = checkSizes(shape); !sizes)
    return std::unexpected(std::move(sizes.error()));
  return placed(shape, cute::Layout::compact(*shape.tuple()));
}

/// Joins a pointer, an outer layout or swizzle, an offset and a layout. Each may be absent, but the order is fixed.
Result<Node> CuteReader::assemble(std::vector<Node> terms) {
  std::erase_if(
      terms, [&](const Node &node) { return terms.size() > 1 && std::holds_alternative<std::monostate>(node.value); });
  if (terms.empty())
    return in_.expected("a layout");
  if (terms.size() == 1)
    return std::move(terms[0]);
  uint32_t begin = terms[0].begin;
  Parts parts;
  size_t i = 0;
  if (const auto *engine = std::get_if<Engine>(&terms[0].value)) {
    parts.engine = *engine;
    ++i;
  } else if (auto *swizzled = std::get_if<Parts>(&terms[0].value); swizzled && !swizzled->plain) {
    parts = std::move(*swizzled); // a pointer that swizzles
    ++i;
  }
  size_t left = terms.size() - i;
  if (left > 3 || (left > 1 && parts.swizzlesAddress))
    return failAt(terms[i + (parts.swizzlesAddress ? 0 : 3)], "expected one layout here, the chain's last");
  if (left > 1) {
    Node &outer = terms[i++];
    if (const auto *swizzle = std::get_if<Swizzle>(&outer.value)) {
      parts.outer = *swizzle;
    } else {
      Result<cute::Layout> layout = toPlain(outer);
      if (!layout)
        return failAt(outer, "expected a swizzle or a layout before `o`");
      parts.outer = *std::move(layout);
    }
  }
  if (left > 2) {
    Node &middle = terms[i++];
    if (const auto *engine = std::get_if<Engine>(&middle.value)) {
      if (parts.engine || !std::holds_alternative<Swizzle>(parts.outer))
        return failAt(middle, "expected an offset; a pointer stands first, or right after a swizzle");
      parts.engine = *engine;
      parts.swizzlesAddress = true;
    } else if (const IntTuple *offset = middle.tuple()) {
      if (!cute::known(*offset) || cute::hasBasis(*offset))
        return failAt(middle, "expected an offset of known integers");
      parts.offset = *offset;
    } else {
      return failAt(middle, "expected an offset: an integer or a tuple of them");
    }
  }
  Node &last = terms[i];
  if (auto *inner = std::get_if<Parts>(&last.value); inner && inner->plain && left == 1 && !inner->engine) {
    inner->engine = parts.engine; // a pointer to a composed layout
    if (parts.swizzlesAddress)
      return failAt(last, "expected a layout without a swizzle: the pointer swizzles already");
    return at(std::move(*inner), begin);
  }
  if (!std::holds_alternative<cute::Layout>(last.value) && !last.tuple())
    return failAt(last, "expected a layout `shape:stride` at the end of the chain");
  Result<cute::Layout> plain = toPlain(last);
  if (!plain)
    return std::unexpected(std::move(plain.error()));
  parts.plain = *std::move(plain);
  Node node = at(Parts(), begin);
  Result<cute::CuteLayout> made = placed(node, cute::CuteLayout::make(std::move(parts)));
  if (!made)
    return std::unexpected(std::move(made.error()));
  node.value = made->parts();
  return node;
}

Result<Tiler> CuteReader::toTile(Node node) {
  if (auto *tile = std::get_if<Tiler>(&node.value))
    return std::move(*tile);
  if (auto *layout = std::get_if<cute::Layout>(&node.value))
    return Tiler::of(std::move(*layout));
  const IntTuple *shape = node.tuple();
  if (!shape)
    return failAt(node, "expected a tile: integers, layouts, or `_`");
  return placed(node, Tiler::ofShape(*shape));
}

Result<cute::CuteLayout> CuteReader::toLayout(Node node) {
  Parts parts;
  if (auto *whole = std::get_if<Parts>(&node.value)) {
    parts = std::move(*whole);
  } else if (auto *tile = std::get_if<Tiler>(&node.value)) {
    if (depthOf(*tile) > cute::kMaxDepth)
      return failAt(node, Message("the tile nests deeper than {limit}", cute::kMaxDepth));
    parts.tile = std::move(*tile);
  } else if (auto *swizzle = std::get_if<Swizzle>(&node.value)) {
    parts.outer = *swizzle;
  } else if (const IntTuple *shape = node.tuple()) {
    std::vector<Leaf> leaves = leavesOf(*shape);
    if (std::ranges::any_of(leaves, [](const Leaf &leaf) { return leaf.kind == Leaf::Kind::Whole; })) {
      Result<Tiler> tiler = toTile(node); // `(_,_8)`
      if (!tiler)
        return std::unexpected(std::move(tiler.error()));
      parts.tile = *std::move(tiler);
    } else {
      Result<cute::Layout> layout = toPlain(node);
      if (!layout)
        return std::unexpected(std::move(layout.error()));
      parts.plain = *std::move(layout);
    }
  } else if (auto *layout = std::get_if<cute::Layout>(&node.value)) {
    parts.plain = std::move(*layout);
  } else {
    return failAt(node, "expected `o` and a layout after the pointer");
  }
  return placed(node, cute::CuteLayout::make(std::move(parts)));
}

Result<cute::CuteLayout> CuteReader::layout() {
  Result<Node> node = chain();
  return node ? toLayout(*std::move(node)) : std::unexpected(std::move(node.error()));
}

Result<cute::Layout> CuteReader::plain() {
  Result<Node> node = chain();
  return node ? toPlain(*node) : std::unexpected(std::move(node.error()));
}

Result<Tiler> CuteReader::tile() {
  Result<Node> node = chain();
  return node ? toTile(*std::move(node)) : std::unexpected(std::move(node.error()));
}

Result<IntTuple> CuteReader::tuple(std::string_view what) {
  in_.peek();
  uint32_t begin = in_.offset();
  Result<Node> node = primary();
  if (!node)
    return std::unexpected(std::move(node.error()));
  if (!node->tuple()) {
    in_.rewind(begin);
    return in_.expected(what);
  }
  return *node->tuple();
}

} // namespace lanescope::layouts
