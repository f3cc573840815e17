// Device functions: the places of their parameters and frames, and the registers that calls save.
#include "core/gpu/emulator/decode/Decoder.h"
#include "core/gpu/emulator/decode/FrameLimit.h"
#include "core/gpu/emulator/machine/Addresses.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core::emulator {

void Decoder::layoutFrames() {
  program_.routines.resize(linked_.parts.size());
  for (size_t n = 0; n < linked_.parts.size(); ++n) {
    const LinkedPart &part = linked_.parts[n];
    Routine &routine = program_.routines[n];
    routine.name = part.function->name;
    routine.begin = part.firstInstruction;
    routine.addressTaken = part.addressTaken;
    if (n == 0)
      continue;
    routine.frameAddresses.push_back({allocate(64), 0});
    placeParameters(part.function->results, part.scope, routine, routine.results);
    placeParameters(part.function->params, part.scope, routine, routine.params);
  }
}

void Decoder::placeParameters(const std::vector<Variable> &from, uint32_t scope, Routine &routine,
                              std::vector<CallValue> &to) {
  for (const Variable &variable : from) {
    auto bytes = static_cast<uint32_t>(std::min<uint64_t>(variable.bytes, 1u << 24));
    if (variable.isRegister) {
      uint32_t bits = std::clamp<uint32_t>(8 * bytes, 16, 64), slot = allocate(bits);
      names_.bind({scope, variable.name}, {.slot = slot, .bits = bits});
      to.push_back({.memory = false, .slot = slot, .bytes = bits / 8, .offset = 0});
      continue;
    }
    routine.frameBytes = (routine.frameBytes + variable.align - 1) / variable.align * variable.align;
    variables_[{scope, variable.name}] = {&variable, routine.frameBytes, Space::Local};
    to.push_back({.memory = true, .slot = kNone, .bytes = bytes, .offset = routine.frameBytes});
    routine.frameBytes += bytes;
    if (routine.frameBytes > kMaxFrameBytes) {
      fail(Message("the parameters of `{name}` take more than {limit} KiB", routine.name, kMaxFrameBytes >> 10));
      return;
    }
  }
}

uint32_t Decoder::routineNamed(std::string_view name) const {
  const Function *function = functions_.find(name);
  auto part = linked_.numbers.find(function);
  return function && part != linked_.numbers.end() ? part->second : kNone;
}

const Variable *Decoder::variableNamed(std::string_view name) const {
  for (uint32_t scope = current_->scope;; scope = function_->scopeParents[scope]) {
    if (auto it = variables_.find({scope, name}); it != variables_.end())
      return it->second.variable;
    if (function_->scopeParents[scope] == scope)
      return nullptr;
  }
}

uint32_t Decoder::variableBytes(std::string_view name) const {
  const Variable *variable = variableNamed(name);
  return variable ? static_cast<uint32_t>(std::min<uint64_t>(variable->bytes, 1u << 24)) : 0;
}

bool Decoder::passesAs(const Operand &operand, const Variable &formal) {
  if (operand.kind != Operand::Kind::Name)
    return true; // numbers and `_` take the size of the parameter
  uint64_t bytes = 0, align = formal.align;
  bool array = false;
  RegisterKind kind = RegisterKind::Bits;
  if (const RegisterRef *found = findRegister(operand.name)) {
    bytes = found->byte ? 1 : found->bits / 8;
    kind = found->kind;
  } else if (const Variable *variable = variableNamed(operand.name); variable && variable->space == Space::Param) {
    bytes = variable->bytes;
    array = !variable->scalar;
    align = variable->align;
    kind = variable->kind;
  } else {
    return true; // an address, or no name at all, which callValue() reports
  }
  bool kinds = array || kind == RegisterKind::Bits || formal.kind == RegisterKind::Bits || kind == formal.kind;
  if (bytes != formal.bytes || array != !formal.scalar || !kinds)
    return fail(Message("`{name}` is no value for the parameter `{parameter}`, which has {bytes}{}{}{}", operand.name,
                        formal.name, formal.bytes, formal.bytes == 1 ? " byte" : " bytes",
                        formal.scalar ? "" : " of an array",
                        bytes == formal.bytes ? " of another type" : text(" where this has ", bytes)));
  if (array && align != formal.align)
    return fail(Message("`{name}` is aligned to {bytes} bytes, and the parameter `{parameter}` to {}", operand.name,
                        align, formal.name, formal.align));
  return true;
}

