#include "core/gpu/inference/constraints/Candidates.h"

#include "layouts/Catalogue.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace lanescope::core::constraints {

namespace c = layouts::catalogue;
using layouts::RegisterLayout;
using layouts::Shape;
using layouts::TiledLayout;

namespace {

using List = Result<std::vector<Candidate>>;

constexpr std::array<int, 3> kSwizzles = {128, 64, 32};
constexpr int64_t kSwizzledRows = 8;
constexpr int kHopper = 90; // compute capability 9.0

/// One side of a constraint: a variable without a value, or a constant.
struct Known {
  std::optional<Variable> variable;
  Constant constant;
};

Result<Known> knownOf(const Expression &expression, const Assignments &assignments) {
  Known known;
  const auto *leaf = std::get_if<Variable>(&expression.leaf);
  if (leaf && !assignments[leaf->id]) {
    known.variable = expression.variable();
    return known;
  }
  auto reduced = LANESCOPE_TRY(reduceExpression(expression, assignments));
  if (const Constant *constant = reduced ? reduced->constant() : nullptr)
    known.constant = *constant;
  return known;
}

/// The two sides of a constraint, if one is a variable and the other a constant; otherwise `variable` is empty.
struct Pair {
  std::optional<Variable> variable;
  Constant constant;
};
Result<Pair> pairOf(const Expression &a, const Expression &b, const Assignments &assignments) {
  Known first = LANESCOPE_TRY(knownOf(a, assignments)), second = LANESCOPE_TRY(knownOf(b, assignments));
  if (first.variable && second.constant)
    return Pair{first.variable, second.constant};
  if (second.variable && first.constant)
    return Pair{second.variable, first.constant};
  return Pair{};
}

List of(const TmemTransfer &transfer, const Propagation &state) {
  Pair pair = LANESCOPE_TRY(pairOf(transfer.source, transfer.target, state.assignments()));
  std::vector<Candidate> out;
  if (!pair.variable)
    return out;
  const int64_t columns = transfer.shape[1];
  if (const auto *tensor = pair.constant.tensor()) {
    std::vector<TiledLayout> layouts = {c::tcgen05(), tensor->tiled(), *c::tmemNative(), c::wgmma()};
    if (columns % 16 == 0)
      if (auto halves = c::faM64Collective(columns))
        layouts.push_back(*halves);
    for (TiledLayout &layout : layouts)
      if (isTmemTransfer(transfer, *tensor, layout))
        out.push_back({*pair.variable, layout});
    return out;
  }
  if (!pair.constant.tiled())
    return out;
  const int64_t full = layouts::kTmemCellBits / std::max(transfer.bitwidth, 1);
  for (int64_t packing : full == 1 ? std::vector<int64_t>{1} : std::vector<int64_t>{full, 1}) {
    std::vector<Result<layouts::TMEMLayout>> layouts = {c::tmemDefault(packing)};
    if (columns % 16 == 0 && packing <= columns / 2)
      layouts.push_back(c::tmemHalfLane(columns, packing));
    if (columns % 16 == 0 && packing <= 8)
      layouts.push_back(c::tmemM64Collective(columns, packing));
    for (auto &layout : layouts)
      if (layout && isTmemTransfer(transfer, *layout, *pair.constant.registers()))
        out.push_back({*pair.variable, *layout});
  }
  return out;
}

List of(const SmemTransfer &transfer, const Propagation &state) {
  Pair pair = LANESCOPE_TRY(pairOf(transfer.source, transfer.target, state.assignments()));
  std::vector<Candidate> out;
  if (!pair.variable)
    return out;
  const VariableInfo &info = state.system().variables[pair.variable->id];
  if (pair.constant.registers()) {
    if (!pair.constant.tiled() || info.shape.size() < 2)
      return out;
    for (SmemTransforms &transforms :
         LANESCOPE_TRY(conjuredTransforms(info, dividesOf(*pair.variable, state.system()))))
      if (Constant value(std::move(transforms));
          std::ranges::none_of(out, [&](const Candidate &each) { return each.value == value; }))
        out.push_back({*pair.variable, std::move(value)});
    return out;
  }
  if (!pair.constant.shared()->tiling) {
    if (info.bitwidth == 0)
      return error("layout-not-inferable", "elements of an array have a width that is no power of two");
    if (auto strided = layouts::WGStridedFragLayout::fromShapedType(info.shape, info.bitwidth))
      out.push_back({*pair.variable, RegisterLayout(std::move(*strided))});
    return out;
  }
  if (state.target().capability() != kHopper) // JAX tries the layouts of `wgmma` first for 9.0 alone
    for (const TiledLayout *layout : {&c::tcgen05(), &c::tcgen05Transposed()})
      out.push_back({*pair.variable, *layout});
  for (const TiledLayout *layout : {&c::wgmma(), &c::wgmmaTransposed()})
    out.push_back({*pair.variable, *layout});
  return out;
}

List of(const Equals &equals, const Propagation &state) {
  std::vector<Candidate> out;
  for (auto [large, small] : {std::pair(&equals.lhs, &equals.rhs), std::pair(&equals.rhs, &equals.lhs)}) {
    const auto *variable = std::get_if<Variable>(&large->leaf);
    const auto *reduce = large->steps.size() == 1 ? std::get_if<Reduce>(&large->steps.front()) : nullptr;
    if (!variable || !reduce || state.assignments()[variable->id])
      continue;
    Known known = LANESCOPE_TRY(knownOf(*small, state.assignments()));
    if (!known.constant || !known.constant.registers())
      continue;
    for (RegisterLayout &layout :
         LANESCOPE_TRY(reductionSources(*known.constant.registers(), state.system().variables[variable->id].shape,
                                        reduce->axes, reduce->keepDims)))
      out.push_back({*variable, std::move(layout)});
    break;
  }
  return out;
}

List of(const Relayout &relayout, const Propagation &state) {
  Pair pair = LANESCOPE_TRY(pairOf(relayout.source, relayout.target, state.assignments()));
  if (!pair.variable)
    return std::vector<Candidate>();
  return std::vector<Candidate>{{*pair.variable, pair.constant}};
}

List of(const ValidMmaTiling &tiling, const Propagation &state) {
  std::vector<Candidate> out;
  const auto *variable = std::get_if<Variable>(&tiling.expr.leaf);
  const bool transposed = tiling.expr.steps.size() == 1 && std::holds_alternative<Transpose>(tiling.expr.steps.front());
  if (!variable || state.assignments()[variable->id] || (!tiling.expr.steps.empty() && !transposed))
    return out;
  const Shape &shape = state.system().variables[variable->id].shape;
  const size_t offset = shape.size() < 2 ? 0 : shape.size() - 2;
  for (int swizzle : kSwizzles) {
    const int64_t columns = int64_t(swizzle) * 8 / tiling.bitwidth;
    const Shape tile = transposed ? Shape{columns, kSwizzledRows} : Shape{kSwizzledRows, columns};
    bool fits = true;
    for (size_t d = 0; offset + d < shape.size(); ++d)
      fits = fits && tile[d] != 0 && shape[offset + d] % tile[d] == 0;
    if (fits)
      out.push_back({*variable, SmemTransforms{tile, swizzle}});
  }
  return out;
}

List of(const SupportedBroadcast &broadcast, const Propagation &state) {
  std::vector<Candidate> out;
  Known source = LANESCOPE_TRY(knownOf(broadcast.source, state.assignments())),
        target = LANESCOPE_TRY(knownOf(broadcast.target, state.assignments()));
  if (!source.constant || !target.variable)
    return out;
  const Shape &shape = state.system().variables[target.variable->id].shape;
  if (source.constant.splat())
    out.push_back({*target.variable, RegisterLayout(layouts::WGSplatFragLayout{shape})});
  else if (const auto *strided = source.constant.strided()) {
    auto layout = LANESCOPE_TRY(layouts::WGStridedFragLayout::make(shape, strided->vecSize()));
    if (isSupportedBroadcast(*strided, layout, broadcast.dims))
      out.push_back({*target.variable, RegisterLayout(std::move(layout))});
  }
  return out;
}

List of(const OneOf &oneOf, const Propagation &state) {
  std::vector<Candidate> out;
  if (auto variable = oneOf.expr.variable(); variable && !state.assignments()[variable->id])
    for (const Constant &each : oneOf.allowed)
      out.push_back({*variable, each});
  return out;
}

List of(const Repeated &, const Propagation &) { return std::vector<Candidate>(); }
List of(const NotOfType &, const Propagation &) { return std::vector<Candidate>(); }
List of(const Divides &, const Propagation &) { return std::vector<Candidate>(); }
List of(const MinorDimDivisibleBy &, const Propagation &) { return std::vector<Candidate>(); }

/// A variable's default layout; nothing if there is none.
Result<std::optional<Constant>> defaultOf(const VariableInfo &info) {
  switch (info.space) {
  case MemorySpace::Registers:
    if (info.bitwidth == 0)
      return error("layout-not-inferable", "elements of an array have a width that is no power of two");
    if (auto strided = layouts::WGStridedFragLayout::fromShapedType(info.shape, info.bitwidth))
      return Constant(RegisterLayout(std::move(*strided)));
    return std::nullopt;
  case MemorySpace::Shared: return Constant(SmemTransforms{});
  case MemorySpace::Tensor:
    if (!info.allocation)
      return std::nullopt;
    return Constant(LANESCOPE_TRY(c::inferTmem(info.shape, *info.allocation, 1)));
  }
  return std::nullopt;
}

} // namespace

