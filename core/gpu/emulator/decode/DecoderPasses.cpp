// The decoder's passes over declarations and over the decoded code. They place variables, and they mark the
// instructions that wait for loads or use registers of wgmmas.
#include "core/gpu/emulator/decode/Decoder.h"
#include "core/gpu/emulator/decode/FrameLimit.h"
#include "core/gpu/emulator/machine/Addresses.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
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
      // As ptxas does: a module's variable takes no memory in kernels that do not name it.
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
  for (const RegisterDecl &decl : function_->registers)
    (decl.count ? ranges_ : declared_)[{decl.scope, decl.name}] = decl;
  for (const Label &label : function_->labels)
    labels_[{label.scope, label.name}] = label.instruction;
}

void Decoder::markLoadWaits() {
  std::unordered_set<uint32_t> pending;
  std::vector<bool> starts(program_.code.size() + 1);
  for (const auto &[name, instruction] : labels_)
    starts[std::min<size_t>(instruction, program_.code.size())] = true;
  for (size_t pc = 0; pc < program_.code.size(); ++pc) {
    Instr &instr = program_.code[pc];
    bool wait = starts[pc] || instr.target != kNone;
    for (uint32_t slot : {instr.a, instr.b, instr.c, instr.e, instr.d, instr.d2, instr.guard})
      wait |= slot != kNone && pending.contains(slot);
    for (uint32_t i = 0; i < instr.listSize; ++i)
      wait |= pending.contains(program_.lists[instr.list + i]);
    if (wait && !pending.empty()) {
      instr.waitsForLoads = true;
      pending.clear();
    }
    if (instr.load) {
      if (instr.d != kNone)
        pending.insert(instr.d);
      for (uint32_t i = 0; i < instr.listSize; ++i)
        pending.insert(program_.lists[instr.list + i]);
    }
  }
}

void Decoder::numberPlaces() {
  std::map<std::pair<uint32_t, Handler>, uint32_t> known; // keyed by Instruction::loc
  for (uint32_t pc = 0; pc < program_.code.size(); ++pc) {
    const Instr &instr = program_.code[pc];
    uint32_t loc = function_->instructions[instr.source].loc;
    program_.places.push_back(loc ? known.try_emplace({loc, instr.run}, pc).first->second : pc);
  }
}

/// Marks accesses in straight-line code that use the same address register. The first of them finds how the lanes'
/// addresses are arranged, and the others reuse the result until the register is written. If a warp executes such code
/// with all lanes, it has done so since the first access. The first access also knows where the later ones will be.
///
///   ld.global.f32 %f1, [%rd1];      finds the pattern of %rd1's 32 addresses
///   ld.global.f32 %f2, [%rd1+128];  reuses it
void Decoder::markKnownRows() {
  std::vector<bool> starts(program_.code.size() + 1);
  for (const auto &[name, instruction] : labels_)
    starts[std::min<size_t>(instruction, program_.code.size())] = true;
  // An operation in flight writes its registers later than the instruction that names them.
  std::unordered_set<uint32_t> late;
  struct Known {
    Space space = Space::Generic; // the space of the access that found the arrangement
    std::vector<uint32_t> accesses;
  };
  std::unordered_map<uint32_t, Known> known;
  auto opcodeAt = [&](uint32_t pc) { return function_->instructions[program_.code[pc].source].opcode; };
  for (const NamedUse &use : uses_)
    if (use.write &&
        (opcodeAt(use.instruction).starts_with("wgmma") || opcodeAt(use.instruction).starts_with("tcgen05")))
      late.insert(use.slot);
  // Early enough for the prefetched line to arrive before the access.
  constexpr size_t kAhead = 4;
  auto noteAhead = [&](Known &one, uint32_t pc) {
    Instr &instr = program_.code[pc];
    if (one.space != instr.space)
      one = {instr.space, {}};
    one.accesses.push_back(pc);
    if (size_t count = one.accesses.size(); count > kAhead && instr.space == Space::Global) {
      Instr &before = program_.code[one.accesses[count - 1 - kAhead]];
      before.ahead = static_cast<int32_t>(instr.imm - before.imm);
    }
  };
  size_t next = 0;
  for (uint32_t pc = 0; pc < program_.code.size(); ++pc) {
    Instr &instr = program_.code[pc];
    if (starts[pc])
      known.clear();
    auto found = known.find(instr.a);
    instr.rowKnown = instr.findsRow && found != known.end() && found->second.space == instr.space;
    if (instr.findsRow && instr.guard == kNone && instr.a != kNone && !late.contains(instr.a))
      noteAhead(known[instr.a], pc);
    for (; next < uses_.size() && uses_[next].instruction <= pc; ++next)
      if (uses_[next].write)
        known.erase(uses_[next].slot);
    if (instr.target != kNone || instr.indexed || instr.ends || opcodeAt(pc).starts_with("call"))
      known.clear();
  }
}

/// Lanes that branch to a `ret` exit at once, as in code from ptxas. The remaining lanes may then meet at a barrier for
/// the whole warp.
void Decoder::branchesToEnds() {
  auto returns = [&](uint32_t pc) {
    std::string_view opcode = function_->instructions[program_.code[pc].source].opcode;
    return pc + 1 == program_.code.size() ||
           (program_.code[pc].guard == kNone && (opcode.starts_with("ret") || opcode.starts_with("exit")));
  };
  for (Instr &instr : program_.code)
    if (instr.target != kNone && !instr.indexed && returns(instr.target)) {
      instr.imm = program_.code[instr.target].imm;
      instr.run = program_.code[instr.target].run;
      instr.target = kNone;
      instr.ends = true;
    }
}

