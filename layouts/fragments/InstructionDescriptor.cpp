#include "layouts/fragments/InstructionDescriptor.h"

#include "layouts/fragments/BitField.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <span>

namespace lanescope::layouts {

namespace {

using enum MatrixType;

//===------------------------------------ bits --------------------------------------------------------------------===//

using Field = BitField<uint32_t>;

// Fields of all kinds.
constexpr Field kSparse{2, 1}, kA{7, 3}, kB{10, 3}, kNegateA{13, 1}, kNegateB{14, 1}, kTransposeA{15, 1},
    kTransposeB{16, 1}, kColumns{17, 6};
// Fields of kinds without block scales.
constexpr Field kSelector{0, 2}, kSaturate{3, 1}, kD{4, 2}, kRows16{24, 5}, kMaxShift{30, 2};
// Fields of kinds with block scales.
constexpr Field kScaleIdB{4, 2}, kScaleType{23, 1}, kRows128{27, 2}, kScaleIdA{29, 2};
constexpr Field kDeep{31, 1}; // kind::mxf4 and kind::mxf4nvf4: K = 96
constexpr int64_t kDeepK = 96;

constexpr uint32_t maskOf(std::initializer_list<Field> fields) {
  uint32_t mask = 0;
  for (Field field : fields)
    mask |= field.mask();
  return mask;
}
constexpr uint32_t kCommon = maskOf({kSparse, kA, kB, kNegateA, kNegateB, kTransposeA, kTransposeB, kColumns}),
                   kPlain = kCommon | maskOf({kSelector, kSaturate, kD, kRows16, kMaxShift}),
                   kScaled = kCommon | maskOf({kScaleIdB, kScaleType, kRows128, kScaleIdA});

struct Code {
  MatrixType type;
  uint32_t code;
};
constexpr Code kHalves[] = {{F16, 0}, {BF16, 1}}, kTf32[] = {{TF32, 2}}, kBytes[] = {{U8, 0}, {S8, 1}},
               kNarrow[] = {{E4M3, 0}, {E5M2, 1}, {E2M3, 3}, {E3M2, 4}, {E2M1, 5}}, kFours[] = {{E2M1, 1}},
               kSums[] = {{F16, 0}, {F32, 1}, {S32, 2}}, kScales[] = {{UE4M3, 0}, {UE8M0, 1}};

/// The properties in which the kinds differ.
struct Format {
  std::string_view kind;
  std::span<const Code> types; // the types of A and B
  bool scaled = false, fours = false;