const Divides *dividesOf(Variable variable, const System &system) {
  for (const Constraint &constraint : system.constraints)
    if (const auto *divides = std::get_if<Divides>(&constraint); divides && divides->expr.variable() == variable)
      return divides;
  return nullptr;
}

Result<std::vector<SmemTransforms>> conjuredTransforms(const VariableInfo &info, const Divides *divides) {
  std::vector<SmemTransforms> out;
  const size_t rank = info.shape.size();
  if (rank < 2)
    return out;
  if (info.bitwidth == 0)
    return error("layout-not-inferable", "elements of shared memory have a width that is no power of two");
  std::vector<size_t> order(rank);
  std::iota(order.begin(), order.end(), size_t(0));
  std::ranges::stable_sort(order, {}, [&](size_t d) { return info.strides[d]; });
  // A tiling covers the last two dimensions.
  if (order[0] + 2 < rank || order[1] + 2 < rank || info.shape[order[1]] % kSwizzledRows != 0)
    return out;
  const bool transposed = order[0] != rank - 1;
  for (int swizzle : kSwizzles) {
    const int64_t columns = 8 * int64_t(swizzle) / info.bitwidth;
    if (columns == 0 || info.shape[order[0]] % columns != 0)
      continue;
    SmemTransforms transforms{transposed ? Shape{columns, kSwizzledRows} : Shape{kSwizzledRows, columns}, swizzle};
    if (divides) {
      transforms.tiling = merged(*divides, Divides{divides->expr, *transforms.tiling}).multiples;
      const size_t minor = transposed ? 0 : 1;
      if (minor >= transforms.tiling->size())
        return error("layout-not-inferable",
                     Message("tiles of {tile} are not of rows and columns: a slice has no known size or start",
                             layouts::tupleText(*transforms.tiling)));
      const int64_t bytes = (*transforms.tiling)[minor] * info.bitwidth / 8;
      if (std::ranges::find(kSwizzles, bytes) == kSwizzles.end())
        continue;
      transforms.swizzle = static_cast<int>(bytes);
    }
    out.push_back(std::move(transforms));
  }
  return out;
}

