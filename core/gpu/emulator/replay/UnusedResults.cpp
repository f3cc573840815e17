#include "core/gpu/emulator/replay/UnusedResults.h"

#include "core/gpu/emulator/costs/Liveness.h"
#include "core/gpu/emulator/replay/GlobalPlaces.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace lanescope::core::emulator {

namespace {

std::unordered_set<std::string_view> namesRead(const Function &function) {
  std::unordered_set<std::string_view> names;
  for (const Instruction &instruction : function.instructions) {
    names.insert(instruction.guard);
    forEachUse(instruction, [&](const NameUse &use) {
      if (use.reads)
        names.insert(use.name);
    });
  }
  return names;
}

} // namespace

std::vector<bool> atomicsWithUnusedResults(const Program &program) {
  std::vector<bool> unused(program.code.size());
  const std::unordered_set<std::string_view> read = namesRead(*program.function);
  for (uint32_t pc = 0; pc < unused.size(); ++pc) {
    const Instruction &instruction = program.function->instructions[program.code[pc].source];
    if (globalAccessOf(program, pc) != GlobalAccess::Write || instruction.opcode.starts_with("st"))
      continue;
    bool uses = false;
    forEachUse(instruction, [&](const NameUse &use) { uses = uses || (use.writes && read.contains(use.name)); });
    unused[pc] = !uses;
  }
  return unused;
}

} // namespace lanescope::core::emulator