uint32_t Decoder::frameSlot() const {
  return routine_ == 0 ? kNone : program_.routines[routine_].frameAddresses[0].slot;
}

uint32_t Decoder::frameAddress(uint64_t offset) {
  std::vector<FrameAddress> &addresses = program_.routines[routine_].frameAddresses;
  auto known = std::ranges::find(addresses, offset, &FrameAddress::offset);
  if (known == addresses.end())
    known = addresses.insert(addresses.end(), {allocate(64), offset});
  return known->slot;
}

bool Decoder::callValue(const Operand &operand, uint32_t bytes, CallValue &out) {
  uint64_t offset = 0;
  Space space = Space::Generic;
  if (operand.kind == Operand::Kind::Name && widthOf(operand) == 0 && variableAddress(operand.name, offset, space) &&
      space == Space::Local) {
    out = {
        .memory = true, .slot = frameSlot(), .bytes = std::min(bytes, variableBytes(operand.name)), .offset = offset};
    return true;
  }
  if (operand.kind == Operand::Kind::Sink) {
    out = {.memory = false, .slot = scratch(64), .bytes = 8, .offset = 0};
    return true;
  }
  uint32_t bits = operand.kind == Operand::Kind::Name ? widthOf(operand) : std::clamp<uint32_t>(8 * bytes, 16, 64);
  if (bits != 16 && bits != 32 && bits != 64)
    return fail(Message("`{instruction}` passes parameters, registers of 16 to 64 bits and numbers", current_->opcode));
  out = {.memory = false, .slot = source(operand, bits), .bytes = bits / 8, .offset = 0};
  return !failed_;
}

const Prototype *Decoder::prototype(std::string_view name) const {
  auto found = std::ranges::find(function_->prototypes, name, &Prototype::name);
  return found == function_->prototypes.end() ? nullptr : &*found;
}

uint32_t Decoder::stackTop() {
  if (program_.stackTop == kNone)
    program_.stackTop = allocate(64);
  return program_.stackTop;
}

/// Does this for each function that may be called again before it has returned.
void Decoder::keepRegistersOfCallers() {
  for (uint32_t n = 1; n < linked_.parts.size(); ++n) {
    if (!linked_.recursive(n))
      continue;
    Routine &routine = program_.routines[n];
    uint32_t first = linked_.parts[n].scope,
             end = n + 1 < linked_.parts.size() ? linked_.parts[n + 1].scope : UINT32_MAX;
    for (const auto &[key, reg] : names_.named()) {
      if (key.scope < first || key.scope >= end)
        continue;
      if (reg.bits == 128) { // its two halves are adjacent
        routine.saved.push_back({reg.slot, 8});
        routine.saved.push_back({reg.slot + 8 * 32, 8});
      } else {
        routine.saved.push_back({reg.slot, reg.bits == 1 ? 0 : std::max(reg.bits, 16u) / 8});
      }
    }
    for (const FrameAddress &address : routine.frameAddresses)
      routine.saved.push_back({address.slot, 8});
    std::ranges::sort(routine.saved, {}, &SavedRegister::slot);
  }
}

bool Decoder::initialValue(const InitialAddress &address, uint64_t &value) const {
  if (auto it = variables_.find({kModuleScope, address.name}); it != variables_.end()) {
    value = it->second.address;
    if (address.generic && it->second.space == Space::Shared)
      value += kSharedWindow;
  } else if (uint32_t routine = routineNamed(address.name); routine != kNone) {
    value = kFunctionWindow + routine;
  } else {
    return false;
  }
  value = (value + static_cast<uint64_t>(address.offset)) >> address.shift;
  return true;
}

void Decoder::resolveInitialisers() {
  for (uint32_t n = 0; n < program_.globals.size(); ++n)
    for (const InitialAddress &address : program_.globals[n]->addresses)
      if (uint64_t value = 0; initialValue(address, value))
        program_.addressInitialisers.push_back({n, address.at, value, address.bytes});
}

} // namespace lanescope::core::emulator
