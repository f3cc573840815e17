// Decodes wgmma (PTX ISA 9.7.15). Its arithmetic is in async/WgmmaProduct.cpp.
#include "core/gpu/emulator/async/Wgmma.h"
#include "core/gpu/emulator/decode/MatrixDecode.h"
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/tensor/WgmmaVariant.h"
#include "layouts/fragments/Atom.h"
#include "layouts/support/Text.h"

namespace lanescope::core::emulator {

namespace {

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

/// Decodes the register of the metadata (e). Program::lists, from d2 on, describes each position of the metadata, by
/// thread.
bool metadata(Decoder &d, Instr &i) {
  uint64_t selector = 0;
  if (!d.immediate(d.operand(4), selector))
    return false;
  auto atom = layouts::parseAtom(text(d.current().opcode, ".selector::", selector));
  if (!atom)
    return d.fail(atom.error().front().message);
  const layouts::Operand *fields = atom->find("e");
  if (!fields || fields->fragments.empty())
    return d.unknown();
  i.e = d.source(d.operand(3), 32);
  i.d2 = static_cast<uint32_t>(d.program().lists.size());
  for (int32_t element : fields->fragments[0].elements(fields->shape))
    d.program().lists.push_back(static_cast<uint32_t>(element));
  return !d.failed();
}

bool decodeWgmmaProduct(Decoder &d, Modifiers &mods, Instr &i) {
  bool sparse = mods.take("sp");
  if (!mods.take("sync") || !mods.take("aligned"))
    return false;
  std::optional<layouts::Mnk> shape = takeShape(mods);
  bool saturate = mods.take("satfinite");
  auto result = layouts::matrixTypeNamed(mods.takeType().name), a = layouts::matrixTypeNamed(mods.takeType().name),
       b = layouts::matrixTypeNamed(mods.takeType().name);
  if (!shape || !result || !a || !b)
    return false;
  const layouts::MatrixInstruction *row = matrixInstruction(d, {.family = layouts::MatrixFamily::Wgmma,
                                                                .sparse = sparse,
                                                                .a = *a,
                                                                .b = *b,
                                                                .d = *result,
                                                                .m = shape->m,
                                                                .n = shape->n,
                                                                .k = shape->k});
  if (!row || (saturate && !row->saturates) || (*a == MatrixType::B1 && !(mods.take("and") && mods.take("popc"))))
    return false;
  WgmmaVariant v;
  v.columns = static_cast<uint16_t>(shape->n);
  v.a = *a;
  v.b = *b;
  v.result = *result == MatrixType::F32   ? MatrixResult::F32
             : *result == MatrixType::F16 ? MatrixResult::F16
                                          : MatrixResult::S32;
  v.saturate = saturate;
  v.sparse = sparse;
  v.aInRegisters = d.operandCount() > 1 && d.operand(1).kind == Operand::Kind::Vector;
  size_t scales = row->negates ? 2 : 0, transposes = !row->transposes ? 0 : v.aInRegisters ? 1 : 2;
  if (!d.finish(mods, 4 + (sparse ? 2 : 0) + scales + transposes))
    return false;
  // The list has the accumulator's registers, then those of A.
  uint32_t registers = v.columns / (v.result == MatrixResult::F16 ? 4u : 2u);
  if (!d.destList(d.operand(0), 32, i))
    return false;
  if (i.listSize != registers)
    return d.fail(Message("the accumulator has {registers} registers; this shape needs {}", i.listSize, registers));
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
  if (sparse && !metadata(d, i))
    return false;
  size_t at = sparse ? 5 : 3;
  bool negated = false;
  i.c = d.predicate(d.operand(at++), negated);
  i.sub = negated;
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
  if (!d.program().machine->wgmma)
    return d.fail(Message("`wgmma` is for `.target sm_90a` alone, and this is `{}`", d.program().module->target));
  if (mods.take("mma_async"))
    return decodeWgmmaProduct(d, mods, i);
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