Result<std::vector<RegisterLayout>> reductionSources(const RegisterLayout &small, const Shape &large,
                                                     const std::vector<int64_t> &axes, bool keepDims) {
  std::vector<RegisterLayout> out;
  if (std::holds_alternative<layouts::WGSplatFragLayout>(small)) {
    out.emplace_back(layouts::WGSplatFragLayout{large});
    return out;
  }
  if (const auto *strided = std::get_if<layouts::WGStridedFragLayout>(&small)) {
    out.emplace_back(LANESCOPE_TRY(layouts::WGStridedFragLayout::make(large, strided->vecSize())));
    return out;
  }
  if (keepDims)
    return out;
  const auto &tiled = std::get<TiledLayout>(small);
  std::vector<TiledLayout> layouts = {c::wgmma(), c::wgmmaTransposed(), c::tcgen05(), c::tcgen05Transposed(),
                                      *c::tmemNative()};
  if (large.back() % 16 == 0)
    if (auto halves = c::faM64Collective(large.back()))
      layouts.push_back(*halves);
  layouts.push_back(tiled); // last: for kernels in which no tiled array is reduced
  for (TiledLayout &layout : layouts) {
    if (layout.baseTile().size() > large.size())
      continue;
    const int64_t untiled = static_cast<int64_t>(large.size() - layout.baseTile().size());
    std::vector<int64_t> within;
    for (int64_t axis : axes)
      if (axis >= untiled)
        within.push_back(axis - untiled);
    auto reduced = layout.reduce(std::move(within));
    if (reduced && *reduced == tiled)
      out.emplace_back(std::move(layout));
  }
  return out;
}

