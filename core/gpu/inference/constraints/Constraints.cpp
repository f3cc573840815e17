#include "core/gpu/inference/constraints/Constraints.h"

#include "core/gpu/inference/constraints/DerivedLayouts.h"

#include "layouts/Catalogue.h"
#include "layouts/cost/RelayoutTable.h"
#include "layouts/cost/TmemTransferCost.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <numeric>

namespace lanescope::core::constraints {

namespace c = layouts::catalogue;
using layouts::Shape;
using layouts::TiledLayout;
using layouts::tupleText;

namespace {

template <typename... Ts> struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <typename... Ts> Overloaded(Ts...) -> Overloaded<Ts...>;

/// True for the conversions that JAX's inference allows (`_is_supported_tiled_relayout`).
bool isTiledRelayout(const TiledLayout &from, const TiledLayout &to, int bitwidth) {
  using layouts::Conversion;
  switch (layouts::conversionOfPair(from, to).value_or(Conversion::Renaming)) {
  case Conversion::Nothing:
  case Conversion::Transposition:
  case Conversion::Recut: return true;
  case Conversion::Upcast2x: return bitwidth <= 16;
  case Conversion::Upcast4xTo2x:
  case Conversion::Upcast4x: return bitwidth == 4;
  case Conversion::Constant: // JAX has an own rule for constants, and lacks the other two
  case Conversion::PairSplit:
  case Conversion::Renaming: return false;
  }
  return false;
}

bool isRelayout(const Relayout &relayout, const Constant &source, const Constant &target) {
  if (source == target)
    return true;
  if (relayout.shape)
    return layouts::conversion(*source.registers(), *target.registers(), *relayout.shape, relayout.bitwidth)
        .has_value();
  if (const auto *splat = source.splat()) {
    if (const auto *strided = target.strided())
      return splat->shape == strided->shape();
    const auto *tiled = target.tiled();
    if (!tiled)
      return false;
    const Shape &tile = tiled->baseTile(); // the tile's sizes by position; compared up to the shorter tile
    for (size_t d = 0; d < std::min(tile.size(), splat->shape.size()); ++d)
      if (splat->shape[d] % tile[d] != 0)
        return false;
    return true;
  }
  return !relayout.strict && source.tiled() && target.tiled() &&
         isTiledRelayout(*source.tiled(), *target.tiled(), relayout.bitwidth);
}

bool isOfKind(const Constant &constant, LayoutKind kind) {
  switch (kind) {
  case LayoutKind::Splat: return constant.splat();
  case LayoutKind::Strided: return constant.strided();
  case LayoutKind::Tiled: return constant.tiled();
  }
  return false;
}

bool divides(const Divides &constraint, const Constant &constant) {
  const Shape *tiling = nullptr;
  if (const SmemTransforms *transforms = constant.shared())
    tiling = transforms->tiling ? &*transforms->tiling : nullptr;
  else if (const auto *tensor = constant.tensor())
    tiling = &tensor->tiled().baseTile();
  else if (const auto *tiled = constant.tiled())
    tiling = &tiled->baseTile();
  if (!tiling)
    return true;
  if (tiling->size() > constraint.multiples.size())
    return false;
  const size_t offset = constraint.multiples.size() - tiling->size();
  for (size_t d = 0; d < tiling->size(); ++d)
    if (constraint.multiples[offset + d] % (*tiling)[d] != 0)
      return false;
  return true;
}

constexpr int kUnswizzledBytes = 16;

bool isMmaTiling(const ValidMmaTiling &constraint, const SmemTransforms &transforms) {
  if (!transforms.tiling || (!transforms.swizzle && !constraint.allowUnswizzled))
    return false;
  const int64_t bytes = transforms.swizzle ? transforms.swizzle : kUnswizzledBytes;
  return *transforms.tiling == Shape{8, bytes * 8 / constraint.bitwidth};
}

std::unexpected<Diagnostics> wrongKind(std::string_view constraint, const Constant &constant) {
  return error("layout-not-inferable", Message("{} says nothing of {}", constraint, constant.text()));
}

Result<bool> holdsFor(const Equals &, const Constant &a, const Constant &b, const GpuTarget &) { return a == b; }
Result<bool> holdsFor(const Relayout &relayout, const Constant &a, const Constant &b, const GpuTarget &) {
  if (!a.registers() || !b.registers())
    return wrongKind("a relayout", a.registers() ? b : a);
  return isRelayout(relayout, a, b);
}
Result<bool> holdsFor(const NotOfType &constraint, const Constant &a, const Constant &, const GpuTarget &) {
  return !isOfKind(a, constraint.kind);
}
Result<bool> holdsFor(const TmemTransfer &transfer, const Constant &a, const Constant &b, const GpuTarget &) {
  const Constant &tensor = a.tensor() ? a : b, &registers = a.tensor() ? b : a;
  if (!tensor.tensor() || !registers.registers())
    return wrongKind("a transfer of tensor memory", tensor.tensor() ? registers : tensor);
  if (transfer.any)
    return layouts::isTransferable(*tensor.tensor(), *registers.registers(), transfer.shape, transfer.bitwidth);
  return isTmemTransfer(transfer, *tensor.tensor(), *registers.registers());
}
Result<bool> holdsFor(const SmemTransfer &transfer, const Constant &a, const Constant &b, const GpuTarget &target) {
  const Constant &shared = a.shared() ? a : b, &registers = a.shared() ? b : a;
  if (!shared.shared() || !registers.registers())
    return wrongKind("a transfer of shared memory", shared.shared() ? registers : shared);
  return isSmemTransfer(transfer, *shared.shared(), *registers.registers(), target);
}
Result<bool> holdsFor(const Divides &constraint, const Constant &a, const Constant &, const GpuTarget &) {
  return divides(constraint, a);
}
Result<bool> holdsFor(const MinorDimDivisibleBy &constraint, const Constant &a, const Constant &, const GpuTarget &) {
  const SmemTransforms *transforms = a.shared();
  if (!transforms)
    return wrongKind("the last size of a tile", a);
  return !transforms->tiling || transforms->tiling->empty() || transforms->tiling->back() % constraint.divisor == 0;
}
Result<bool> holdsFor(const ValidMmaTiling &constraint, const Constant &a, const Constant &, const GpuTarget &) {
  return a.shared() ? Result<bool>(isMmaTiling(constraint, *a.shared())) : wrongKind("the tiling of a product", a);
}
Result<bool> holdsFor(const SupportedBroadcast &broadcast, const Constant &a, const Constant &b, const GpuTarget &) {
  if (!a.registers() || !b.registers())
    return wrongKind("a broadcast", a.registers() ? b : a);
  if (a.strided() && b.strided())
    return isSupportedBroadcast(*a.strided(), *b.strided(), broadcast.dims);
  // The reduction that comes with this constraint checks the other conditions.
  return a.registers()->index() == b.registers()->index();
}
Result<bool> holdsFor(const Repeated &repeated, const Constant &a, const Constant &b, const GpuTarget &) {
  if (!a.registers() || !b.registers())
    return wrongKind("a repetition", a.registers() ? b : a);
  return reducedLayout(*b.registers(), repeated.shape, repeated.axes) == *a.registers() ||
         repeatedLayout(*a.registers(), repeated.shape, repeated.axes) == *b.registers();
}
Result<bool> holdsFor(const OneOf &constraint, const Constant &a, const Constant &, const GpuTarget &) {
  return std::ranges::find(constraint.allowed, a) != constraint.allowed.end();
}

template <typename C> auto sides(C &constraint) {
  using Side = std::conditional_t<std::is_const_v<C>, const Expression, Expression> *;
  return std::visit(Overloaded{
      [](auto &each) -> std::pair<Side, Side>
        requires requires { each.source; }
                 { return {&each.source, &each.target}; },
                 [](auto &each) -> std::pair<Side, Side>
                   requires requires { each.expr; }
                            { return {&each.expr, nullptr}; },
                            [](auto &each) -> std::pair<Side, Side>
                              requires requires { each.lhs; }
      { return {&each.lhs, &each.rhs}; },
      },
      constraint);
}

/// True if one side's value determines the other's: for equalities, and for conversions that change nothing.
bool isEquality(const Constraint &constraint, const Constant *source) {
  if (std::holds_alternative<Equals>(constraint))
    return true;
  const auto *relayout = std::get_if<Relayout>(&constraint);
  return relayout && relayout->strict && source && (source->tiled() || source->strided());
}

/// The only constant that the constraint allows.
const Constant *onlyOne(const Constraint &constraint) {
  const auto *oneOf = std::get_if<OneOf>(&constraint);
  if (!oneOf || oneOf->allowed.empty())
    return nullptr;
  for (const Constant &each : oneOf->allowed)
    if (!(each == oneOf->allowed.front()))
      return nullptr;
  return &oneOf->allowed.front();
}

/// A constraint's side, as an expression reduced by the known values. Without known values it is the constraint's own
/// expression.
class Side {
public:
  static Result<std::optional<Side>> of(const Expression &expression, const Assignments &assignments) {
    Side side;
    side.original_ = &expression;
    const auto *variable = std::get_if<Variable>(&expression.leaf);
    if (variable && !assignments[variable->id])
      return std::optional(std::move(side));
    auto reduced = LANESCOPE_TRY(reduceExpression(expression, assignments));
    if (!reduced)
      return std::optional<Side>();
    side.reduced_ = std::move(reduced);
    return std::optional(std::move(side));
  }
  const Expression &get() const { return reduced_ ? *reduced_ : *original_; }

private:
  const Expression *original_ = nullptr;
  std::optional<Expression> reduced_;
};

} // namespace

std::pair<Expression *, Expression *> sidesOf(Constraint &constraint) { return sides(constraint); }
std::pair<const Expression *, const Expression *> sidesOf(const Constraint &constraint) { return sides(constraint); }

Result<bool> holds(const Constraint &constraint, const GpuTarget &target) {
  auto [first, second] = sidesOf(constraint);
  const Constant &a = *first->constant(), &b = second ? *second->constant() : a;
  return std::visit([&](const auto &each) { return holdsFor(each, a, b, target); }, constraint);
}

Result<Finding> examine(const Constraint &constraint, const Assignments &assignments, const GpuTarget &target) {
  auto [first, second] = sidesOf(constraint);
  auto a = LANESCOPE_TRY(Side::of(*first, assignments));
  if (!a)
    return Finding{Finding::False};
  if (!second) {
    const Constant *value = a->get().constant();
    if (!value) {
      if (const Constant *only = onlyOne(constraint))
        if (auto variable = a->get().variable())
          return Finding{Finding::Assign, *variable, *only};
      return Finding{Finding::Open};
    }
    bool ok =
        LANESCOPE_TRY(std::visit([&](const auto &each) { return holdsFor(each, *value, *value, target); }, constraint));
    return Finding{ok ? Finding::True : Finding::False};
  }
  auto b = LANESCOPE_TRY(Side::of(*second, assignments));
  if (!b)
    return Finding{Finding::False};
  const Constant *from = a->get().constant(), *to = b->get().constant();
  const bool equality = isEquality(constraint, from);
  if ((equality || std::holds_alternative<Relayout>(constraint)) && a->get() == b->get())
    return Finding{Finding::True};
  if (from && to) {
    bool ok =
        LANESCOPE_TRY(std::visit([&](const auto &each) { return holdsFor(each, *from, *to, target); }, constraint));
    return Finding{ok ? Finding::True : Finding::False};
  }
  if (equality) {
    if (auto variable = a->get().variable(); variable && to)
      return Finding{Finding::Assign, *variable, *to};
    if (auto variable = b->get().variable(); variable && from)
      return Finding{Finding::Assign, *variable, *from};
  }
  if (const auto *repeated = std::get_if<Repeated>(&constraint); repeated && to)
    if (auto variable = a->get().variable())
      if (auto reduced = reducedLayout(*to->registers(), repeated->shape, repeated->axes))
        return Finding{Finding::Assign, *variable, std::move(*reduced)};
  return Finding{Finding::Open};
}

Result<Constraint> simplified(const Constraint &constraint, const Assignments &assignments) {
  Constraint out = constraint;
  auto [first, second] = sidesOf(out);
  for (Expression *side : {first, second})
    if (side)
      if (auto reduced = LANESCOPE_TRY(reduceExpression(*side, assignments)))
        *side = std::move(*reduced);
  if (std::holds_alternative<Relayout>(out) && isEquality(out, first->constant()))
    return Constraint(Equals{*first, *second});
  if (auto *oneOf = std::get_if<OneOf>(&out)) {
    std::vector<Constant> distinct;
    for (Constant &each : oneOf->allowed)
      if (std::ranges::find(distinct, each) == distinct.end())
        distinct.push_back(std::move(each));
    if (distinct.size() == 1)
      return Constraint(Equals{oneOf->expr, Expression(distinct.front())});
    oneOf->allowed = std::move(distinct);
  }
  return out;
}

Divides merged(const Divides &a, const Divides &b) {
  const size_t rank = std::min(a.multiples.size(), b.multiples.size());
  Divides out{a.expr, {}};
  for (size_t i = 0; i < rank; ++i)
    out.multiples.push_back(
        std::gcd(a.multiples[a.multiples.size() - rank + i], b.multiples[b.multiples.size() - rank + i]));
  return out;
}

bool isSupportedBroadcast(const layouts::WGStridedFragLayout &source, const layouts::WGStridedFragLayout &target,
                          const std::vector<int64_t> &dims) {
  const Shape &small = source.shape(), &large = target.shape();
  if (source.vecSize() != target.vecSize() || dims.size() != small.size() || small.size() > large.size())
    return false;
  // All repeated dimensions must come before all kept ones.
  std::optional<size_t> lastRepeated, firstKept;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] != static_cast<int64_t>(large.size() - small.size() + d))
      return false;
    if (small[d] == 1 && large[static_cast<size_t>(dims[d])] > 1)
      lastRepeated = d;
    if (small[d] > 1 && !firstKept)
      firstKept = d;
  }
  return !lastRepeated || !firstKept || *lastRepeated < *firstKept;
}

