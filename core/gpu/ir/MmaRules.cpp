#include "core/gpu/ir/MmaRules.h"

#include "core/gpu/ir/ProductQueries.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core {

using layouts::Dtype;
using layouts::Shape;
using layouts::tupleText;

namespace {

bool isFourBitFloat(Dtype dtype) { return dtype == Dtype::F4E2M1FN; }
bool isSixBitFloat(Dtype dtype) { return dtype == Dtype::F6E2M3FN || dtype == Dtype::F6E3M2FN; }
/// The floats that `.kind::f8f6f4` multiplies with each other, and that have block scales.
bool isScalable(Dtype dtype) {
  return dtype == Dtype::F8E4M3FN || dtype == Dtype::F8E5M2 || isSixBitFloat(dtype) || isFourBitFloat(dtype);
}
/// The floats that only `.kind::f8f6f4` and the kinds with block scales multiply.
bool isNarrow(Dtype dtype) { return isSixBitFloat(dtype) || isFourBitFloat(dtype); }
constexpr std::string_view kScalable = "f8e4m3fn, f8e5m2, f6e2m3fn, f6e3m2fn";

class MmaChecks {
public:
  explicit MmaChecks(const MmaOperands &operands) : o_(operands) {}

  std::expected<MmaChoice, MmaProblem> run() {
    using Check = std::optional<MmaProblem> (MmaChecks::*)() const;
    constexpr Check kInOrder[] = {&MmaChecks::bothScales, &MmaChecks::factors, &MmaChecks::scaleTypes,
                                  &MmaChecks::blocks, &MmaChecks::scaleShapes};
    for (Check check : kInOrder)
      if (std::optional<MmaProblem> found = (this->*check)())
        return std::unexpected(*std::move(found));
    return choose();
  }

private:
  using Part = MmaProblem::Part;

  template <typename... Parts> static std::optional<MmaProblem> problem(Part part, std::string kind, Parts &&...parts) {
    return MmaProblem{part, std::move(kind), text(std::forward<Parts>(parts)...)};
  }

  bool scaled() const { return o_.aScale.has_value(); }
  bool packed() const { return isFourBitFloat(o_.a.dtype) && isFourBitFloat(o_.b.dtype); }
  int64_t depth() const { return o_.a.shape[1]; }
  int64_t scales() const { return o_.aScale->shape[1]; } // along K

  std::optional<MmaProblem> bothScales() const {
    if (o_.aScale.has_value() == o_.bScale.has_value())
      return std::nullopt;
    return problem(o_.aScale ? Part::AScale : Part::BScale, "arguments",
                   "a product has scales for both operands or for none; `", o_.aScale ? "b_scale" : "a_scale",
                   "` is missing");
  }

  std::optional<MmaProblem> factors() const {
    for (auto [operand, part] : {std::pair(&o_.a, Part::A), {&o_.b, Part::B}})
      if (scaled() && !isScalable(operand->dtype))
        return problem(part, "dtype-mismatch", "block scales go with ", kScalable, " and f4e2m1fn, not with ",
                       name(operand->dtype));
    bool narrowA = isNarrow(o_.a.dtype), narrowB = isNarrow(o_.b.dtype);
    const MmaOperand &own = narrowA ? o_.a : o_.b, &other = narrowA ? o_.b : o_.a;
    if ((narrowA || narrowB) && !isScalable(other.dtype))
      return problem(narrowA ? Part::B : Part::A, "dtype-mismatch", name(own.dtype), " is multiplied by ", kScalable,
                     " or f4e2m1fn, not by ", name(other.dtype));
    return std::nullopt;
  }

  std::optional<MmaProblem> scaleTypes() const {
    if (!scaled())
      return std::nullopt;
    for (auto [operand, part, called] :
         {std::tuple(&*o_.aScale, Part::AScale, "a_scale"), {&*o_.bScale, Part::BScale, "b_scale"}}) {
      if (operand->shape.size() != 2)
        return problem(part, "shape-mismatch", "`", called, "` has two dimensions, not the shape ",
                       tupleText(operand->shape));
      if (operand->dtype != Dtype::F8E8M0FNU && operand->dtype != Dtype::F8E4M3FN)
        return problem(part, "dtype-mismatch", "scales are f8e8m0fnu or f8e4m3fn, and `", called, "` has dtype ",
                       name(operand->dtype));
    }
    if (o_.aScale->dtype != o_.bScale->dtype)
      return problem(Part::BScale, "dtype-mismatch", "the scales of both operands have one dtype; `a_scale` has ",
                     name(o_.aScale->dtype), " and `b_scale` has ", name(o_.bScale->dtype));
    return std::nullopt;
  }

