#include "core/gpu/emulator/check/Guesses.h"

#include "core/gpu/emulator/check/RegisterFlow.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace lanescope::core::emulator {

namespace {

bool isMove(std::string_view opcode) { return opcode.starts_with("mov."); }

} // namespace

bool GuessFlow::isOfPlace(uint32_t pc) const {
  const Instr &i = program_.code[pc];
  if (i.a != load_.a || i.imm != load_.imm || i.access != load_.access || i.space != load_.space)
    return false;
  auto moves = [&](const Instr &between) {
    std::vector<uint32_t> written = slotsWrittenBy(program_, between);
    return std::ranges::find(written, load_.a) != written.end();
  };
  auto [first, last] = std::minmax(pc, pc_);
  return load_.a == kNone || std::none_of(program_.code.begin() + first, program_.code.begin() + last, moves);
}

bool GuessFlow::loads(uint32_t pc) const {
  const Instr &i = program_.code[pc];
  return opcodeOf(program_, i).starts_with("ld.") && !i.strong && i.listSize == 1 && isOfPlace(pc);
}

bool GuessFlow::verifies(uint32_t pc) const {
  std::string_view opcode = opcodeOf(program_, program_.code[pc]);
  return opcode.starts_with("atom.") && opcode.contains(".cas") && isOfPlace(pc);
}

GuessFlow::Slots GuessFlow::valuesOfPlace(bool guesses) const {
  Slots slots;
  auto givesValue = [&](uint32_t pc) {
    const Instr &i = program_.code[pc];
    return (guesses && loads(pc)) || verifies(pc) ||
           (isMove(opcodeOf(program_, i)) && i.listSize == 0 && slots.contains(i.a));
  };
  for (size_t before = SIZE_MAX; before != slots.size();) {
    before = slots.size();
    for (uint32_t pc = 0; pc < program_.code.size(); ++pc)
      if (const Instr &i = program_.code[pc]; givesValue(pc))
        slots.insert(i.listSize ? program_.lists[i.list] : i.d);
  }
  // A register that another instruction also writes may hold another value.
  for (size_t before = SIZE_MAX; before != slots.size();) {
    before = slots.size();
    for (uint32_t pc = 0; pc < program_.code.size(); ++pc)
      if (!givesValue(pc))
        for (uint32_t slot : slotsWrittenBy(program_, program_.code[pc]))
          slots.erase(slot);
  }
  return slots;
}

bool GuessFlow::isResult(uint32_t pc, uint32_t slot) const {
  if (slot == kNone || results_.contains(slot))
    return slot != kNone;
  for (uint32_t before = pc; before-- > 0;) {
    auto comesHere = [&](const Instr &i) { return i.indexed || (i.target > before && i.target <= pc); };
    if (std::ranges::any_of(program_.code, comesHere))
      return false;
    std::vector<uint32_t> written = slotsWrittenBy(program_, program_.code[before]);
    if (std::ranges::find(written, slot) != written.end())
      return verifies(before);
  }
  return false;
}

bool GuessFlow::follow(uint32_t pc) {
  const Instr &i = program_.code[pc];
  auto isTainted = [&](uint32_t slot) { return slot != kNone && tainted_.contains(slot); };
  if (std::ranges::none_of(slotsReadBy(program_, i), isTainted))
    return true;
  if (isTainted(i.guard) || i.target != kNone)
    return false;
  if (verifies(pc)) {
    compared_ = true;
    return !isTainted(i.a) && exact_.contains(i.b);
  }
  std::string_view opcode = opcodeOf(program_, i);
  bool asks = (opcode.starts_with("setp.eq.") || opcode.starts_with("setp.ne.")) && !isTainted(i.c) && !isTainted(i.e);
  if (asks && ((exact_.contains(i.b) && isResult(pc, i.a)) || (exact_.contains(i.a) && isResult(pc, i.b))))
    return true; // the instruction only tests if memory held the guess, so any guess is allowed
  if (!isLaneArithmetic(opcode))
    return false;
  for (uint32_t slot : slotsWrittenBy(program_, i))
    tainted_.insert(slot);
  return true;
}

bool GuessFlow::isVerified() {
  if (!loads(pc_))
    return false;
  exact_ = valuesOfPlace(true);
  results_ = valuesOfPlace(false);
  tainted_ = {program_.lists[load_.list]};
  for (size_t before = 0; before != tainted_.size();) {
    before = tainted_.size();
    for (uint32_t pc = 0; pc < program_.code.size(); ++pc)
      if (!follow(pc))
        return false;
  }
  return compared_;
}

} // namespace lanescope::core::emulator
