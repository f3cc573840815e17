// The algebra of Tilus's register layouts.
#include "layouts/support/Text.h"
#include "layouts/tilus/TilusLayout.h"

#include <algorithm>
#include <numeric>

namespace lanescope::layouts::tilus {

namespace {

/// The order of dimensions that the ranks give; the dimension of rank 0 comes first.
Result<Shape> orderOf(const Shape &shape, const Shape &ranks) {
  Shape order(shape.size());
  if (ranks.empty()) {
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
  std::vector<bool> seen(shape.size(), false);
  if (ranks.size() != shape.size())
    return error("layout-ranks",
                 Message("there are {count} ranks for {dimensions} dimensions", ranks.size(), shape.size()));
  for (size_t dim = 0; dim < ranks.size(); ++dim) {
    if (ranks[dim] < 0 || ranks[dim] >= static_cast<int64_t>(shape.size()) || seen[ranks[dim]])
      return error("layout-ranks",
                   Message("ranks {shape} are not each of 0 to {} once", listText(ranks), shape.size() - 1));
    seen[ranks[dim]] = true;
    order[ranks[dim]] = static_cast<int64_t>(dim);
  }
  return order;
}

Shape reversedRanks(const Shape &shape) {
  Shape ranks(shape.size());
  std::iota(ranks.rbegin(), ranks.rend(), 0);
  return ranks;
}

Result<void> checkDims(const Shape &dims, size_t rank) {
  std::vector<bool> seen(rank, false);
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= static_cast<int64_t>(rank))
      return error("layout-dims", Message("dimension {dimension} is outside rank {rank}", dim, rank));
    if (seen[dim])
      return error("layout-dims", Message("dimension {dimension} is named twice", dim));
    seen[dim] = true;
  }
  return {};
}

bool contains(const Shape &values, int64_t value) { return std::ranges::find(values, value) != values.end(); }

/// Gives the layout another shape, with the same modes.
Registers withShape(const RegisterLayout &layout, Shape shape) {
  return RegisterLayout::make(std::move(shape), layout.modeShape(), layout.spatialModes(), layout.localModes());
}

/// The modes renumbered by `renamed`; a mode may become several.
Shape renumbered(const Shape &modes, const std::vector<Shape> &renamed) {
  Shape out;
  for (int64_t mode : modes)
    if (mode < 0)
      out.push_back(mode);
    else
      out.insert(out.end(), renamed[mode].begin(), renamed[mode].end());
  return out;
}

/// Raises the rank by leading dimensions of size one.
Registers ofRank(const RegisterLayout &layout, size_t rank) {
  Shape shape = layout.arrayShape();
  shape.insert(shape.begin(), rank - std::min(rank, shape.size()), 1);
  return withShape(layout, std::move(shape));
}

} // namespace

Registers spatial(const Shape &shape, const Shape &ranks) {
  Result<Shape> order = orderOf(shape, ranks);
  if (!order)
    return std::unexpected(std::move(order.error()));
  return RegisterLayout::make(shape, shape, *order, {});
}

Registers local(const Shape &shape, const Shape &ranks) {
  Result<Shape> order = orderOf(shape, ranks);
  if (!order)
    return std::unexpected(std::move(order.error()));
  return RegisterLayout::make(shape, shape, {}, *order);
}

Registers columnSpatial(const Shape &shape) { return spatial(shape, reversedRanks(shape)); }
Registers columnLocal(const Shape &shape) { return local(shape, reversedRanks(shape)); }

Registers replicated(const Shape &shape, int64_t workers) {
  if (workers < 1)
    return error("layout-modes", Message("a number of workers is positive, not {}", workers));
  Shape order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  return RegisterLayout::make(shape, shape, {-workers}, order);
}

