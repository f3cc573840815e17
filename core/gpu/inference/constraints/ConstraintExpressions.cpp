#include "core/gpu/inference/constraints/ConstraintExpressions.h"

#include "core/gpu/inference/constraints/DerivedLayouts.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>

namespace lanescope::core::constraints {

using layouts::Shape;
using layouts::tupleText;

namespace {

Expression with(Expression expression, Step step) {
  expression.steps.push_back(std::move(step));
  return expression;
}

/// The result of applying a step to a constant: another constant, stuck, or impossible.
struct Outcome {
  enum Kind { Value, Stuck, Impossible } kind;
  Constant value = {};
};
const Outcome kStuck{Outcome::Stuck}, kImpossible{Outcome::Impossible};

Outcome valueOf(Constant constant) { return {Outcome::Value, std::move(constant)}; }

Shape shapeWithout(const Shape &shape, const Reduce &step) {
  Shape out;
  for (size_t d = 0; d < shape.size(); ++d)
    if (!std::ranges::binary_search(step.axes, static_cast<int64_t>(d)))
      out.push_back(shape[d]);
    else if (step.keepDims)
      out.push_back(1);
  return out;
}

Result<Outcome> apply(const Reduce &step, const Constant &constant) {
  if (const auto *splat = constant.splat())
    return valueOf(layouts::RegisterLayout(layouts::WGSplatFragLayout{shapeWithout(splat->shape, step)}));
  if (const auto *strided = constant.strided()) {
    // Elements must not move between lanes, and vectors must stay whole.
    const Shape &shape = strided->shape();
    int64_t trailing = 1;
    for (size_t d = static_cast<size_t>(step.axes.back()) + 1; d < shape.size(); ++d)
      trailing = layouts::saturatingMultiply(trailing, shape[d]);
    if (trailing % (strided->vecSize() * layouts::kThreadsPerWarpgroup) != 0)
      return kStuck;
    auto layout = LANESCOPE_TRY(layouts::WGStridedFragLayout::make(shapeWithout(shape, step), strided->vecSize()));
    return valueOf(layouts::RegisterLayout(std::move(layout)));
  }
  const auto *tiled = constant.tiled();
  if (!tiled || step.keepDims)
    return kStuck;
  const int64_t untiled = step.rank - static_cast<int64_t>(tiled->baseTile().size());
  std::vector<int64_t> axes;
  for (int64_t axis : step.axes)
    if (axis >= untiled)
      axes.push_back(axis - untiled);
  if (axes.empty())
    return valueOf(constant);
  return valueOf(LANESCOPE_TRY(tiled->reduce(std::move(axes))));
}

/// The last `count` sizes; all of them if that is zero or too many, as for Python's `shape[-count:]`.
std::span<const int64_t> lastOf(const Shape &shape, size_t count) {
  return count == 0 || count > shape.size() ? std::span(shape) : std::span(shape).last(count);
}

Result<Outcome> apply(const Reshape &step, const Constant &constant) {
  if (constant.splat())
    return valueOf(layouts::RegisterLayout(layouts::WGSplatFragLayout{step.target}));
  if (const auto *strided = constant.strided()) {
    auto layout = LANESCOPE_TRY(layouts::WGStridedFragLayout::make(step.target, strided->vecSize()));
    return valueOf(layouts::RegisterLayout(std::move(layout)));
  }
  const auto *tiled = constant.tiled();
  if (!tiled)
    return kStuck;
  const Shape &tile = tiled->baseTile();
  if (step.target.size() < tile.size() || step.source.size() < tile.size())
    return kStuck;
  auto source = lastOf(step.source, tile.size());
  for (size_t d = 0; d < tile.size(); ++d)
    if (source[d] % tile[d] != 0)
      return kStuck;
  // Only dimensions outside the tiles, and the number of tiles along their outermost dimension, may change. (For a tile
  // of one dimension whole shapes are compared, as in JAX.)
  const size_t minor = tile.size() - 1;
  if (!std::ranges::equal(lastOf(step.source, minor), lastOf(step.target, minor)) ||
      step.target[step.target.size() - tile.size()] % tile[0] != 0)
    return kStuck;
  return valueOf(constant);
}

Result<Outcome> apply(const Transpose &step, const Constant &constant) {
  const SmemTransforms *transforms = constant.shared();
  if (!transforms)
    return kStuck;
  if (!transforms->tiling)
    return valueOf(constant);
  const Shape &tiling = *transforms->tiling;
  const int64_t offset = static_cast<int64_t>(step.permutation.size()) - static_cast<int64_t>(tiling.size());
  Shape out;
  for (size_t i = offset > 0 ? static_cast<size_t>(offset) : 0; i < step.permutation.size(); ++i) {
    if (step.permutation[i] < offset)
      return kImpossible; // a tiled dimension is swapped with an untiled one
    out.push_back(tiling[static_cast<size_t>(step.permutation[i] - offset)]);
  }
  return valueOf(SmemTransforms{std::move(out), transforms->swizzle});
}

Result<Outcome> apply(const CollapseShape &step, const Constant &constant) {
  const SmemTransforms *transforms = constant.shared();
  if (!transforms)
    return error("layout-not-inferable", "only dimensions of shared memory can be collapsed");
  if (!transforms->tiling)
    return valueOf(constant);
  const Shape &tiling = *transforms->tiling;
  if (tiling.size() > step.source.size())
    return kImpossible;
  const size_t untiled = step.source.size() - tiling.size();
  for (size_t d = 0; d < tiling.size(); ++d)
    if (step.source[untiled + d] % tiling[d] != 0)
      return kImpossible;
  // Go back from the last group: a tile of (1, …, 1, any, full, …, full) is contiguous.
  Shape out;
  size_t left = tiling.size();
  for (size_t group = step.reassociation.size(); group-- > 0 && left > 0;) {
    const size_t dims = static_cast<size_t>(step.reassociation[group]);
    if (left < dims)
      return kImpossible; // tiled dimensions would be joined with untiled ones
    int64_t size = 1;
    bool full = true, first = true;
    for (size_t i = 0; i < dims; ++i) {
      const int64_t tile = tiling[left - 1 - i];
      size = layouts::saturatingMultiply(size, tile);
      full = full && tile == step.source[untiled + left - 1 - i];
      if (full)
        continue;
      if (!first && tile != 1)
        return kImpossible;
      first = false;
    }
    out.insert(out.begin(), size);
    left -= dims;
  }
  return valueOf(SmemTransforms{std::move(out), transforms->swizzle});
}

Result<Outcome> apply(const Derive &step, const Constant &constant) {
  const layouts::RegisterLayout *layout = constant.registers();
  std::optional<layouts::RegisterLayout> derived;
  if (layout && step.kind == Derive::Reduced)
    derived = reducedLayout(*layout, step.source, step.axes);
  else if (layout && step.kind == Derive::Reshaped)
    derived = reshapedLayout(*layout, step.source, step.target);
  else if (layout)
    derived = partLayout(*layout, step.target, step.kind == Derive::LeadingPart);
  return derived ? valueOf(std::move(*derived)) : kImpossible;
}

std::string pythonBool(bool value) { return value ? "True" : "False"; }

} // namespace

Expression Expression::reduced(std::vector<int64_t> axes, int64_t rank, bool keepDims) const {
  return with(*this, Reduce{std::move(axes), rank, keepDims});
}
Expression Expression::reshaped(Shape source, Shape target) const {
  return with(*this, Reshape{std::move(source), std::move(target)});
}
Expression Expression::transposed(std::vector<int64_t> permutation) const {
  return with(*this, Transpose{std::move(permutation)});
}
Expression Expression::collapsed(Shape source, std::vector<int64_t> reassociation) const {
  return with(*this, CollapseShape{std::move(source), std::move(reassociation)});
}

Expression Expression::derived(Derive step) const { return with(*this, std::move(step)); }

std::optional<Variable> Expression::variable() const {
  const auto *variable = std::get_if<Variable>(&leaf);
  return variable && steps.empty() ? std::optional(*variable) : std::nullopt;
}

const Constant *Expression::constant() const { return steps.empty() ? std::get_if<Constant>(&leaf) : nullptr; }

Result<void> checkReassociation(const Shape &source, const std::vector<int64_t> &reassociation) {
  int64_t dims = 0;
  for (int64_t group : reassociation) {
    if (group <= 0)
      return error("layout-not-inferable",
                   Message("invalid reassociation {shape}: each group must contain at least one dimension",
                           tupleText(reassociation)));
    dims += group;
  }
  if (dims != static_cast<int64_t>(source.size()))
    return error("layout-not-inferable", Message("invalid reassociation {shape}: the number of collapsed dimensions "
                                                 "must be equal to the rank of the source shape",
                                                 tupleText(reassociation)));
  return {};
}

Result<std::optional<Expression>> reduceExpression(const Expression &expression, const Assignments &assignments) {
  const Constant *start = std::get_if<Constant>(&expression.leaf);
  if (!start) {
    start = &assignments[std::get<Variable>(expression.leaf).id];
    if (!*start)
      return expression;
  }
  Constant value = *start;
  for (size_t i = 0; i < expression.steps.size(); ++i) {
    Outcome outcome =
        LANESCOPE_TRY(std::visit([&](const auto &step) { return apply(step, value); }, expression.steps[i]));
    if (outcome.kind == Outcome::Impossible)
      return std::nullopt;
    if (outcome.kind == Outcome::Stuck) {
      Expression left(std::move(value));
      left.steps.assign(expression.steps.begin() + static_cast<std::ptrdiff_t>(i), expression.steps.end());
      return left;
    }
    value = std::move(outcome.value);
  }
  return Expression(std::move(value));
}

std::string textOf(const Expression &expression, VariableName name) {
  const auto *variable = std::get_if<Variable>(&expression.leaf);
  std::string out = variable ? text("V(", name(*variable), ")") : std::get<Constant>(expression.leaf).text();
  for (const Step &step : expression.steps) {
    if (const auto *reduce = std::get_if<Reduce>(&step))
      out = text("Reduce([", tupleText(reduce->axes), "], ", out, ", rank=", reduce->rank,
                 ", keep_dims=", pythonBool(reduce->keepDims), ")");
    else if (const auto *reshape = std::get_if<Reshape>(&step))
      out = text("Reshape(", out, ", ", tupleText(reshape->source), " -> ", tupleText(reshape->target), ")");
    else if (const auto *transpose = std::get_if<Transpose>(&step))
      out = text("T(", out, ", permutation=", tupleText(transpose->permutation), ")");
    else if (const auto *collapse = std::get_if<CollapseShape>(&step))
      out = text("CollapseShape(", out, ", source_shape=", tupleText(collapse->source),
                 ", reassociation=", tupleText(collapse->reassociation), ")");
    else if (const auto *derive = std::get_if<Derive>(&step))
      out = text("Derive(", out, ", ", tupleText(derive->source), " -> ", tupleText(derive->target), ")");
  }
  return out;
}

} // namespace lanescope::core::constraints