Result<std::vector<Candidate>> candidatesOf(const Constraint &constraint, const Propagation &state) {
  return std::visit([&](const auto &each) { return of(each, state); }, constraint);
}

Result<bool> Candidates::fill(const Propagation &state) {
  const std::vector<Constraint> &constraints = state.system().constraints;
  buffer_.clear();
  used_ = 0;
  auto advance = [&](Stage stage) {
    stage_ = stage;
    at_ = 0;
  };
  while (buffer_.empty()) {
    switch (stage_) {
    case Stage::Relayouts:
    case Stage::Others: {
      if (at_ == constraints.size()) {
        advance(stage_ == Stage::Relayouts ? Stage::Others : Stage::NotTiled);
        break;
      }
      const size_t i = at_++;
      if (!state.isOpen(i) || std::holds_alternative<Relayout>(constraints[i]) != (stage_ == Stage::Relayouts))
        break;
      for (Candidate &each : LANESCOPE_TRY(candidatesOf(constraints[i], state))) {
        each.constraint = static_cast<int>(i);
        (each.value.registers() && !each.value.tiled() ? later_ : buffer_).push_back(std::move(each));
      }
      break;
    }
    case Stage::NotTiled:
      buffer_ = std::move(later_);
      advance(Stage::Defaults);
      break;
    case Stage::Defaults: {
      if (at_ == unknowns_.size()) {
        advance(Stage::Done);
        break;
      }
      const Variable variable = unknowns_[at_++];
      if (!state.assignments()[variable.id])
        if (auto value = LANESCOPE_TRY(defaultOf(state.system().variables[variable.id])))
          buffer_.push_back({variable, std::move(*value)});
      break;
    }
    case Stage::Done: return false;
    }
  }
  return true;
}

std::unique_ptr<Choices> Candidates::deeper() const { return std::make_unique<Candidates>(unknowns_); }

Result<std::optional<Candidate>> Candidates::next(const Propagation &state) {
  if (used_ == buffer_.size() && !LANESCOPE_TRY(fill(state)))
    return std::nullopt;
  return std::optional(buffer_[used_++]);
}

} // namespace lanescope::core::constraints