Registers compose(const RegisterLayout &outer, const RegisterLayout &inner) {
  size_t rank = std::max(outer.arrayShape().size(), inner.arrayShape().size());
  Registers a = ofRank(outer, rank), b = ofRank(inner, rank);
  if (!a || !b)
    return a ? b : a;
  Shape shape(rank), modes;
  std::vector<Shape> outerModes(a->modeShape().size()), innerModes(b->modeShape().size());
  std::vector<std::vector<size_t>> outerGroups = a->groups(), innerGroups = b->groups();
  for (size_t dim = 0; dim < rank; ++dim) {
    shape[dim] = saturatingMultiply(a->arrayShape()[dim], b->arrayShape()[dim]);
    for (size_t mode : outerGroups[dim]) {
      outerModes[mode] = {static_cast<int64_t>(modes.size())};
      modes.push_back(a->modeShape()[mode]);
    }
    for (size_t mode : innerGroups[dim]) {
      innerModes[mode] = {static_cast<int64_t>(modes.size())};
      modes.push_back(b->modeShape()[mode]);
    }
  }
  Shape spatialModes = renumbered(a->spatialModes(), outerModes), localModes = renumbered(a->localModes(), outerModes);
  for (int64_t mode : renumbered(b->spatialModes(), innerModes))
    spatialModes.push_back(mode);
  for (int64_t mode : renumbered(b->localModes(), innerModes))
    localModes.push_back(mode);
  return RegisterLayout::make(std::move(shape), std::move(modes), std::move(spatialModes), std::move(localModes));
}

Registers divide(const RegisterLayout &lhs, const RegisterLayout &rhs) {
  auto cannot = [&] {
    return error("layout-divide", Message("`{name}` is no product with `{other_name}`", lhs.text(), rhs.text()));
  };
  if (lhs.arrayShape().size() < rhs.arrayShape().size())
    return cannot();
  Registers divisor = ofRank(rhs, lhs.arrayShape().size());
  if (!divisor)
    return divisor;
  // In each dimension, cut the first mode that belongs to the divisor as well, if the divisor's mode is smaller.
  std::vector<std::vector<size_t>> groups = lhs.groups(), own = divisor->groups();
  Shape refined;
  std::vector<Shape> pieces(lhs.modeShape().size());
  std::vector<int64_t> shared(divisor->modeShape().size()); // divisor mode -> refined mode
  std::vector<bool> removed;
  auto add = [&](size_t mode, int64_t size, bool gone) {
    pieces[mode].push_back(static_cast<int64_t>(refined.size()));
    refined.push_back(size);
    removed.push_back(gone);
  };
  for (size_t dim = 0; dim < groups.size(); ++dim) {
    if (groups[dim].size() < own[dim].size() || lhs.arrayShape()[dim] % divisor->arrayShape()[dim] != 0)
      return cannot();
    size_t kept = groups[dim].size() - own[dim].size();
    for (size_t i = 0; i < kept; ++i)
      add(groups[dim][i], lhs.modeShape()[groups[dim][i]], false);
    for (size_t i = 0; i < own[dim].size(); ++i) {
      size_t mode = groups[dim][kept + i];
      int64_t whole = lhs.modeShape()[mode], part = divisor->modeShape()[own[dim][i]];
      if (whole != part && (i > 0 || whole % part != 0))
        return cannot();
      if (whole != part)
        add(mode, whole / part, false);
      shared[own[dim][i]] = static_cast<int64_t>(refined.size());
      add(mode, part, true);
    }
  }
  // The divisor's modes must be the last ones of both orders.
  auto quotient = [&](const Shape &modes, const Shape &divisorModes) -> std::optional<Shape> {
    Shape all = renumbered(modes, pieces);
    if (all.size() < divisorModes.size())
      return std::nullopt;
    size_t kept = all.size() - divisorModes.size();
    for (size_t i = 0; i < divisorModes.size(); ++i) {
      int64_t mode = divisorModes[i] < 0 ? divisorModes[i] : shared[divisorModes[i]];
      if (all[kept + i] != mode)
        return std::nullopt;
    }
    all.resize(kept);
    return all;
  };
  std::optional<Shape> spatialModes = quotient(lhs.spatialModes(), divisor->spatialModes());
  std::optional<Shape> localModes = quotient(lhs.localModes(), divisor->localModes());
  if (!spatialModes || !localModes)
    return cannot();
  std::vector<Shape> renamed(refined.size());
  Shape modes, shape;
  for (size_t i = 0; i < refined.size(); ++i)
    if (!removed[i]) {
      renamed[i] = {static_cast<int64_t>(modes.size())};
      modes.push_back(refined[i]);
    }
  for (size_t dim = 0; dim < groups.size(); ++dim)
    shape.push_back(lhs.arrayShape()[dim] / divisor->arrayShape()[dim]);
  return RegisterLayout::make(std::move(shape), std::move(modes), renumbered(*spatialModes, renamed),
                              renumbered(*localModes, renamed));
}