bool isTmemTransfer(const TmemTransfer &transfer, const layouts::TMEMLayout &tensor,
                    const layouts::RegisterLayout &registers) {
  const auto *tiled = std::get_if<TiledLayout>(&registers);
  if (!tiled)
    return false;
  const int64_t packing = tensor.packing(), columns = transfer.shape[1];
  auto is = [&](const Result<layouts::TMEMLayout> &layout) { return layout && tensor == *layout; };
  if (*tiled == c::tcgen05() && is(c::tmemDefault(packing)))
    return true;
  if (*tiled == tensor.tiled() && packing * transfer.bitwidth == layouts::kTmemCellBits)
    return true;
  if (*tiled == *c::tmemNative() && is(c::tmemDefault(packing)) &&
      ((transfer.bitwidth == 16 && packing == 1) || transfer.bitwidth == 32))
    return true;
  if (columns % 16 != 0)
    return false;
  if (packing <= columns / 2 && *tiled == c::wgmma() && is(c::tmemHalfLane(columns, packing)))
    return true;
  auto halves = c::faM64Collective(columns);
  return packing <= 8 && halves && *tiled == *halves && is(c::tmemM64Collective(columns, packing));
}

static std::string oneOfText(const std::string &expression, const std::vector<Constant> &allowed) {
  std::vector<std::string> texts;
  for (const Constant &constant : allowed)
    texts.push_back(constant.listText());
  return text("OneOf(", expression, ", (", joined(texts, ", "), texts.size() == 1 ? ",))" : "))");
}

