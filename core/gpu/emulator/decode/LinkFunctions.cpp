#include "core/gpu/emulator/decode/LinkFunctions.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

const Instruction kReturn{"ret", {}, false, {}, 0, 0, 0, 0};

class Linker {
public:
  explicit Linker(const Module &module) : module_(module), functions_(module) {}

  LinkedCode run(const Function &entry) {
    code_.function = entry;
    code_.parts.push_back({.function = &entry});
    code_.numbers[&entry] = 0;
    for (const Variable &variable : module_.variables)
      for (const InitialAddress &address : variable.addresses)
        if (const Function *named = functions_.find(address.name))
          code_.parts[number(*named)].addressTaken = true;
    for (size_t n = 0; n < code_.parts.size(); ++n) // the loop adds further parts
      visit(static_cast<uint32_t>(n));
    if (code_.parts.size() > 1)
      append();
    return std::move(code_);
  }

private:
  uint32_t number(const Function &function) {
    auto [it, added] = code_.numbers.try_emplace(&function, static_cast<uint32_t>(code_.parts.size()));
    if (added)
      code_.parts.push_back({.function = &function});
    return it->second;
  }

  void visit(uint32_t part) {
    const Function &function = *code_.parts[part].function;
    for (const Instruction &instruction : function.instructions) {
      bool call = instruction.opcode.starts_with("call");
      bool direct = false;
      for (const Operand &operand : instruction.operands) {
        if (operand.kind != Operand::Kind::Name || operand.name.starts_with('%'))
          continue;
        const Function *named = functions_.find(operand.name);
        if (!named)
          continue;
        uint32_t other = number(*named);
        code_.parts[part].names.push_back(other);
        code_.parts[other].addressTaken |= !call;
        direct |= call;
      }
      code_.parts[part].callsIndirectly |= call && !direct;
    }
  }

  void append() {
    Function &all = code_.function;
    all.instructions.push_back(returnOf(all));
    for (size_t n = 1; n < code_.parts.size(); ++n) {
      LinkedPart &part = code_.parts[n];
      const Function &one = *part.function;
      part.firstInstruction = static_cast<uint32_t>(all.instructions.size());
      part.scope = static_cast<uint32_t>(all.scopeParents.size());
      for (uint32_t parent : one.scopeParents)
        all.scopeParents.push_back(parent + part.scope);
      auto add = [&](const auto &from, auto &to, auto... numbersOfCode) {
        for (auto item : from) {
          item.scope += part.scope;
          ((item.*numbersOfCode += part.firstInstruction), ...);
          to.push_back(std::move(item));
        }
      };
      add(one.variables, all.variables);
      add(one.registers, all.registers);
      add(one.labels, all.labels, &Label::instruction);
      add(one.branchTargets, all.branchTargets);
      add(one.prototypes, all.prototypes);
      add(one.instructions, all.instructions);
      Instruction end = returnOf(one);
      end.scope = part.scope;
      all.instructions.push_back(end);
    }
  }

  static Instruction returnOf(const Function &function) {
    Instruction end = kReturn;
    end.begin = function.instructions.empty() ? function.begin : function.instructions.back().begin;
    end.end = function.instructions.empty() ? function.begin + 1 : function.instructions.back().end;
    return end;
  }

  const Module &module_;
  FunctionTable functions_;
  LinkedCode code_;
};

} // namespace

FunctionTable::FunctionTable(const Module &module) {
  for (const Function &function : module.functions)
    if (function.defined && !function.entry)
      functions_.try_emplace(function.name, &function);
  // An alias may name an alias that follows it, and if names are equal, the first one counts. So aliases are resolved
  // from the last to the first.
  for (size_t n = module.aliases.size(); n-- > 0;) {
    const auto &[alias, meant] = module.aliases[n];
    functions_[alias] = find(meant);
  }
}

const Function *FunctionTable::find(std::string_view name) const {
  auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : found->second;
}

bool LinkedCode::recursive(uint32_t part) const {
  std::vector<uint32_t> open{part};
  std::vector<bool> seen(parts.size());
  while (!open.empty()) {
    uint32_t one = open.back();
    open.pop_back();
    auto reach = [&](uint32_t next) {
      if (!seen[next])
        open.push_back(next);
      seen[next] = true;
    };
    for (uint32_t next : parts[one].names)
      reach(next);
    for (uint32_t next = 0; parts[one].callsIndirectly && next < parts.size(); ++next)
      if (parts[next].addressTaken)
        reach(next);
  }
  return seen[part];
}

LinkedCode linkFunctions(const Module &module, const Function &entry) { return Linker(module).run(entry); }

} // namespace lanescope::core::emulator