Registers reduce(const RegisterLayout &layout, const Shape &dims, bool keepDims) {
  if (Result<void> checked = checkDims(dims, layout.arrayShape().size()); !checked)
    return std::unexpected(std::move(checked.error()));
  std::vector<Shape> renamed(layout.modeShape().size());
  Shape shape, modes;
  std::vector<std::vector<size_t>> groups = layout.groups();
  for (size_t dim = 0; dim < groups.size(); ++dim) {
    bool reduced = contains(dims, static_cast<int64_t>(dim));
    if (!reduced || keepDims)
      shape.push_back(reduced ? 1 : layout.arrayShape()[dim]);
    for (size_t mode : groups[dim]) {
      if (reduced)
        continue;
      renamed[mode] = {static_cast<int64_t>(modes.size())};
      modes.push_back(layout.modeShape()[mode]);
    }
  }
  Shape spatialModes;
  for (int64_t mode : layout.spatialModes())
    spatialModes.push_back(mode < 0 ? mode : renamed[mode].empty() ? -layout.modeShape()[mode] : renamed[mode][0]);
  return RegisterLayout::make(std::move(shape), std::move(modes), std::move(spatialModes),
                              renumbered(layout.localModes(), renamed));
}

Registers reduceTo(const RegisterLayout &layout, const Shape &shape) {
  const Shape &own = layout.arrayShape();
  auto cannot = [&] {
    return error("layout-shape",
                 Message("a layout of shape {shape} does not reduce to {other_shape}", listText(own), listText(shape)));
  };
  if (shape.size() > own.size())
    return cannot();
  Shape kept, dropped;
  size_t extra = own.size() - shape.size();
  for (size_t dim = 0; dim < own.size(); ++dim) {
    if (dim < extra)
      dropped.push_back(static_cast<int64_t>(dim));
    else if (own[dim] != shape[dim - extra]) {
      if (shape[dim - extra] != 1)
        return cannot();
      kept.push_back(static_cast<int64_t>(dim));
    }
  }
  Registers out = reduce(layout, kept, true);
  return out ? reduce(*out, dropped, false) : out;
}

Registers permute(const RegisterLayout &layout, const Shape &dims) {
  if (dims.size() != layout.arrayShape().size())
    return error("layout-dims", Message("there are {dimensions} dimensions for a layout of rank {rank}", dims.size(),
                                        layout.arrayShape().size()));
  if (Result<void> checked = checkDims(dims, dims.size()); !checked)
    return std::unexpected(std::move(checked.error()));
  std::vector<std::vector<size_t>> groups = layout.groups();
  std::vector<Shape> renamed(layout.modeShape().size());
  Shape shape, modes;
  for (int64_t dim : dims) {
    shape.push_back(layout.arrayShape()[dim]);
    for (size_t mode : groups[dim]) {
      renamed[mode] = {static_cast<int64_t>(modes.size())};
      modes.push_back(layout.modeShape()[mode]);
    }
  }
  return RegisterLayout::make(std::move(shape), std::move(modes), renumbered(layout.spatialModes(), renamed),
                              renumbered(layout.localModes(), renamed));
}

