#include "core/gpu/emulator/check/RegisterFlow.h"

#include <algorithm>
#include <array>

namespace lanescope::core::emulator {

std::string_view opcodeOf(const Program &program, const Instr &i) {
  return program.function->instructions[i.source].opcode;
}

std::vector<uint32_t> slotsReadBy(const Program &program, const Instr &i) {
  std::vector<uint32_t> slots{i.a, i.b, i.c, i.e, i.guard};
  if (!i.load)
    slots.insert(slots.end(), program.lists.begin() + i.list, program.lists.begin() + i.list + i.listSize);
  std::erase(slots, kNone);
  return slots;
}

std::vector<uint32_t> slotsWrittenBy(const Program &program, const Instr &i) {
  std::vector<uint32_t> slots{i.d, i.d2};
  slots.insert(slots.end(), program.lists.begin() + i.list, program.lists.begin() + i.list + i.listSize);
  std::erase(slots, kNone);
  return slots;
}

bool isLaneArithmetic(std::string_view opcode) {
  static constexpr auto kRoots = std::to_array<std::string_view>(
      {"abs",   "add",  "and", "bfe", "bfi",  "brev", "clz",  "cnot", "copysign", "cvt", "div",
       "dp2a",  "dp4a", "ex2", "fma", "lg2",  "lop3", "mad",  "max",  "min",      "mov", "mul",
       "mul24", "neg",  "not", "or",  "popc", "prmt", "rcp",  "rem",  "rsqrt",    "sad", "selp",
       "set",   "setp", "shf", "shl", "shr",  "slct", "sqrt", "sub",  "tanh",     "xor"});
  return std::ranges::find(kRoots, opcode.substr(0, opcode.find('.'))) != kRoots.end();
}

} // namespace lanescope::core::emulator