  /// The number of elements of K that share a scale: 32 with scales that are powers of two, 16 with others.
  int64_t block() const { return o_.aScale->dtype == Dtype::F8E8M0FNU ? 32 : 16; }

  std::optional<MmaProblem> blocks() const {
    if (!scaled())
      return std::nullopt;
    if (block() == 16 && !packed())
      return problem(
          Part::AScale, "dtype-mismatch",
          "8-bit and 6-bit floats have scales of f8e8m0fnu; those of f8e4m3fn go with f4e2m1fn on both sides");
    if (scales() * block() != depth())
      return problem(Part::AScale, "shape-mismatch",
                     packed() ? "f4e2m1fn has scales of f8e8m0fnu for each 32 elements "
                                "along K, or of f8e4m3fn for each 16"
                              : "8-bit and 6-bit floats have scales of f8e8m0fnu for each 32 elements along K",
                     "; `a_scale` of shape ", tupleText(o_.aScale->shape), " does not go with K = ", depth());
    return std::nullopt;
  }

  std::optional<MmaProblem> scaleShapes() const {
    if (!scaled())
      return std::nullopt;
    Shape left{o_.a.shape[0], scales()}, right{o_.b.shape[1], scales()};
    if (o_.aScale->shape != left)
      return problem(Part::AScale, "shape-mismatch", "the scales of `a` have the shape ", tupleText(left),
                     ", a row for each of its rows, and `a_scale` has ", tupleText(o_.aScale->shape));
    if (o_.bScale->shape != right)
      return problem(Part::BScale, "shape-mismatch", "the scales of `b` have the shape ", tupleText(right),
                     ", a row for each of its columns, and `b_scale` has ", tupleText(o_.bScale->shape));
    return std::nullopt;
  }

  /// The `.kind::` of the instruction; empty for products without scales and floats of less than 8 bits.
  std::string_view instructionKind() const {
    if (scaled())
      return !packed() ? "mxf8f6f4" : block() == 32 ? "mxf4" : "mxf4nvf4";
    return isNarrow(o_.a.dtype) || isNarrow(o_.b.dtype) ? "f8f6f4" : "";
  }

  std::expected<MmaChoice, MmaProblem> choose() const {
    layouts::MatrixQuery query = kMmaQuery;
    query.kind = instructionKind();
    query.a = layouts::multiplicandNamed(o_.a.dtype);
    query.b = layouts::multiplicandNamed(o_.b.dtype);
    query.d = layouts::accumulatorNamed(o_.acc.dtype);
    query.productK = depth();
    if (scaled())
      query.scaleBlock = static_cast<int>(block());
    auto rows = layouts::chooseMatrixInstructions(query);
    if (!rows) {
      using enum layouts::MatrixPart;
      layouts::MatrixPart part = rows.error().part;
      bool type = part == A || part == B || part == D;
      return std::unexpected(MmaProblem{part == A   ? Part::A
                                        : part == B ? Part::B
                                        : part == D ? Part::Acc
                                                    : Part::Call,
                                        type ? "dtype-mismatch" : "shape-mismatch", std::move(rows.error().message)});
    }
    MmaChoice choice{rows->front(), *query.a->type, *query.b->type, *query.d->type};
    if (scaled())
      choice.scale = choice.instruction->scale(query);
    return choice;
  }

  const MmaOperands &o_;
};

} // namespace

std::expected<MmaChoice, MmaProblem> chooseMma(const MmaOperands &operands) { return MmaChecks(operands).run(); }

int mmaElementBits(Dtype a, Dtype b, bool scaled) {
  int bits = std::max(layouts::bitwidth(a), layouts::bitwidth(b));
  return bits == 4 && isFourBitFloat(a) && !scaled ? 8 : bits;
}

} // namespace lanescope::core
