// The tensor core (PTX ISA, "TensorCore 5th Generation of MMA Instructions", "Tensor Memory Data Movement
// Instructions", "tcgen05.commit"): tcgen05.mma with .sp, .ws and .block_scale, .cp, .shift, .commit. The arithmetic is
// in tensor/, the timing in async/Tcgen05.
#include "core/gpu/emulator/async/Tcgen05.h"
#include "core/gpu/emulator/decode/TensorDecode.h"
#include "core/gpu/emulator/instructions/Families.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "layouts/fragments/MatrixInstruction.h"
#include "layouts/support/Text.h"

namespace lanescope::core::emulator {

namespace {

bool keep(Decoder &d, const Tcgen05Form &form, Instr &i) {
  i.imm = d.program().tensorForms.size();
  i.a = form.d.slot; // so that, in the cost model, the instruction waits for a load of `d`
  i.b = form.b;
  i.e = form.descriptor;
  d.program().tensorForms.push_back(form);
  i.cost = cost::kAsyncIssue;
  i.run = &issueTcgen05;
  return !d.failed();
}

/// Takes `.collector::a::fill` and its variants. They control what is kept for the next product, and do not change
/// results.
bool takeCollector(Decoder &d, Modifiers &mods, const Tcgen05Form &form) {
  std::string_view usage = mods.takeIf([](std::string_view part) { return part.starts_with("collector::"); });
  if (usage.empty())
    return true;
  std::string_view rest = usage.substr(std::string_view("collector::").size());
  std::string_view buffer = rest.substr(0, rest.find("::")),
                   use = rest.substr(std::min(rest.size(), buffer.size() + 2));
  bool known = form.opcode.weightStationary ? buffer == "b0" || buffer == "b1" || buffer == "b2" || buffer == "b3"
                                            : buffer == "a";
  if (!known || (use != "fill" && use != "use" && use != "lastuse" && use != "discard"))
    return d.fail(Message("unknown instruction `{instruction}`: the emulator does not know `.{}` here",
                          d.current().opcode, usage),
                  "unknown-instruction");
  if (form.shiftA && (use == "fill" || use == "use"))
    return d.fail("`.ashift` goes with neither `.collector::a::fill` nor `::use`", "unknown-instruction");
  return true;
}

bool takeScales(Decoder &d, Modifiers &mods, layouts::TmemMmaOpcode &opcode) {
  std::string_view size = mods.takeOne({"scale_vec::1X", "scale_vec::2X", "scale_vec::4X", "block16", "block32"});
  if (size.starts_with("scale_vec::"))
    opcode.scaleCount = size[11] - '0';
  else if (!size.empty())
    opcode.scaleBlock = size == "block16" ? 16 : 32;
  if ((size.starts_with("scale_vec::") || (opcode.sparse && opcode.kind != "mxf8f6f4")) &&
      !requireTensor(d, TensorTargets::Exact,
                     opcode.sparse ? text("a sparse `.kind::", opcode.kind, '`') : "`.scale_vec::`"))
    return false;
  bool fits = size.empty() || (opcode.kind == "mxf8f6f4" ? size == "scale_vec::1X" || size == "block32"
                               : opcode.kind == "mxf4"   ? size == "scale_vec::2X" || size == "block32"
                                                         : size != "scale_vec::1X");
  if (!fits)
    return d.fail(Message("`.kind::{}` has no `.{}`", opcode.kind, size), "unknown-instruction");
  return !size.empty() || opcode.kind != "mxf4nvf4" ||
         d.fail("`.kind::mxf4nvf4` needs `.scale_vec::` or `.block16`, `.block32`", "unknown-instruction");
}

bool decodeTcgen05Mma(Decoder &d, Modifiers &mods, Instr &i) {
  Tcgen05Form form;
  layouts::TmemMmaOpcode &opcode = form.opcode;
  opcode.weightStationary = mods.take("ws");
  opcode.sparse = mods.take("sp");
  if (!takeTensorGroup(d, mods))
    return false;
  opcode.ctas = static_cast<int>(d.program().tensorBlocks);
  for (const layouts::MatrixInstruction &known : layouts::matrixInstructions())
    if (known.family == layouts::MatrixFamily::Tcgen05 && mods.take(text("kind::", known.kind)))
      opcode.kind = known.kind;
  bool scaled = opcode.kind.starts_with("mx");
  if (opcode.kind.empty())
    return false;
  if (opcode.kind == "i8" && !requireTensor(d, TensorTargets::NotOf103, "`.kind::i8`"))
    return false;
  if (opcode.weightStationary && (opcode.ctas == 2 || scaled))
    return d.fail("`tcgen05.mma.ws` is of one block and without block scales", "unknown-instruction");
  if (mods.take("block_scale") != scaled)
    return d.fail(Message("`.kind::{}{}", opcode.kind, scaled ? "` needs `.block_scale`" : "` has no `.block_scale`"),
                  "unknown-instruction");
  if (scaled && !takeScales(d, mods, opcode))
    return false;
  form.shiftA = mods.take("ashift");
  if (form.shiftA && opcode.weightStationary)
    return d.fail("`tcgen05.mma.ws` has no `.ashift`", "unknown-instruction");
  if (!takeCollector(d, mods, form))
    return false;
  // The operands are [d], a | [a], b, [metadata], descriptor. Then follow: with scales, [scales of A], [scales of B],
  // enable-input-d; with .ws, enable-input-d, zero-column mask; otherwise {disabled lanes}, enable-input-d,
  // scale-input-d.
  size_t least = 5 + opcode.sparse + (scaled ? 2 : 0), most = least + (scaled ? 0 : opcode.weightStationary ? 1 : 2);
  if (!d.finish(mods, least, most))
    return false;
  size_t at = 0;
  if (!tensorAddress(d, d.operand(at++), form.d))
    return false;
  form.aInTensorMemory = d.operand(at).kind == Operand::Kind::Address;
  if (form.aInTensorMemory) {
    if (!tensorAddress(d, d.operand(at), form.tensorA))
      return false;
  } else {
    form.a = d.source(d.operand(at), 64);
  }
  if (form.shiftA && !form.aInTensorMemory)
    return d.fail("`.ashift` shifts an A in tensor memory, and this one is in shared memory");
  form.b = d.source(d.operand(++at), 64);
  if (opcode.sparse && !tensorAddress(d, d.operand(++at), form.metadata))
    return false;
  form.descriptor = d.source(d.operand(++at), 32);
  if (scaled && (!tensorAddress(d, d.operand(++at), form.scaleA) || !tensorAddress(d, d.operand(++at), form.scaleB)))
    return false;
  ++at;
  if (!scaled && !opcode.weightStationary && d.operand(at).kind == Operand::Kind::Vector) {
    const std::vector<Operand> &words = d.operand(at++).parts;
    if (words.size() != 4u * static_cast<unsigned>(opcode.ctas))
      return d.fail(Message("disable-output-lane has {count} words; `.cta_group::{}` takes {}", words.size(),
                            opcode.ctas, 4 * opcode.ctas));
    for (size_t n = 0; n < words.size(); ++n)
      form.disabledLanes[n] = d.source(words[n], 32);
  }
  if (at >= d.operandCount())
    return d.fail("enable-input-d, a predicate, is missing");
  form.accumulate = d.predicate(d.operand(at++), form.accumulateNegated);
  if (at < d.operandCount() && opcode.weightStationary) {
    form.zeroColumns = d.source(d.operand(at++), 64);
  } else if (at < d.operandCount()) {
    uint64_t shift = 0;
    if (!d.immediate(d.operand(at++), shift))
      return false;
    if (!requireTensor(d, TensorTargets::NotOf110, "scale-input-d"))
      return false;
    if (shift > 15 || (opcode.kind != "f16" && opcode.kind != "tf32"))
      return d.fail("scale-input-d is a constant from 0 to 15, of `.kind::f16` and `.kind::tf32`");
    form.shiftD = static_cast<uint32_t>(shift);
  }
  if (at != d.operandCount())
    return d.fail(Message("`{instruction}` has an operand too many", d.current().opcode));
  return keep(d, form, i);
}

bool decodeCopy(Decoder &d, Modifiers &mods, Instr &i) {
  if (!takeTensorGroup(d, mods))
    return false;
  Tcgen05Form form;
  form.what = Tcgen05What::Copy;
  std::string_view shape = mods.takeOne({"128x256b", "4x256b", "128x128b", "64x128b", "32x128b"});
  std::string_view cast = mods.takeOne({"warpx2::02_13", "warpx2::01_23", "warpx4"});
  if (shape.empty())
    return false;
  bool two = cast.starts_with("warpx2"), four = cast == "warpx4";
  if (two != (shape == "64x128b") || four != (shape == "32x128b"))
    return d.fail(
        "`.64x128b` goes with `.warpx2::02_13` or `::01_23`, `.32x128b` with `.warpx4`, other shapes with neither",
        "unknown-instruction");
  form.copy.shape = shape == "128x256b"       ? TmemCopyShape::L128x256b
                    : shape == "4x256b"       ? TmemCopyShape::L4x256b
                    : shape == "128x128b"     ? TmemCopyShape::L128x128b
                    : shape == "32x128b"      ? TmemCopyShape::L32x128b
                    : cast == "warpx2::02_13" ? TmemCopyShape::L64x128b0213
                                              : TmemCopyShape::L64x128b0123;
  if (mods.take("b8x16")) {
    std::string_view source = mods.takeOne({"b6x16_p32", "b4x16_p64"});
    if (source.empty())
      return false;
    form.copy.source = source == "b6x16_p32" ? TmemCopySource::B6x16P32 : TmemCopySource::B4x16P64;
  }
  if (!d.finish(mods, 2) || !tensorAddress(d, d.operand(0), form.d))
    return false;
  form.b = d.source(d.operand(1), 64);
  return keep(d, form, i);
}

bool decodeShift(Decoder &d, Modifiers &mods, Instr &i) {
  Tcgen05Form form;
  form.what = Tcgen05What::Shift;
  return requireTensor(d, TensorTargets::Exact, "`tcgen05.shift`") && takeTensorGroup(d, mods) && mods.take("down") &&
         d.finish(mods, 1) && tensorAddress(d, d.operand(0), form.d) && keep(d, form, i);
}

bool decodeCommit(Decoder &d, Modifiers &mods, Instr &i) {
  if (!takeTensorGroup(d, mods) || !mods.take("mbarrier::arrive::one"))
    return false;
  Space space = mods.take("shared::cluster") ? Space::SharedCluster : Space::Generic;
  bool multicast = mods.take("multicast::cluster");
  if (mods.takeType().name != "b64" || !d.finish(mods, multicast ? 2 : 1))
    return false;
  i.imm = d.program().addresses.size();
  if (!d.addAddress(d.operand(0), space))
    return false;
  if (multicast)
    i.c = d.source(d.operand(1), 16);
  i.cost = cost::kMbarrier;
  i.run = &commitTcgen05;
  return !d.failed();
}

bool decodeTensorCore(Decoder &d, Modifiers &mods, const Instruction &, Instr &i) {
  std::string_view op = mods.takeOne({"mma", "cp", "shift", "commit"});
  if (op.empty() || !requireTensor(d, TensorTargets::All, text("`tcgen05.", op, "`")))
    return false;
  return op == "mma"     ? decodeTcgen05Mma(d, mods, i)
         : op == "cp"    ? decodeCopy(d, mods, i)
         : op == "shift" ? decodeShift(d, mods, i)
                         : decodeCommit(d, mods, i);
}

} // namespace

const Family &tcgen05Family() {
  static const Family family{{"tcgen05", &decodeTensorCore}};
  return family;
}

} // namespace lanescope::core::emulator
