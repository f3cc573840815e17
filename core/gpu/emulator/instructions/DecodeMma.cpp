// mma.sync (PTX ISA 9.7.14.5): all dense shapes and types of sm_90. DecodeMmaSparse.cpp has the sparse ones. The
// handlers gather the warp's fragments into whole matrices, multiply these, and scatter the results.
//
// Operands of up to 32 bits have the same layout in bytes for every type. With g = lane / 4 and t = lane % 4, register
// r of A holds bytes 4t + 16*(r/2) … +3 of row g + 8*(r%2), and register r of B holds bytes 4t + 16r … +3 of column g.
// For f64, the registers hold elements t + 4*(r/2) and t + 4r in the same way. m8n8k4 of f16 is Volta's: it computes
// four products, one per quad pair of lanes.
//
// All results are those of an H200, bit for bit (tests/golden/tensor_sums.txt). Floats are added as TensorSum.h
// describes. f64 is a chain of fused multiply-adds along K.
#include "core/gpu/emulator/decode/MatrixDecode.h"
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/instructions/MmaFragments.h"
#include "core/gpu/emulator/instructions/Rounding.h"
#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "core/gpu/emulator/machine/TensorRate.h"
#include "core/gpu/emulator/numbers/NarrowFloat.h"
#include "core/gpu/emulator/sync/WarpSync.h"
#include "core/gpu/emulator/tensor/TensorSum.h"

#include <algorithm>
#include <cmath>

namespace lanescope::core::emulator {

namespace {

enum class Result32 : uint8_t { F32, F16, S32, F64 };

struct MmaVariant {
  uint32_t rows = 16, depth = 16; // M, K; N is 8
  MatrixType a = MatrixType::F16, b = MatrixType::F16;
  Result32 d = Result32::F32, c = Result32::F32;
  bool saturate = false, exclusive = false; // for b1: xor instead of and
  bool columnA = false, rowB = false;       // m8n8k4 of f16
  Rounding rounding = Rounding::Nearest;    // f64

  bool quads() const { return a == MatrixType::F16 && depth == 4; }
  uint32_t rowBytes() const { return depth * bitsOf(a) / 8; }
  uint32_t registersA() const { return quads() ? 2 : rows / 8 * (a == MatrixType::F64 ? depth / 4 : rowBytes() / 16); }
  uint32_t registersB() const { return quads() ? 2 : a == MatrixType::F64 ? depth / 4 : rowBytes() / 16; }
  uint32_t registersOf(Result32 r) const {
    uint32_t all = quads() ? 8 : rows / 4;
    return r == Result32::F16 ? all / 2 : all;
  }