void Decoder::noteUse(uint32_t slot, bool write, std::string_view name) {
  uses_.push_back({static_cast<uint32_t>(program_.code.size()), slot, write, name});
}

namespace {

/// True if an instruction may access local memory. Generic accesses count, because compilers omit the space in code for
/// a debugger.
bool accessesLocal(std::string_view opcode, std::string_view access) {
  if (!opcode.starts_with(access))
    return false;
  for (const char *space : {".global", ".shared", ".param", ".const"})
    if (opcode.find(space) != std::string_view::npos)
      return false;
  return true;
}

} // namespace

/// For each instruction: true if it is a `mov` of a constant, a load of a spilled register, or a `mov` of a register
/// that only such instructions write.
std::vector<bool> Decoder::constantMoves() const {
  std::unordered_map<uint32_t, std::vector<uint32_t>> writers; // by slot
  for (const NamedUse &use : uses_)
    if (use.write)
      writers[use.slot].push_back(use.instruction);
  std::vector<bool> constant(program_.code.size());
  auto movesConstant = [&](const Instr &instr) {
    const Instruction &source = function_->instructions[instr.source];
    if (accessesLocal(source.opcode, "ld."))
      return true;
    if (!source.opcode.starts_with("mov.") || source.operands.size() != 2)
      return false;
    switch (source.operands[1].kind) {
    case Operand::Kind::Integer:
    case Operand::Kind::Float32:
    case Operand::Kind::Float64: return true;
    case Operand::Kind::Name: {
      auto written = writers.find(instr.a);
      return written != writers.end() &&
             std::ranges::all_of(written->second, [&](uint32_t pc) { return static_cast<bool>(constant[pc]); });
    }
    default: return false;
    }
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t pc = 0; pc < constant.size(); ++pc)
      if (!constant[pc] && movesConstant(program_.code[pc]))
        constant[pc] = changed = true;
  }
  return constant;
}

/// Finds the instructions that use the accumulators of wgmmas, or registers that hold their A.
void Decoder::trackWgmmaRegisters() {
  std::unordered_map<uint32_t, uint32_t> numbers; // slot -> index in trackedRegisters
  auto opcodeAt = [&](uint32_t pc) -> std::string_view {
    return function_->instructions[program_.code[pc].source].opcode;
  };
  auto isWgmma = [&](uint32_t pc) { return opcodeAt(pc).starts_with("wgmma.mma_async"); };
  for (uint32_t pc = 0; pc < program_.code.size(); ++pc)
    if (isWgmma(pc))
      for (uint32_t n = 0; n < program_.code[pc].listSize; ++n)
        numbers.emplace(program_.lists[program_.code[pc].list + n], static_cast<uint32_t>(numbers.size()));
  auto copies = [&](uint32_t pc) { return opcodeAt(pc).starts_with("mov.") || accessesLocal(opcodeAt(pc), "st."); };
  // uses_ is sorted by instruction. forUses() calls visit(pc, its uses).
  auto forUses = [&](auto visit) {
    for (size_t next = 0, end = 0; next < uses_.size(); next = end) {
      while (end < uses_.size() && uses_[end].instruction == uses_[next].instruction)
        ++end;
      visit(uses_[next].instruction, std::span(uses_).subspan(next, end - next));
    }
  };
  // Includes the registers that are moved or packed into these.
  std::vector<uint32_t> moved;
  forUses([&](uint32_t pc, std::span<const NamedUse> uses) {
    if (opcodeAt(pc).starts_with("mov.") &&
        std::ranges::any_of(uses, [&](const NamedUse &use) { return use.write && numbers.contains(use.slot); }))
      for (const NamedUse &use : uses)
        if (!use.write)
          moved.push_back(use.slot);
  });
  for (uint32_t slot : moved)
    numbers.emplace(slot, static_cast<uint32_t>(numbers.size()));
  std::vector<bool> constants = constantMoves();
  program_.trackedRegisters.resize(numbers.size());
  program_.trackedBegin.assign(program_.code.size() + 1, 0);
  forUses([&](uint32_t pc, std::span<const NamedUse> uses) {
    auto from = static_cast<uint32_t>(program_.trackedSources.size());
    if (opcodeAt(pc).starts_with("mov."))
      for (const NamedUse &use : uses)
        if (auto it = numbers.find(use.slot); !use.write && it != numbers.end())
          program_.trackedSources.push_back(it->second);
    auto count = static_cast<uint32_t>(program_.trackedSources.size()) - from;
    for (const NamedUse &use : uses)
      if (auto it = numbers.find(use.slot); it != numbers.end()) {
        program_.trackedRegisters[it->second] = use.name;
        program_.trackedUses.push_back({it->second, use.write, !use.write && copies(pc), constants[pc], from, count});
        if (!isWgmma(pc))
          program_.code[pc].tracked = std::max(program_.code[pc].tracked, use.write ? Tracked::Writes : Tracked::Reads);
        ++program_.trackedBegin[pc + 1];
      }
  });
  std::partial_sum(program_.trackedBegin.begin(), program_.trackedBegin.end(), program_.trackedBegin.begin());
}

} // namespace lanescope::core::emulator
