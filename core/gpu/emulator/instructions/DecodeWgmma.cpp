// Decoding of wgmma (PTX ISA 9.7.15); its arithmetic is in Wgmma.cpp. The sparse form, wgmma.mma_async.sp, is refused.
#include "core/gpu/emulator/async/Wgmma.h"
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/tensor/WgmmaVariant.h"
#include "layouts/support/Text.h"

namespace lanescope::core::emulator {

namespace {

/// Takes `m64nNkK`; false when none is there.
bool takeShape(Modifiers &mods, uint32_t &columns, uint32_t &depth) {
  std::string shape;
  for (uint32_t k : {16u, 32u, 8u, 256u})
    for (uint32_t n = 8; n <= 256; n += 8)
      if (mods.take(shape = text("m64n", n, "k", k))) {
        columns = n;
        depth = k;
        return true;
      }
  return false;
}

/// The combinations of PTX ISA table "wgmma.mma_async: data types".
bool legalTypes(const WgmmaVariant &v) {
  auto fp8 = [](MatrixType t) { return t == MatrixType::E4M3 || t == MatrixType::E5M2; };
  auto byte = [](MatrixType t) { return t == MatrixType::S8 || t == MatrixType::U8; };
  bool half = v.a == MatrixType::F16 && v.b == MatrixType::F16, narrow = fp8(v.a) && fp8(v.b);
  switch (v.result) {
  case MatrixResult::F16: return half || narrow;
  case MatrixResult::F32: return half || narrow || (v.a == v.b && (v.a == MatrixType::BF16 || v.a == MatrixType::TF32));
  case MatrixResult::S32: return (byte(v.a) && byte(v.b)) || (v.a == MatrixType::B1 && v.b == MatrixType::B1);
  }
  return false;
}

/// N: a multiple of 8 up to 256; for integers 8, 24 or a multiple of 16 only.
bool legalColumns(uint32_t columns, MatrixResult result) {
  return result != MatrixResult::S32 || columns == 8 || columns == 24 || columns % 16 == 0;
}

bool scale(Decoder &d, const Operand &operand, bool &negate) {
  uint64_t value = 0;
  if (!d.immediate(operand, value))
    return false;
  negate = value == ~0ull;
  return negate || value == 1 || d.fail("the scale of an operand of `wgmma` is 1 or -1");
}

bool transpose(Decoder &d, const Operand &operand, bool &transposed) {
  uint64_t value = 0;
  if (!d.immediate(operand, value))
    return false;
  transposed = value == 1;
  return value <= 1 || d.fail("the transposition of an operand of `wgmma` is 0 or 1");
}

bool decodeMma(Decoder &d, Modifiers &mods, Instr &i) {
  WgmmaVariant v;
  uint32_t columns = 0, depth = 0;
  if (mods.take("sp"))
    return d.fail("`wgmma.mma_async.sp` (a sparse A) is not run by the emulator", "unknown-instruction");
  if (!mods.take("sync") || !mods.take("aligned") || !takeShape(mods, columns, depth))
    return false;
  v.columns = static_cast<uint16_t>(columns);
  v.saturate = mods.take("satfinite");
  Type result = mods.takeType();
  auto a = matrixTypeNamed(mods.takeType().name), b = matrixTypeNamed(mods.takeType().name);
  bool s32 = result.isSigned() && result.bits == 32;
  if (!a || !b || !(result.isF32() || result.isF16() || s32))
    return false;
  v.a = *a;
  v.b = *b;
  v.result = result.isF32() ? MatrixResult::F32 : s32 ? MatrixResult::S32 : MatrixResult::F16;
  if (!legalTypes(v) || depth != v.depth() || !legalColumns(columns, v.result) ||
      (v.saturate && (!s32 || v.a == MatrixType::B1)) ||
      (v.a == MatrixType::B1 && !(mods.take("and") && mods.take("popc"))))
    return false;
  v.aInRegisters = d.operandCount() > 1 && d.operand(1).kind == Operand::Kind::Vector;
  bool wide = v.a == MatrixType::F16 || v.a == MatrixType::BF16;
  size_t scales = s32 ? 0 : 2, transposes = !wide ? 0 : v.aInRegisters ? 1 : 2;
  if (!d.finish(mods, 4 + scales + transposes))
    return false;
  // The list: the accumulator's registers, then A's.
  uint32_t registers = v.result == MatrixResult::F16 ? columns / 4 : columns / 2;
  if (!d.destList(d.operand(0), 32, i))
    return false;
  if (i.listSize != registers)
    return d.fail(text("the accumulator has ", i.listSize, " registers; this shape needs ", registers));
  if (v.aInRegisters) {
    Instr more;
    if (!d.sourceList(d.operand(1), Type{}, more))
      return false;
    if (more.listSize != 4)
      return d.fail("A takes four registers");
    i.listSize += more.listSize;
  } else {
    i.a = d.source(d.operand(1), 64);
  }
  i.b = d.source(d.operand(2), 64);
  bool negated = false;
  i.c = d.predicate(d.operand(3), negated);
  i.sub = negated;
  size_t at = 4;
  if (scales && (!scale(d, d.operand(at), v.negateA) || !scale(d, d.operand(at + 1), v.negateB)))
    return false;
  at += scales;
  if (transposes == 2 && !transpose(d, d.operand(at++), v.transposeA))
    return false;
  if (transposes && !transpose(d, d.operand(at), v.transposeB))
    return false;
  i.imm = v.pack();
  i.cost = static_cast<uint16_t>(cost::kAsyncIssue);
  i.run = &issueWgmma;
  return !d.failed();
}

bool decodeWgmma(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  if (d.program().module.target != "sm_90a")
    return d.fail(text("`wgmma` is for `.target sm_90a` alone, and this is `", d.program().module.target, "`"));
  if (mods.take("mma_async"))
    return decodeMma(d, mods, i);
  std::string_view op = mods.takeOne({"fence", "commit_group", "wait_group"});
  if (op.empty() || !mods.take("sync") || !mods.take("aligned") || !d.finish(mods, op == "wait_group" ? 1 : 0))
    return false;
  if (op == "fence")
    i.run = &fenceWgmma;
  else
    i.run = op == "commit_group" ? &commitWgmma : &waitWgmma;
  return op != "wait_group" || d.immediate(d.operand(0), i.imm);
}

} // namespace

const Family &wgmmaFamily() {
  static const Family family{{"wgmma", &decodeWgmma}};
  return family;
}

} // namespace lanescope::core::emulator
