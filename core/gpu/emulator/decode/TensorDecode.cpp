#include "core/gpu/emulator/decode/TensorDecode.h"

#include <charconv>

namespace lanescope::core::emulator {

bool requireTensor(Decoder &d, TensorTargets targets, std::string_view what) {
  std::string_view target = d.program().module->target;
  unsigned number = 0;
  char suffix = target.empty() ? '\0' : target.back();
  if (target.starts_with("sm_"))
    std::from_chars(target.data() + 3, target.data() + target.size(), number);
  bool of100 = number == 100, of103 = number == 103,
       of110 = number == 110 || number == 101; // the former name of sm_110 was sm_101
  bool exact = suffix == 'a', family = suffix == 'f';
  bool there = false;
  std::string_view names;
  switch (targets) {
  case TensorTargets::All:
    there = (of100 || of103 || of110) && (exact || family);
    names = "sm_100a` (or `sm_103a`, `sm_110a";
    break;
  case TensorTargets::Exact:
    there = (of100 || of103 || of110) && exact;
    names = "sm_100a` (or `sm_103a`, `sm_110a";
    break;
  case TensorTargets::NotOf103:
    there = (of100 || of110) && exact;
    names = "sm_100a` (or `sm_110a";
    break;
  case TensorTargets::NotOf110:
    there = (of100 || of103) && (exact || family);
    names = "sm_100a` (or `sm_103a";
    break;
  case TensorTargets::NotOf100:
    there = (of103 || of110) && (exact || family);
    names = "sm_103a` (or `sm_110a";
    break;
  }
  d.program().tensorMemory = true;
  return there || d.fail(Message("{} is for `.target {}`), and this is `{}`", what, names, target));
}

bool takeTensorGroup(Decoder &d, Modifiers &mods) {
  std::string_view group = mods.takeOne({"cta_group::1", "cta_group::2"});
  if (group.empty())
    return d.fail(Message("`{instruction}` lacks `.cta_group::1` or `.cta_group::2`", d.current().opcode),
                  "unknown-instruction");
  uint32_t blocks = group.back() == '2' ? 2 : 1, &known = d.program().tensorBlocks;
  if (known != 0 && known != blocks)
    return d.fail(Message("`{instruction}` is in a kernel that also has `.cta_group::{}`; all of a kernel's tcgen05 "
                          "instructions have the same one",
                          d.current().opcode, known));
  known = blocks;
  d.program().pairs |= blocks == 2;
  return true;
}

bool tensorAddress(Decoder &d, const Operand &operand, AddressRef &out) {
  Instr one;
  if (!d.address(operand, one, Space::Shared)) // Space::Shared permits a 32-bit address
    return false;
  if (one.a != kNone && one.wideAddress)
    return d.fail("an address in tensor memory has 32 bits");
  out.slot = one.a;
  out.wide = false;
  out.offset = one.imm;
  return true;
}

} // namespace lanescope::core::emulator