  uint64_t pack() const {
    return rows | static_cast<uint64_t>(depth) << 8 | static_cast<uint64_t>(a) << 20 | static_cast<uint64_t>(b) << 24 |
           static_cast<uint64_t>(d) << 28 | static_cast<uint64_t>(c) << 30 | static_cast<uint64_t>(saturate) << 32 |
           static_cast<uint64_t>(exclusive) << 33 | static_cast<uint64_t>(columnA) << 34 |
           static_cast<uint64_t>(rowB) << 35 | static_cast<uint64_t>(rounding) << 36;
  }
  static MmaVariant unpack(uint64_t bits) {
    MmaVariant v;
    v.rows = bits & 0xFF;
    v.depth = bits >> 8 & 0xFFF;
    v.a = static_cast<MatrixType>(bits >> 20 & 0xF);
    v.b = static_cast<MatrixType>(bits >> 24 & 0xF);
    v.d = static_cast<Result32>(bits >> 28 & 3);
    v.c = static_cast<Result32>(bits >> 30 & 3);
    v.saturate = bits >> 32 & 1;
    v.exclusive = bits >> 33 & 1;
    v.columnA = bits >> 34 & 1;
    v.rowB = bits >> 35 & 1;
    v.rounding = static_cast<Rounding>(bits >> 36 & 7);
    return v;
  }
};

/// The slots of an instruction's operands. They follow each other in its list.
struct Slots {
  const uint32_t *d, *a, *b, *c;
  Slots(Warp &warp, const Instr &i, const MmaVariant &v) {
    d = warp.block->grid->program->lists.data() + i.list;
    a = d + v.registersOf(v.d);
    b = a + v.registersA();
    c = b + v.registersB();
  }
};

constexpr uint32_t kRowBytes = kFragmentRowBytes;

void gather(Warp &warp, const MmaVariant &v, const Slots &slots, uint8_t *a, uint8_t *b) {
  gatherFragments(warp, {slots.a, v.registersA()}, {slots.b, v.registersB()}, v.rows == 16, a, b);
}

float readFloat(Warp &warp, const uint32_t *slots, Result32 type, uint32_t element, uint32_t lane) {
  if (type == Result32::F32)
    return warp.reg<float>(slots[element])[lane];
  return widenF16(static_cast<uint16_t>(warp.reg<uint32_t>(slots[element / 2])[lane] >> (16 * (element & 1))));
}

void writeFloat(Warp &warp, const uint32_t *slots, Result32 type, uint32_t element, uint32_t lane, float value) {
  if (type == Result32::F32) {
    warp.reg<float>(slots[element])[lane] = value;
    return;
  }
  uint32_t &word = warp.reg<uint32_t>(slots[element / 2])[lane];
  uint32_t shift = 16 * (element & 1);
  word = (word & ~(0xFFFFu << shift)) | static_cast<uint32_t>(narrowF16(value)) << shift;
}

/// Multiplies 8-bit floats as f16, in two sums: one of the lower two elements of each register, and one of the upper
/// two. Both sums begin with zero. The accumulator is then added as a number of its type (as on an H200).
void multiplyFloats(Warp &warp, const MmaVariant &v, const Slots &slots) {
  uint8_t aBytes[16 * kRowBytes], bBytes[8 * kRowBytes];
  gather(warp, v, slots, aBytes, bBytes);
  bool narrow = bitsOf(v.a) == 8;
  uint32_t depth = v.depth, sumDepth = narrow ? depth / 2 : depth;
  auto place = [&](uint32_t k) { return narrow ? k % 4 / 2 * sumDepth + k / 4 * 2 + k % 2 : k; };
  float line[kTensorDepth], left[kTensorRows * kTensorDepth], right[kTensorDepth * kTileSide];
  for (uint32_t row = 0; row < kTensorRows; ++row) {
    widen(v.a, aBytes + row * kRowBytes, depth, line);
    for (uint32_t k = 0; k < depth; ++k)
      left[row * depth + place(k)] = line[k];
  }
  for (uint32_t column = 0; column < kTileSide; ++column) {
    widen(v.b, bBytes + column * kRowBytes, depth, line);
    for (uint32_t k = 0; k < depth; ++k)
      right[place(k) * kTileSide + column] = line[k];
  }
  TensorRows rows(narrow ? MatrixType::F16 : v.a, left, depth);
  TensorColumns columns;
  columns.prepare(narrow ? MatrixType::F16 : v.b, right, depth);
  TensorSum rule{.half = v.d == Result32::F16};
  float old[2][kTileSide * kTileSide], sums[2][kTileSide * kTileSide] = {};
  // Element e of lane l: row l / 4 + 8 * (e / 2), column 2 * (l % 4) + e % 2.
  for (uint32_t down = 0; down < 2; ++down)
    for (uint32_t n = 0; n < 2 * kLanes; ++n)
      old[down][n] = readFloat(warp, slots.c, v.c, 2 * down + n % 2, n / 2);
  for (uint32_t down = 0; down < 2; ++down) {
    float *sum = narrow ? sums[down] : old[down];
    for (uint32_t k = 0; k < depth; k += sumDepth)
      sumTile(rule, rows, down, columns, k, k + sumDepth, sum);
    for (uint32_t n = 0; n < 2 * kLanes; ++n)
      writeFloat(warp, slots.d, v.d, 2 * down + n % 2, n / 2, narrow ? canonical(old[down][n] + sum[n]) : sum[n]);
  }
}

void multiplyIntegers(Warp &warp, const MmaVariant &v, const Slots &slots) {
  uint8_t aBytes[16 * kRowBytes], bBytes[8 * kRowBytes];
  gather(warp, v, slots, aBytes, bBytes);
  int32_t a[16][64], b[8][64];
  bool bits = v.a == MatrixType::B1;
  for (uint32_t row = 0; row < v.rows; ++row)
    widen(v.a, aBytes + row * kRowBytes, v.depth, a[row]);
  for (uint32_t column = 0; column < 8; ++column)
    widen(v.b, bBytes + column * kRowBytes, v.depth, b[column]);
  for (uint32_t l = 0; l < kLanes; ++l)
    for (uint32_t e = 0; e < v.rows / 4; ++e) {
      uint32_t row = l / 4 + e / 2 * 8, column = 2 * (l % 4) + e % 2;
      int64_t sum = warp.reg<int32_t>(slots.c[e])[l];
      if (bits) {
        for (uint32_t k = 0; k < v.rowBytes(); ++k) {
          uint32_t left = aBytes[row * kRowBytes + k], right = bBytes[column * kRowBytes + k];
          sum += __builtin_popcount(v.exclusive ? left ^ right : left & right);
        }
      } else {
        for (uint32_t k = 0; k < v.depth; ++k)
          sum += a[row][k] * b[column][k];
      }
      warp.reg<int32_t>(slots.d[e])[l] =
          static_cast<int32_t>(v.saturate ? std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX) : sum);
    }
}

void multiplyDoubles(Warp &warp, const MmaVariant &v, const Slots &slots) {
  double a[16][16], b[8][16];
  for (uint32_t r = 0; r < v.registersA(); ++r) {
    uint32_t down = v.rows == 16 ? 8 * (r & 1) : 0, along = v.rows == 16 ? r >> 1 : r;
    for (uint32_t l = 0; l < kLanes; ++l)
      a[l / 4 + down][l % 4 + 4 * along] = warp.reg<double>(slots.a[r])[l];
  }
  for (uint32_t r = 0; r < v.registersB(); ++r)
    for (uint32_t l = 0; l < kLanes; ++l)
      b[l / 4][l % 4 + 4 * r] = warp.reg<double>(slots.b[r])[l];
  RoundedArithmetic in(v.rounding);
  for (uint32_t l = 0; l < kLanes; ++l)
    for (uint32_t e = 0; e < v.rows / 4; ++e) {
      double sum = warp.reg<double>(slots.c[e])[l];
      for (uint32_t k = 0; k < v.depth; ++k)
        sum = tensorFma(in, a[l / 4 + e / 2 * 8][k], b[2 * (l % 4) + e % 2][k], sum);
      warp.reg<double>(slots.d[e])[l] = sum;
    }
}

/// A sum of m8n8k4, which an H200 computes on its f32 units. To f32, it is a chain that begins with zero; the
/// accumulator is added last. To f16, it is two pairs, with the accumulator added between them.
float quadSum(Result32 result, const float *a, const float *b, float old) {
  if (result == Result32::F16)
    return std::fma(a[3], b[3], a[2] * b[2]) + (std::fma(a[1], b[1], a[0] * b[0]) + old);
  float sum = 0;
  for (uint32_t k = 0; k < 4; ++k)
    sum = std::fma(a[k], b[k], sum);
  return sum + old;
}

/// m8n8k4 of f16 (PTX ISA 9.7.14.5.1). Quad pair q consists of lanes 4q … 4q+3 and the lanes that are 16 higher. It
/// multiplies 8x4 by 4x8.
void multiplyQuads(Warp &warp, const MmaVariant &v, const Slots &slots) {
  float a[4][8][4], b[4][8][4];
  auto half = [&](const uint32_t *regs, uint32_t n, uint32_t lane) {
    return widenF16(static_cast<uint16_t>(warp.reg<uint32_t>(regs[n / 2])[lane] >> (16 * (n & 1))));
  };
  for (uint32_t l = 0; l < kLanes; ++l)
    for (uint32_t n = 0; n < 4; ++n) {
      uint32_t quad = l % 16 / 4, upper = l < 16 ? 0 : 4, t = l % 4;
      (v.columnA ? a[quad][n + upper][t] : a[quad][t + upper][n]) = half(slots.a, n, l);
      (v.rowB ? b[quad][n + upper][t] : b[quad][t + upper][n]) = half(slots.b, n, l);
    }
  auto placeOf = [](Result32 type, uint32_t e, uint32_t l) {
    uint32_t upper = l < 16 ? 0 : 4;
    if (type == Result32::F16)
      return std::pair(l % 4 + upper, e);
    return std::pair((l & 1) + (e & 2) + upper, (e & 4) + (l & 2) + (e & 1));
  };
  float c[4][8][8];
  for (uint32_t l = 0; l < kLanes; ++l)
    for (uint32_t e = 0; e < 8; ++e) {
      auto [row, column] = placeOf(v.c, e, l);
      c[l % 16 / 4][row][column] = readFloat(warp, slots.c, v.c, e, l);
    }
  for (uint32_t l = 0; l < kLanes; ++l)
    for (uint32_t e = 0; e < 8; ++e) {
      auto [row, column] = placeOf(v.d, e, l);
      uint32_t quad = l % 16 / 4;
      writeFloat(warp, slots.d, v.d, e, l,
                 canonical(quadSum(v.d, a[quad][row], b[quad][column], c[quad][row][column])));
    }
}

Step multiply(Warp &warp, const Instr &i, uint32_t mask) {
  if (!wholeWarp(warp, i, mask))
    return Step::Fault;
  if (mask != kAllLanes)
    return fault(warp, i, std::string(kDivergentKind), "`mma.sync` needs all 32 lanes of its warp");
  MmaVariant v = MmaVariant::unpack(i.imm);
  Slots slots(warp, i, v);
  constexpr uint64_t kColumns = 8;
  warp.block->work.tensorCycles +=
      mmaCycles(*warp.block->grid->program->machine, {.products = v.rows * kColumns * v.depth,
                                                      .bits = static_cast<uint32_t>(bitsOf(v.a)),
                                                      .floatSums = v.d == Result32::F32});
  if (v.quads())
    multiplyQuads(warp, v, slots);
  else if (v.d == Result32::F64)
    multiplyDoubles(warp, v, slots);
  else if (v.d == Result32::S32)
    multiplyIntegers(warp, v, slots);
  else
    multiplyFloats(warp, v, slots);
  return Step::Next;
}

// --- decoding ------------------------------------------------------------------------------------------------------

Result32 resultOf(MatrixType type) {
  return type == MatrixType::F32   ? Result32::F32
         : type == MatrixType::F16 ? Result32::F16
         : type == MatrixType::F64 ? Result32::F64
                                   : Result32::S32;
}

bool decodeMma(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  if (d.current().opcode.find(".kind::") != std::string_view::npos) // DecodeMmaScaled.cpp handles these
    return false;
  if (!mods.take("sync") || !mods.take("aligned"))
    return false;
  std::optional<layouts::Mnk> shape = takeShape(mods);
  MmaVariant v;
  std::string_view opcode = d.current().opcode;
  auto written = [&](std::string_view part) { return opcode.find(part) != std::string_view::npos; };
  v.columnA = written(".col.row.") || written(".col.col.");
  v.rowB = written(".row.row.") || written(".col.row.");
  if (mods.takeOne({"row", "col"}).empty() || mods.takeOne({"row", "col"}).empty())
    return false;
  v.saturate = mods.take("satfinite");
  std::string_view mode = mods.takeOne({"rn", "rz", "rm", "rp"});
  v.rounding = roundingNamed(mode);
  auto takeType = [&] { return layouts::matrixTypeNamed(mods.takeType().name); };
  auto result = takeType(), a = takeType(), b = takeType(), sum = takeType();
  if (!shape || !result || !a || !b || !sum)
    return false;
  const layouts::MatrixInstruction *row = matrixInstruction(d, {.family = layouts::MatrixFamily::Mma,
                                                                .kind = "",
                                                                .a = *a,
                                                                .b = *b,
                                                                .c = *sum,
                                                                .d = *result,
                                                                .m = shape->m,
                                                                .n = shape->n,
                                                                .k = shape->k});
  if (!row)
    return false;
  if (bitsOf(*a) == 8 && !isInteger(*a) && !d.requireTarget(89, "a product of 8-bit floats"))
    return false;
  if (*a == MatrixType::F64 && shape->m == 16 && !d.requireTarget(90, "a product of doubles with 16 rows"))
    return false;
  v.rows = static_cast<uint32_t>(shape->m);
  v.depth = static_cast<uint32_t>(shape->k);
  v.a = *a;
  v.b = *b;
  v.d = resultOf(*result);
  v.c = resultOf(*sum);
  bool bits = v.a == MatrixType::B1;
  if (((v.columnA || v.rowB) && !row->transposes) || (v.saturate && !row->saturates) ||
      (!mode.empty() && v.a != MatrixType::F64))
    return false;
  if (bits) {
    std::string_view op = mods.takeOne({"and", "xor"});
    v.exclusive = op == "xor";
    if (op.empty() || !mods.take("popc"))
      return false;
  }
  if (!d.finish(mods, 4))
    return false;
  uint32_t wanted[4] = {v.registersOf(v.d), v.registersA(), v.registersB(), v.registersOf(v.c)}, all = 0;
  Type word{TypeKind::Bits, static_cast<uint8_t>(v.d == Result32::F64 ? 64 : 32), false, "b"};
  for (size_t n = 0; n < 4; ++n) {
    Instr part;
    if (n == 0 ? !d.destList(d.operand(0), word.bits, part) : !d.sourceList(d.operand(n), word, part))
      return false;
    if (part.listSize != wanted[n])
      return d.fail(Message("operand {} of `{instruction}` has {registers} registers; this shape needs {}", n + 1,
                            opcode, part.listSize, wanted[n]));
    if (n == 0)
      i.list = part.list;
    all += part.listSize;
  }
  i.listSize = all;
  i.imm = v.pack();
  i.cost = cost::kMma;
  i.run = &multiply;
  return !d.failed();
}

} // namespace

const Family &mmaFamily() {
  static const Family family{{"mma", &decodeMma}};
  return family;
}

} // namespace lanescope::core::emulator