  uint32_t used() const { return scaled ? kScaled | (fours ? kDeep.mask() : 0) : kPlain; }
};
constexpr Format kFormats[] = {
    {"f16", kHalves},
    {"tf32", kTf32},
    {"f8f6f4", kNarrow},
    {"i8", kBytes},
    {"mxf8f6f4", kNarrow, true},
    {"mxf4", kFours, true, true},
    {"mxf4nvf4", kFours, true, true},
};

std::optional<MatrixType> typeOf(std::span<const Code> codes, uint32_t code) {
  for (const Code &each : codes)
    if (each.code == code)
      return each.type;
  return std::nullopt;
}
int64_t codeOf(std::span<const Code> codes, MatrixType type) {
  for (const Code &each : codes)
    if (each.type == type)
      return each.code;
  return 0; // rowOf() has refused the type
}
constexpr int kShifts[] = {0, 8, 16, 32};

//===------------------------------------ rules -------------------------------------------------------------------===//

std::unexpected<MatrixProblem> problem(MatrixPart part, std::string message) {
  return std::unexpected(MatrixProblem{part, std::move(message)});
}

std::expected<const Format *, MatrixProblem> formatOf(const TmemMmaOpcode &opcode) {
  const Format *found = std::ranges::find(kFormats, opcode.kind, &Format::kind);
  if (found == std::end(kFormats))
    return problem(MatrixPart::Kind, text("`tcgen05.mma` has no `kind::", opcode.kind, '`'));
  return found;
}

std::string who(const TmemMmaOpcode &opcode) {
  return text("`tcgen05.mma", opcode.weightStationary ? ".ws" : "", opcode.sparse ? ".sp" : "",
              "` of `kind::", opcode.kind, '`');
}

/// Checks the fields that the table of matrix instructions does not cover.
std::optional<MatrixProblem> flagProblem(const TmemMmaOpcode &opcode, const Format &format, const TmemMmaShape &shape,
                                         const TmemMmaRow &found) {
  const MatrixInstruction &row = *found.row;
  auto no = [&](MatrixPart part, std::string_view what) { return MatrixProblem{part, text(who(opcode), ' ', what)}; };
  if (shape.saturate && !row.saturates)
    return no(MatrixPart::D, "does not saturate");
  if ((shape.negateA || shape.negateB) && !row.negates)
    return no(shape.negateA ? MatrixPart::A : MatrixPart::B, "does not negate its operands");
  for (bool left : {true, false}) {
    MatrixType type = left ? shape.a : shape.b;
    MatrixPart part = left ? MatrixPart::A : MatrixPart::B;
    if (!(left ? shape.transposeA : shape.transposeB))
      continue;
    // PTX ISA, "Transpose and Negate operations", "Valid Combinations of Type-Size, Major-ness and Swizzling".
    if (!row.transposes)
      return no(part, text("takes ", left ? 'A' : 'B', " with K as the faster dimension only"));
    if (bitsOf(type) < 8)
      return no(part, text("takes `", ptxName(type), "` with K as the faster dimension only"));
    if (!left && row.elementBits() == 8 && shape.n % (16 * opcode.ctas) != 0)
      return no(MatrixPart::N,
                text("has N = a multiple of ", 16 * opcode.ctas, " with 8-bit elements of B along N, not ", shape.n));
  }
  // PTX ISA, "Sparsity selector": it chooses one of the pair of columns that the address names. The ISA shows this pair
  // only in its figures.
  int selectors = opcode.sparse && !format.scaled && row.elementBits() >= 16 ? 2 : 1;
  if (shape.sparsitySelector < 0 || shape.sparsitySelector >= selectors)
    return no(MatrixPart::Variant, selectors == 1 ? text("has no sparsity selector but 0, not ", shape.sparsitySelector)
                                                  : text("has sparsity selector 0 or 1, not ", shape.sparsitySelector));
  if (std::ranges::find(kShifts, shape.maxShift) == std::end(kShifts) || (shape.maxShift && !opcode.weightStationary) ||
      (shape.maxShift > 16 && shape.m == 32))
    return no(MatrixPart::Variant, text("does not shift B's columns by up to ", shape.maxShift));
  // PTX ISA, "Scale Factor A ID", "Scale Factor B ID".
  for (int id : {shape.scaleIdA, shape.scaleIdB}) {
    int count = found.scales ? found.scales->count : 0;
    int step = count == 1 || count == 3 ? 1 : count == 2 || count == 6 ? 2 : 4;
    if (id < 0 || id > 3 || id % step != 0)
      return no(MatrixPart::Scale, step == 4   ? text("has scale factor id 0 here, not ", id)
                                   : step == 2 ? text("has scale factor id 0 or 2 here, not ", id)
                                               : text("has scale factor ids 0 to 3, not ", id));
  }
  return std::nullopt;
}

} // namespace

std::expected<TmemMmaRow, MatrixProblem> rowOf(const TmemMmaOpcode &opcode, const TmemMmaShape &shape) {
  auto format = formatOf(opcode);
  if (!format)
    return std::unexpected(format.error());
  bool deep = (*format)->fours && shape.k == kDeepK;
  MatrixQuery query{.family = MatrixFamily::Tcgen05,
                    .sparse = opcode.sparse,
                    .weightStationary = opcode.weightStationary,
                    .ctas = opcode.ctas,
                    .kind = opcode.kind,
                    .a = shape.a,
                    .b = shape.b,
                    .d = shape.d,
                    .m = shape.m,
                    .n = shape.n,
                    .k = shape.k};
  if ((*format)->scaled) {
    query.scale = shape.scale;
    query.scaleCount = opcode.scaleCount;
    query.scaleBlock = opcode.scaleBlock;
    if (!opcode.scaleCount && !opcode.scaleBlock && opcode.kind == "mxf4nvf4")
      return problem(MatrixPart::Scale, text(who(opcode), " says how many scales there are: `.block16` or `.block32`"));
    if (deep && opcode.scaleCount)
      return problem(MatrixPart::Scale,
                     text(who(opcode), " with K = 96 is written with `.block16` or `.block32`, not `.scale_vec::",
                          opcode.scaleCount, "X`"));
  } else if (opcode.scaleCount || opcode.scaleBlock) {
    return problem(MatrixPart::Scale, text(who(opcode), " has no block scales"));
  }
  auto rows = chooseMatrixInstructions(query);
  if (!rows)
    return std::unexpected(std::move(rows.error()));
  TmemMmaRow found{.row = rows->front()};
  if ((*format)->scaled) {
    found.scales = found.row->scale(query);
    if (deep)
      found.scales->count = static_cast<int>(kDeepK / found.scales->block);
  }
  if (std::optional<MatrixProblem> wrong = flagProblem(opcode, **format, shape, found))
    return std::unexpected(*std::move(wrong));
  return found;
}

std::expected<uint32_t, MatrixProblem> encode(const TmemMmaOpcode &opcode, const TmemMmaShape &shape) {
  auto found = rowOf(opcode, shape);
  if (!found)
    return std::unexpected(std::move(found.error()));
  const Format &format = **formatOf(opcode);
  uint32_t bits = kSparse.as(opcode.sparse) | kA.as(codeOf(format.types, shape.a)) |
                  kB.as(codeOf(format.types, shape.b)) | kNegateA.as(shape.negateA) | kNegateB.as(shape.negateB) |
                  kTransposeA.as(shape.transposeA) | kTransposeB.as(shape.transposeB) | kColumns.as(shape.n >> 3);
  if (format.scaled)
    return bits | kScaleIdB.as(shape.scaleIdB) | kScaleType.as(codeOf(kScales, shape.scale)) |
           kRows128.as(shape.m >> 7) | kScaleIdA.as(shape.scaleIdA) | kDeep.as(format.fours && shape.k == kDeepK);
  return bits | kSelector.as(shape.sparsitySelector) | kSaturate.as(shape.saturate) | kD.as(codeOf(kSums, shape.d)) |
         kRows16.as(shape.m >> 4) | kMaxShift.as(std::ranges::find(kShifts, shape.maxShift) - std::begin(kShifts));
}

std::expected<TmemMmaShape, MatrixProblem> decode(const TmemMmaOpcode &opcode, uint32_t bits) {
  auto known = formatOf(opcode);
  if (!known)
    return std::unexpected(known.error());
  const Format &format = **known;
  for (int bit = 0; bit < 32; ++bit)
    if (bits & ~format.used() & 1u << bit)
      return problem(MatrixPart::Variant, text("bit ", bit, " of the instruction descriptor is reserved for `kind::",
                                               opcode.kind, "`, and must be 0"));
  if (kSparse.of(bits) != uint32_t{opcode.sparse})
    return problem(MatrixPart::Variant,
                   opcode.sparse ? "the instruction descriptor says that A is dense (bit 2), the opcode that "
                                   "it is sparse"
                                 : "the instruction descriptor says that A is sparse (bit 2), the opcode "
                                   "that it is dense");
  TmemMmaShape shape{.n = int64_t{kColumns.of(bits)} << 3,
                     .negateA = kNegateA.of(bits) != 0,
                     .negateB = kNegateB.of(bits) != 0,
                     .transposeA = kTransposeA.of(bits) != 0,
                     .transposeB = kTransposeB.of(bits) != 0};
  std::optional<MatrixType> a = typeOf(format.types, kA.of(bits)), b = typeOf(format.types, kB.of(bits));
  if (!a || !b)
    return problem(a ? MatrixPart::B : MatrixPart::A,
                   text("the instruction descriptor's type of ", a ? 'B' : 'A', ", ", (a ? kB : kA).of(bits),
                        ", is none of `kind::", opcode.kind, '`'));
  shape.a = *a, shape.b = *b;
  if (format.scaled) {
    shape.m = int64_t{kRows128.of(bits)} << 7;
    shape.scale = *typeOf(kScales, kScaleType.of(bits));
    shape.scaleIdA = static_cast<int>(kScaleIdA.of(bits));
    shape.scaleIdB = static_cast<int>(kScaleIdB.of(bits));
    if (format.fours && kDeep.of(bits))
      shape.k = kDeepK;
  } else {
    std::optional<MatrixType> d = typeOf(kSums, kD.of(bits));
    if (!d)
      return problem(MatrixPart::D,
                     text("the instruction descriptor's type of D, ", kD.of(bits), ", is none of `tcgen05.mma`"));
    shape.d = *d;
    shape.m = int64_t{kRows16.of(bits)} << 4;
    shape.sparsitySelector = static_cast<int>(kSelector.of(bits));
    shape.saturate = kSaturate.of(bits) != 0;
    shape.maxShift = kShifts[kMaxShift.of(bits)];
  }
  auto size = [](MatrixPart part, std::string_view name, int64_t value) {
    return problem(part, text("the instruction descriptor says ", name, " = ", value));
  };
  if (shape.m == 0)
    return size(MatrixPart::M, "M", 0);
  if (shape.n == 0)
    return size(MatrixPart::N, "N", 0);
  auto found = rowOf(opcode, shape);
  if (!found)
    return std::unexpected(std::move(found.error()));
  if (!shape.k)
    shape.k = found->row->depths().front();
  return shape;
}

} // namespace lanescope::layouts
