#include "layouts/cute/IntTuple.h"

#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::layouts::cute {

namespace {

void appendText(const IntTuple &tuple, bool marked, std::string &out) {
  if (!tuple.isTuple) {
    out += marked ? cppText(tuple.leaf) : dslText(tuple.leaf);
    return;
  }
  out += '(';
  for (size_t i = 0; i < tuple.items.size(); ++i) {
    if (i > 0)
      out += ',';
    appendText(tuple.items[i], marked, out);
  }
  out += ')';
}

std::string leafText(const Leaf &leaf, bool marked) {
  if (leaf.kind == Leaf::Kind::Whole)
    return "_";
  std::string out;
  if (leaf.kind == Leaf::Kind::Unknown) {
    out = "?";
    std::string width = leaf.width ? text('i', leaf.width) : "",
                divisor = leaf.value > 1 ? text("div=", leaf.value) : "";
    if (!width.empty() || !divisor.empty())
      out += text('{', width, !width.empty() && !divisor.empty() ? " " : "", divisor, '}');
  } else {
    out = text(marked && leaf.isStatic ? "_" : "", leaf.value);
  }
  for (size_t i = leaf.basis.size(); i-- > 0;)
    out += text('@', leaf.basis[i]);
  return out;
}

} // namespace

IntTuple IntTuple::of(std::vector<IntTuple> items) {
  IntTuple out;
  out.isTuple = true;
  out.items = std::move(items);
  return out;
}

int depthOf(const IntTuple &tuple) {
  if (!tuple.isTuple)
    return 0;
  int depth = 0;
  for (const IntTuple &item : tuple.items)
    depth = std::max(depth, depthOf(item));
  return depth + 1;
}

void appendLeaves(const IntTuple &tuple, std::vector<Leaf> &leaves) {
  if (!tuple.isTuple)
    leaves.push_back(tuple.leaf);
  for (const IntTuple &item : tuple.items)
    appendLeaves(item, leaves);
}

std::vector<Leaf> leavesOf(const IntTuple &tuple) {
  std::vector<Leaf> leaves;
  appendLeaves(tuple, leaves);
  return leaves;
}

bool congruent(const IntTuple &a, const IntTuple &b) {
  return a.isTuple == b.isTuple && a.items.size() == b.items.size() && std::ranges::equal(a.items, b.items, congruent);
}

bool known(const IntTuple &tuple) {
  return tuple.isTuple ? std::ranges::all_of(tuple.items, known) : tuple.leaf.kind == Leaf::Kind::Int;
}

bool hasBasis(const IntTuple &tuple) {
  return tuple.isTuple ? std::ranges::any_of(tuple.items, hasBasis) : !tuple.leaf.basis.empty();
}

int64_t productOf(const IntTuple &tuple) {
  Checked checked;
  int64_t product = 1;
  for (const Leaf &leaf : leavesOf(tuple))
    product = checked.times(product, leaf.value);
  return checked.overflowed() ? kMaxInt + 1 : product;
}

IntTuple unwrap(IntTuple tuple) {
  while (tuple.isTuple && tuple.items.size() == 1) {
    IntTuple inner = std::move(tuple.items[0]);
    tuple = std::move(inner);
  }
  return tuple;
}

Result<void> checkSize(const IntTuple &tuple, std::string_view what) {
  if (depthOf(tuple) > kMaxDepth)
    return error("cute-depth",
                 Message("{} nests {} tuples; at most {limit} are supported", what, depthOf(tuple), kMaxDepth));
  if (size_t leaves = leavesOf(tuple).size(); leaves > kMaxLeaves)
    return error("cute-size", Message("{} has {} integers; at most {limit} are supported", what, leaves, kMaxLeaves));
  return {};
}

IntTuple withStatic(IntTuple tuple, bool isStatic) {
  if (!tuple.isTuple)
    tuple.leaf.isStatic = isStatic && tuple.leaf.kind == Leaf::Kind::Int;
  for (IntTuple &item : tuple.items)
    item = withStatic(std::move(item), isStatic);
  return tuple;
}

std::string cppText(const Leaf &leaf) { return leafText(leaf, true); }
std::string dslText(const Leaf &leaf) { return leafText(leaf, false); }

std::string cppText(const IntTuple &tuple) {
  std::string out;
  appendText(tuple, true, out);
  return out;
}

std::string dslText(const IntTuple &tuple) {
  std::string out;
  appendText(tuple, false, out);
  return out;
}

} // namespace lanescope::layouts::cute