std::string textOf(const Constraint &constraint, VariableName name) {
  auto [first, second] = sidesOf(constraint);
  const std::string a = textOf(*first, name), b = second ? textOf(*second, name) : "";
  return std::visit(
      Overloaded{
          [&](const Equals &) { return text("Equals(", a, " == ", b, ")"); },
          [&](const Relayout &) { return text("Relayout(", a, "  ⟶ ", b, ")"); },
          [&](const NotOfType &each) {
            constexpr std::string_view kNames[] = {"WGSplatFragLayout", "WGStridedFragLayout", "TiledLayout"};
            return text("type(", a, ") ≠ ", kNames[static_cast<size_t>(each.kind)]);
          },
          [&](const TmemTransfer &) { return text("IsTransferableTmemRegisters(", a, " ⟶ ", b, ")"); },
          [&](const SmemTransfer &) { return text("IsTransferableSmemRegisters(", a, " ⟶ ", b, ")"); },
          [&](const Divides &each) { return text(tupleText(each.multiples), " % ", a, " == 0"); },
          [&](const MinorDimDivisibleBy &each) { return text(a, ".tiling[-1] % ", each.divisor, " == 0"); },
          [&](const ValidMmaTiling &each) {
            std::vector<Constant> tilings;
            for (int swizzle : {128, 64, 32})
              tilings.push_back(SmemTransforms{Shape{8, swizzle * 8 / each.bitwidth}, swizzle});
            if (each.allowUnswizzled)
              tilings.push_back(SmemTransforms{Shape{8, kUnswizzledBytes * 8 / each.bitwidth}, 0});
            return oneOfText(a, tilings);
          },
          [&](const SupportedBroadcast &each) {
            return text("IsSupportedBroadcast(src=", a, ", dst=", b, ", dims=", tupleText(each.dims), ")");
          },
          [&](const Repeated &each) { return text("Repeated(", a, " ⟶ ", b, ", axes=", tupleText(each.axes), ")"); },
          [&](const OneOf &each) { return oneOfText(a, each.allowed); },
      },
      constraint);
}

} // namespace lanescope::core::constraints
