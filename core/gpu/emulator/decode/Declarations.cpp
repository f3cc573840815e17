// The decoder's passes over declarations: they place parameters and variables.
#include "core/gpu/emulator/decode/Decoder.h"
#include "core/gpu/emulator/decode/FrameLimit.h"
#include "core/gpu/emulator/machine/Addresses.h"

#include <algorithm>
#include <unordered_set>

namespace lanescope::core::emulator {

void Decoder::layoutParams() {
  uint32_t offset = 0;
  for (const Variable &param : function_->params) {
    offset = (offset + param.align - 1) / param.align * param.align;
    program_.params.push_back({param.name, offset, static_cast<uint32_t>(param.bytes), param.begin});
    variables_[{0, param.name}] = {&param, offset, Space::Param};
    offset += static_cast<uint32_t>(param.bytes);
  }
  program_.paramBytes = offset;
}

/// True if the function uses the system's shared memory.
static bool namesReserved(const Function &function) {
  return std::ranges::any_of(function.instructions, [](const Instruction &instruction) {
    return std::ranges::any_of(instruction.operands, [](const Operand &operand) {
      return operand.kind == Operand::Kind::Name && operand.name.starts_with(kReservedPrefix);
    });
  });
}

static void collectNames(const Operand &operand, std::unordered_set<std::string_view> &out) {
  if (!operand.name.empty())
    out.insert(operand.name);
  for (const Operand &part : operand.parts)
    collectNames(part, out);
}

/// All names in the operands of a function, which includes the functions that it calls.
static std::unordered_set<std::string_view> namesIn(const Function &function) {
  std::unordered_set<std::string_view> out;
  for (const Instruction &instruction : function.instructions)
    for (const Operand &operand : instruction.operands)
      collectNames(operand, out);
  return out;
}

void Decoder::layoutVariables(uint32_t dynamicSmem) {
  const std::unordered_set<std::string_view> named = namesIn(*function_);
  std::vector<const Variable *> shared;
  const Variable *dynamic = nullptr;
  uint64_t local = 0;
  auto routineOfScope = [&](uint32_t scope) {
    uint32_t n = 0;
    while (scope != kModuleScope && n + 1 < linked_.parts.size() && linked_.parts[n + 1].scope <= scope)
      ++n;
    return n;
  };
  auto visit = [&](const Variable &variable) {
    switch (variable.space) {
    case Space::Shared:
      // A module's variable takes no memory in kernels that do not name it. ptxas does the same.
      if (variable.scope != kModuleScope || variable.bytes == 0 || named.contains(variable.name))
        shared.push_back(&variable);
      break;
    case Space::Local:
    case Space::Param:
      if (uint32_t owner = routineOfScope(variable.scope); owner != 0) {
        uint32_t &frame = program_.routines[owner].frameBytes;
        frame = (frame + variable.align - 1) / variable.align * variable.align;
        variables_[{variable.scope, variable.name}] = {&variable, frame, Space::Local};
        frame += static_cast<uint32_t>(std::min<uint64_t>(variable.bytes, 2 * kMaxFrameBytes));
        if (frame > kMaxFrameBytes && !failed_)
          fail("a function's local memory is larger than 1 MiB per thread");
        frame = std::min(frame, kMaxFrameBytes);
        break;
      }
      local = (local + variable.align - 1) / variable.align * variable.align;
      variables_[{variable.scope, variable.name}] = {&variable, local, Space::Local};
      local += variable.bytes;
      break;
    default:
      auto region = static_cast<uint32_t>(program_.globals.size());
      if (placed_) {
        auto place = placed_->find(variable.name);
        if (place == placed_->end() && !failed_)
          fail(Message("the variable `{variable}` has no place in standing memory", variable.name));
        region = place == placed_->end() ? 0 : place->second;
      }
      variables_[{variable.scope, variable.name}] = {&variable, addressOfRegion(region), Space::Global};
      program_.globals.push_back(&variable);
    }
  };
  for (Variable &variable : program_.module->variables) {
    variable.scope = kModuleScope;
    visit(variable);
  }
  for (const Variable &variable : function_->variables)
    visit(variable);
  // The dynamic part is an unsized array. If only a single kernel uses the array, LLVM replaces it by a local `.b8`
  // scalar.
  for (const Variable *variable : shared)
    if (variable->bytes == 0)
      dynamic = variable;
  if (!dynamic && dynamicSmem > 0 && !shared.empty() && shared.back()->byteType && shared.back()->scalar)
    dynamic = shared.back();
  uint64_t offset = 0;
  for (const Variable *variable : shared) {
    if (variable == dynamic || variable->bytes == 0)
      continue;
    offset = (offset + variable->align - 1) / variable->align * variable->align;
    variables_[{variable->scope, variable->name}] = {variable, kSharedBase + offset, Space::Shared};
    program_.sharedVariables.push_back({variable->name, static_cast<uint32_t>(kSharedBase + offset), variable->bytes});
    offset += variable->bytes;
  }
  if (namesReserved(*function_)) {
    offset = (offset + 15) / 16 * 16;
    reserved_ = static_cast<uint32_t>(kSharedBase + offset);
    program_.sharedVariables.push_back({"%reserved_smem", reserved_, kReservedShared});
    offset += kReservedShared;
  }
  program_.sharedBytes = static_cast<uint32_t>(std::min<uint64_t>(offset, 1u << 24));
  if (offset > (1u << 20))
    fail("the kernel's static shared memory is larger than any GPU's");
  program_.dynamicBase = (program_.sharedBytes + 1023) / 1024 * 1024;
  for (const Variable *variable : shared)
    if (variable == dynamic || variable->bytes == 0)
      variables_[{variable->scope, variable->name}] = {variable, kSharedBase + program_.dynamicBase, Space::Shared};
  program_.localBytes = static_cast<uint32_t>((std::min<uint64_t>(local, kMaxFrameBytes) + 15) / 16 * 16);
  if (local > kMaxFrameBytes)
    fail("the kernel's local memory is larger than 1 MiB per thread");
  for (Routine &routine : program_.routines)
    routine.frameBytes = std::max<uint32_t>((routine.frameBytes + 15) / 16 * 16, 16);
}

void Decoder::indexDeclarations() {
  names_.declare(*function_);
  for (const Label &label : function_->labels)
    labels_[{label.scope, label.name}] = label.instruction;
}

void Decoder::noteUse(uint32_t slot, bool write, std::string_view name) {
  code_.uses.push_back({code_.next(), slot, write, name});
}

} // namespace lanescope::core::emulator