Registers reshape(const RegisterLayout &layout, const Shape &shape) {
  auto cannot = [&] {
    return error("layout-shape", Message("`{layout}` cannot be reshaped to {shape}", layout.text(), listText(shape)));
  };
  for (int64_t size : shape)
    if (size < 1)
      return error("layout-shape", Message("sizes are positive, not {size}", size));
  if (elementCount(shape) != elementCount(layout.arrayShape()))
    return cannot();
  // Cut the modes of both layouts at the borders of either layout's modes.
  std::vector<Shape> pieces(layout.modeShape().size());
  Shape modes;
  size_t dim = 0;
  int64_t left = shape.empty() ? 1 : shape[0];
  for (size_t mode = 0; mode < layout.modeShape().size(); ++mode)
    for (int64_t size = layout.modeShape()[mode]; size > 1;) {
      while (left == 1 && dim + 1 < shape.size())
        left = shape[++dim];
      int64_t piece = std::min(size, left);
      if (piece == 1 || size % piece != 0 || left % piece != 0)
        return cannot();
      pieces[mode].push_back(static_cast<int64_t>(modes.size()));
      modes.push_back(piece);
      size /= piece;
      left /= piece;
    }
  return RegisterLayout::make(shape, std::move(modes), renumbered(layout.spatialModes(), pieces),
                              renumbered(layout.localModes(), pieces));
}

Registers squeeze(const RegisterLayout &layout, const Shape &dims) {
  if (Result<void> checked = checkDims(dims, layout.arrayShape().size()); !checked)
    return std::unexpected(std::move(checked.error()));
  Shape shape;
  for (size_t dim = 0; dim < layout.arrayShape().size(); ++dim) {
    if (!contains(dims, static_cast<int64_t>(dim)))
      shape.push_back(layout.arrayShape()[dim]);
    else if (layout.arrayShape()[dim] != 1)
      return error("layout-dims",
                   Message("dimension {dimension} has size {size}, not 1", dim, layout.arrayShape()[dim]));
  }
  return withShape(layout, std::move(shape));
}

Registers unsqueeze(const RegisterLayout &layout, const Shape &dims) {
  size_t rank = layout.arrayShape().size() + dims.size();
  if (Result<void> checked = checkDims(dims, rank); !checked)
    return std::unexpected(std::move(checked.error()));
  Shape shape;
  for (size_t dim = 0, next = 0; dim < rank; ++dim)
    shape.push_back(contains(dims, static_cast<int64_t>(dim)) ? 1 : layout.arrayShape()[next++]);
  return withShape(layout, std::move(shape));
}

Registers flatten(const RegisterLayout &layout, int64_t start, int64_t end) {
  auto rank = static_cast<int64_t>(layout.arrayShape().size());
  if (end < 0)
    end += rank;
  if (start < 0 || end < start || end > rank)
    return error("layout-dims", Message("dimensions {} to {} of a layout of rank {rank}", start, end, rank));
  Shape shape(layout.arrayShape().begin(), layout.arrayShape().begin() + start);
  shape.push_back(elementCount(Shape(layout.arrayShape().begin() + start, layout.arrayShape().begin() + end)));
  shape.insert(shape.end(), layout.arrayShape().begin() + end, layout.arrayShape().end());
  return reshape(layout, shape);
}

Registers autoLocalSpatial(int64_t threads, const Shape &shape) {
  for (int64_t size : shape)
    if (size < 1)
      return error("layout-shape", Message("sizes are positive, not {size}", size));
  int64_t size = elementCount(shape);
  if (threads < 1 || (size % threads != 0 && threads % size != 0))
    return error("layout-shape",
                 Message("{threads} threads and shape {shape} do not divide each other", threads, listText(shape)));
  Shape remaining = shape, spread(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 0;) {
    spread[dim] = std::gcd(threads, remaining[dim]);
    threads /= spread[dim];
    remaining[dim] /= spread[dim];
  }
  Registers outer = local(remaining), inner = spatial(spread);
  if (!outer || !inner)
    return outer ? inner : outer;
  Registers out = compose(*outer, *inner);
  if (!out || threads == 1)
    return out;
  Shape spatialModes = out->spatialModes();
  spatialModes.insert(spatialModes.begin(), -threads);
  return RegisterLayout::make(out->arrayShape(), out->modeShape(), spatialModes, out->localModes());
}

} // namespace lanescope::layouts::tilus
