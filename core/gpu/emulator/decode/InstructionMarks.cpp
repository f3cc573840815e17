// Passes that mark instructions: branches to the end, waits for loads, arrangements of addresses, registers of wgmmas.
#include "core/gpu/emulator/decode/DecodedCode.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <unordered_set>

namespace lanescope::core::emulator {

std::vector<bool> DecodedCode::labelled() const {
  std::vector<bool> out(program.code.size() + 1);
  for (const Label &label : function->labels)
    out[std::min<size_t>(label.instruction, program.code.size())] = true;
  return out;
}

void markLoadWaits(DecodedCode &code) {
  std::unordered_set<uint32_t> pending;
  const std::vector<bool> starts = code.labelled();
  for (size_t pc = 0; pc < code.program.code.size(); ++pc) {
    Instr &instr = code.program.code[pc];
    bool wait = starts[pc] || instr.target != kNone;
    for (uint32_t slot : {instr.a, instr.b, instr.c, instr.e, instr.d, instr.d2, instr.guard})
      wait |= slot != kNone && pending.contains(slot);
    for (uint32_t i = 0; i < instr.listSize; ++i)
      wait |= pending.contains(code.program.lists[instr.list + i]);
    if (wait && !pending.empty()) {
      instr.waitsForLoads = true;
      pending.clear();
    }
    if (instr.load) {
      if (instr.d != kNone)
        pending.insert(instr.d);
      for (uint32_t i = 0; i < instr.listSize; ++i)
        pending.insert(code.program.lists[instr.list + i]);
    }
  }
}

void numberPlaces(DecodedCode &code) {
  std::map<std::pair<uint32_t, Handler>, uint32_t> known; // keyed by Instruction::loc
  for (uint32_t pc = 0; pc < code.program.code.size(); ++pc) {
    const Instr &instr = code.program.code[pc];
    uint32_t loc = code.source(instr).loc;
    code.program.places.push_back(loc ? known.try_emplace({loc, instr.run}, pc).first->second : pc);
  }
}

/// Marks accesses in straight-line code that use the same address register. The first of them finds how the lanes'
/// addresses are arranged, and the others reuse the result until the register is written. If a warp executes such code
/// with all lanes, it has done so since the first access. The first access also knows where the later ones will be.
///
///   ld.global.f32 %f1, [%rd1];      finds the pattern of %rd1's 32 addresses
///   ld.global.f32 %f2, [%rd1+128];  reuses it
void markKnownRows(DecodedCode &code) {
  const std::vector<bool> starts = code.labelled();
  // An operation in flight writes its registers later than the instruction that names them.
  std::unordered_set<uint32_t> late;
  struct Known {
    Space space = Space::Generic; // the space of the access that found the arrangement
    std::vector<uint32_t> accesses;
  };
  std::unordered_map<uint32_t, Known> known;
  for (const NamedUse &use : code.uses)
    if (use.write &&
        (code.opcodeAt(use.instruction).starts_with("wgmma") || code.opcodeAt(use.instruction).starts_with("tcgen05")))
      late.insert(use.slot);
  // Early enough for the prefetched line to arrive before the access.
  constexpr size_t kAhead = 4;
  auto noteAhead = [&](Known &one, uint32_t pc) {
    Instr &instr = code.program.code[pc];
    if (one.space != instr.space)
      one = {instr.space, {}};
    one.accesses.push_back(pc);
    if (size_t count = one.accesses.size(); count > kAhead && instr.space == Space::Global) {
      Instr &before = code.program.code[one.accesses[count - 1 - kAhead]];
      before.ahead = static_cast<int32_t>(instr.imm - before.imm);
    }
  };
  size_t next = 0;
  for (uint32_t pc = 0; pc < code.program.code.size(); ++pc) {
    Instr &instr = code.program.code[pc];
    if (starts[pc])
      known.clear();
    auto found = known.find(instr.a);
    instr.rowKnown = instr.findsRow && found != known.end() && found->second.space == instr.space;
    if (instr.findsRow && instr.guard == kNone && instr.a != kNone && !late.contains(instr.a))
      noteAhead(known[instr.a], pc);
    for (; next < code.uses.size() && code.uses[next].instruction <= pc; ++next)
      if (code.uses[next].write)
        known.erase(code.uses[next].slot);
    if (instr.target != kNone || instr.indexed || instr.ends || code.opcodeAt(pc).starts_with("call"))
      known.clear();
  }
}

/// Lanes that branch to a `ret` exit at once, as in code from ptxas. The remaining lanes may then meet at a barrier for
/// the whole warp.
void branchesToEnds(DecodedCode &code) {
  auto returns = [&](uint32_t pc) {
    std::string_view opcode = code.opcodeAt(pc);
    return pc + 1 == code.program.code.size() ||
           (code.program.code[pc].guard == kNone && (opcode.starts_with("ret") || opcode.starts_with("exit")));
  };
  for (Instr &instr : code.program.code)
    if (instr.target != kNone && !instr.indexed && returns(instr.target)) {
      instr.imm = code.program.code[instr.target].imm;
      instr.run = code.program.code[instr.target].run;
      instr.target = kNone;
      instr.ends = true;
    }
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
static std::vector<bool> constantMoves(const DecodedCode &code) {
  std::unordered_map<uint32_t, std::vector<uint32_t>> writers; // by slot
  for (const NamedUse &use : code.uses)
    if (use.write)
      writers[use.slot].push_back(use.instruction);
  std::vector<bool> constant(code.program.code.size());
  auto movesConstant = [&](const Instr &instr) {
    const Instruction &source = code.source(instr);
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
      if (!constant[pc] && movesConstant(code.program.code[pc]))
        constant[pc] = changed = true;
  }
  return constant;
}

/// Finds the instructions that use the accumulators of wgmmas, or registers that hold their A.
void trackWgmmaRegisters(DecodedCode &code) {
  std::unordered_map<uint32_t, uint32_t> numbers; // slot -> index in trackedRegisters
  auto isWgmma = [&](uint32_t pc) { return code.opcodeAt(pc).starts_with("wgmma.mma_async"); };
  for (uint32_t pc = 0; pc < code.program.code.size(); ++pc)
    if (isWgmma(pc))
      for (uint32_t n = 0; n < code.program.code[pc].listSize; ++n)
        numbers.emplace(code.program.lists[code.program.code[pc].list + n], static_cast<uint32_t>(numbers.size()));
  auto copies = [&](uint32_t pc) {
    return code.opcodeAt(pc).starts_with("mov.") || accessesLocal(code.opcodeAt(pc), "st.");
  };
  // code.uses is sorted by instruction. forUses() calls visit(pc, its uses).
  auto forUses = [&](auto visit) {
    for (size_t next = 0, end = 0; next < code.uses.size(); next = end) {
      while (end < code.uses.size() && code.uses[end].instruction == code.uses[next].instruction)
        ++end;
      visit(code.uses[next].instruction, std::span(code.uses).subspan(next, end - next));
    }
  };
  // Includes the registers that are moved or packed into these.
  std::vector<uint32_t> moved;
  forUses([&](uint32_t pc, std::span<const NamedUse> uses) {
    if (code.opcodeAt(pc).starts_with("mov.") &&
        std::ranges::any_of(uses, [&](const NamedUse &use) { return use.write && numbers.contains(use.slot); }))
      for (const NamedUse &use : uses)
        if (!use.write)
          moved.push_back(use.slot);
  });
  for (uint32_t slot : moved)
    numbers.emplace(slot, static_cast<uint32_t>(numbers.size()));
  std::vector<bool> constants = constantMoves(code);
  code.program.trackedRegisters.resize(numbers.size());
  code.program.trackedBegin.assign(code.program.code.size() + 1, 0);
  forUses([&](uint32_t pc, std::span<const NamedUse> uses) {
    auto from = static_cast<uint32_t>(code.program.trackedSources.size());
    if (code.opcodeAt(pc).starts_with("mov."))
      for (const NamedUse &use : uses)
        if (auto it = numbers.find(use.slot); !use.write && it != numbers.end())
          code.program.trackedSources.push_back(it->second);
    auto count = static_cast<uint32_t>(code.program.trackedSources.size()) - from;
    for (const NamedUse &use : uses)
      if (auto it = numbers.find(use.slot); it != numbers.end()) {
        code.program.trackedRegisters[it->second] = use.name;
        code.program.trackedUses.push_back(
            {it->second, use.write, !use.write && copies(pc), constants[pc], from, count});
        if (!isWgmma(pc))
          code.program.code[pc].tracked =
              std::max(code.program.code[pc].tracked, use.write ? Tracked::Writes : Tracked::Reads);
        ++code.program.trackedBegin[pc + 1];
      }
  });
  std::partial_sum(code.program.trackedBegin.begin(), code.program.trackedBegin.end(),
                   code.program.trackedBegin.begin());
}

} // namespace lanescope::core::emulator
