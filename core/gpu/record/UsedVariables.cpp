#include "core/gpu/record/UsedVariables.h"

#include <algorithm>
#include <vector>

namespace lanescope::core::record {

namespace {

void collectNames(const emulator::Operand &operand, std::vector<std::string_view> &out) {
  if (!operand.name.empty())
    out.push_back(operand.name);
  for (const emulator::Operand &part : operand.parts)
    collectNames(part, out);
}

} // namespace

std::set<std::string_view> usedVariables(const emulator::Module &module, const emulator::Function &entry) {
  std::set<std::string_view> out;
  std::set<const emulator::Function *> seen{&entry};
  std::vector<const emulator::Function *> waiting{&entry};
  std::vector<std::string_view> names;
  while (!waiting.empty()) {
    const emulator::Function &function = *waiting.back();
    waiting.pop_back();
    for (const emulator::Instruction &instruction : function.instructions)
      for (const emulator::Operand &operand : instruction.operands)
        collectNames(operand, names);
    while (!names.empty()) {
      std::string_view name = names.back();
      names.pop_back();
      auto variable = std::ranges::find(module.variables, name, &emulator::Variable::name);
      if (variable != module.variables.end() && out.insert(variable->name).second)
        for (const emulator::InitialAddress &address : variable->addresses)
          names.push_back(address.name);
      for (const auto &[alias, means] : module.aliases)
        if (alias == name)
          names.push_back(means);
      for (const emulator::Function &called : module.functions)
        if (called.name == name && seen.insert(&called).second)
          waiting.push_back(&called);
    }
  }
  return out;
}

} // namespace lanescope::core::record
