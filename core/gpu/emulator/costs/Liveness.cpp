#include "core/gpu/emulator/costs/Liveness.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>

namespace lanescope::core::emulator {

namespace {

bool begins(std::string_view opcode, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return opcode.starts_with(word); });
}

/// True if the first operand is only read, although it is a register or a list of registers.
bool firstIsRead(const Instruction &instruction) {
  if (instruction.operands.empty() || instruction.operands[0].kind == Operand::Kind::Address)
    return true;
  std::string_view opcode = instruction.opcode;
  if (begins(opcode, {"bar.red", "barrier.red", "barrier.cta.red"}))
    return false;
  if (opcode.starts_with("call"))
    return instruction.operands[0].kind != Operand::Kind::List;
  return begins(opcode,
                {"bar", "bra", "brx", "nanosleep", "setmaxnreg", "tcgen05.dealloc", "ret", "exit", "trap", "pmevent",
                 "stackrestore", "fence", "membar", "wgmma.wait", "wgmma.commit", "wgmma.fence", "griddepcontrol"});
}

/// Visits the names in the operand. `use` has no name, but says what the instruction does with the operand.
void visitNames(const Operand &operand, const NameUse &use, const std::function<void(const NameUse &)> &visit) {
  switch (operand.kind) {
  case Operand::Kind::Name: visit({operand.name, use.reads, use.writes}); break;
  case Operand::Kind::Address: // its parts are always read
    for (const Operand &part : operand.parts)
      visitNames(part, {.name = {}, .reads = true}, visit);
    break;
  case Operand::Kind::Vector:
  case Operand::Kind::Pair:
  case Operand::Kind::List:
    for (const Operand &part : operand.parts)
      visitNames(part, use, visit);
    break;
  default: break;
  }
}

/// Numbers a function's registers.
class Registers {
public:
  explicit Registers(const Function &function) : function_(function) {
    for (const RegisterDecl &decl : function.registers)
      declared_[decl.name].push_back(&decl);
  }

  /// Returns -1 if the name is not that of a register.
  int64_t find(std::string_view name, uint32_t scope) {
    auto [known, fresh] = numbers_.try_emplace({name, scope}, -1);
    if (!fresh)
      return known->second;
    std::string_view stem = name;
    const RegisterDecl *decl = declaration(name, scope, 0);
    uint32_t index = 0;
    if (!decl) {
      size_t digits = name.find_last_not_of("0123456789") + 1;
      if (digits == name.size())
        return -1;
      std::from_chars(name.data() + digits, name.data() + name.size(), index);
      stem = name.substr(0, digits);
      decl = declaration(stem, scope, index + 1);
    }
    if (!decl)
      return -1;
    auto [number, isNew] = own_.try_emplace({decl, index}, static_cast<int64_t>(weights.size()));
    if (isNew)
      weights.push_back(decl->bits == 1 ? 0 : (decl->bits + 31u) / 32);
    return known->second = number->second;
  }

  std::vector<uint32_t> weights; // for each register: the number of 32-bit registers as which it counts

private:
  /// The declaration in the nearest enclosing scope. `least`: a numbered declaration must have at least as many
  /// registers; 0: searches a declaration of the name itself.
  const RegisterDecl *declaration(std::string_view name, uint32_t scope, uint32_t least) const {
    auto found = declared_.find(name);
    if (found == declared_.end())
      return nullptr;
    for (;;) {
      for (const RegisterDecl *decl : found->second)
        if (decl->scope == scope && (least == 0 ? decl->count == 0 : decl->count >= least))
          return decl;
      if (scope >= function_.scopeParents.size() || function_.scopeParents[scope] == scope)
        return nullptr;
      scope = function_.scopeParents[scope];
    }
  }

  const Function &function_;
  std::unordered_map<std::string_view, std::vector<const RegisterDecl *>> declared_;
  std::map<std::pair<std::string_view, uint32_t>, int64_t> numbers_;
  std::map<std::pair<const RegisterDecl *, uint32_t>, int64_t> own_;
};

using Bits = std::vector<uint64_t>;
bool has(const Bits &bits, uint32_t n) { return bits[n / 64] >> n % 64 & 1; }

struct Use {
  uint32_t number = 0;
  bool reads = false, writes = false;
};

struct BasicBlock {
  uint32_t begin = 0, end = 0;
  std::vector<uint32_t> next = {};
  Bits read = {}, written = {}, in = {}, out = {}; // `read`: read before it is written
};

class LivenessOf {
public:
  explicit LivenessOf(const Function &function) : function_(function), registers_(function) {}

  std::vector<uint32_t> run() {
    collectUses();
    makeBlocks();
    solve();
    std::vector<uint32_t> live(function_.instructions.size());
    for (const BasicBlock &block : blocks_)
      count(block, live);
    return live;
  }

private:
  void collectUses() {
    uses_.resize(function_.instructions.size());
    for (size_t i = 0; i < uses_.size(); ++i) {
      const Instruction &instruction = function_.instructions[i];
      if (int64_t guard = instruction.guard.empty() ? -1 : registers_.find(instruction.guard, instruction.scope);
          guard >= 0)
        uses_[i].push_back({static_cast<uint32_t>(guard), true, false});
      forEachUse(instruction, [&](const NameUse &use) {
        if (int64_t number = registers_.find(use.name, instruction.scope); number >= 0)
          uses_[i].push_back({static_cast<uint32_t>(number), use.reads, use.writes});
      });
    }
    words_ = (registers_.weights.size() + 63) / 64;
  }

  uint32_t target(std::string_view label, uint32_t scope) const {
    for (;;) {
      for (const Label &each : function_.labels)
        if (each.name == label && each.scope == scope)
          return each.instruction;
      if (scope >= function_.scopeParents.size() || function_.scopeParents[scope] == scope)
        return UINT32_MAX;
      scope = function_.scopeParents[scope];
    }
  }

  std::vector<uint32_t> targetsOf(const Instruction &instruction) const {
    std::vector<uint32_t> out;
    if (instruction.opcode.starts_with("brx")) {
      std::string_view table = instruction.operands.size() > 1 ? instruction.operands[1].name : std::string_view();
      for (const BranchTargets &targets : function_.branchTargets)
        if (targets.name == table)
          for (std::string_view label : targets.labels)
            out.push_back(target(label, targets.scope));
    } else if (!instruction.operands.empty()) {
      out.push_back(target(instruction.operands[0].name, instruction.scope));
    }
    std::erase(out, UINT32_MAX);
    return out;
  }

  void makeBlocks() {
    auto count = static_cast<uint32_t>(function_.instructions.size());
    auto isBranch = [](std::string_view opcode) { return begins(opcode, {"bra", "brx"}); };
    auto isEnd = [](std::string_view opcode) { return begins(opcode, {"ret", "exit", "trap"}); };
    std::vector<char> leads(count + 1);
    leads[0] = 1;
    for (const Label &label : function_.labels)
      leads[std::min(label.instruction, count)] = 1;
    for (uint32_t i = 0; i < count; ++i)
      if (isBranch(function_.instructions[i].opcode) || isEnd(function_.instructions[i].opcode))
        leads[i + 1] = 1;
    std::vector<uint32_t> blockAt(count + 1, UINT32_MAX);
    for (uint32_t i = 0; i < count; ++i) {
      if (leads[i]) {
        if (!blocks_.empty())
          blocks_.back().end = i;
        blocks_.push_back({i, count});
      }
      blockAt[i] = static_cast<uint32_t>(blocks_.size() - 1);
    }
    for (size_t b = 0; b < blocks_.size(); ++b) {
      BasicBlock &block = blocks_[b];
      const Instruction &last = function_.instructions[block.end - 1];
      if (isBranch(last.opcode))
        for (uint32_t to : targetsOf(last))
          if (to < count)
            block.next.push_back(blockAt[to]);
      bool goesOn = !last.guard.empty() || !(isBranch(last.opcode) || isEnd(last.opcode));
      if (goesOn && b + 1 < blocks_.size())
        block.next.push_back(static_cast<uint32_t>(b + 1));
      block.read.resize(words_), block.written.resize(words_), block.in.resize(words_), block.out.resize(words_);
      for (uint32_t i = block.begin; i < block.end; ++i) {
        for (const Use &use : uses_[i])
          if (use.reads && !has(block.written, use.number))
            block.read[use.number / 64] |= uint64_t{1} << use.number % 64;
        if (function_.instructions[i].guard.empty())
          for (const Use &use : uses_[i])
            if (use.writes)
              block.written[use.number / 64] |= uint64_t{1} << use.number % 64;
      }
    }
  }

  void solve() {
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t b = blocks_.size(); b-- > 0;) {
        BasicBlock &block = blocks_[b];
        for (size_t w = 0; w < words_; ++w) {
          uint64_t out = 0;
          for (uint32_t next : block.next)
            out |= blocks_[next].in[w];
          uint64_t in = block.read[w] | (out & ~block.written[w]);
          changed |= in != block.in[w];
          block.out[w] = out, block.in[w] = in;
        }
      }
    }
  }

  /// Goes backwards through a block, and updates the set of live registers.
  void count(const BasicBlock &block, std::vector<uint32_t> &live) const {
    Bits now = block.out;
    const std::vector<uint32_t> &weights = registers_.weights;
    uint32_t total = 0;
    for (uint32_t n = 0; n < weights.size(); ++n)
      total += has(now, n) ? weights[n] : 0;
    auto set = [&](uint32_t n, bool on) {
      if (has(now, n) == on)
        return;
      now[n / 64] ^= uint64_t{1} << n % 64;
      total += on ? weights[n] : 0 - weights[n];
    };
    for (uint32_t i = block.end; i-- > block.begin;) {
      for (const Use &use : uses_[i]) // a result that nothing reads occupies a register, too
        if (use.writes)
          set(use.number, true);
      uint32_t behind = total;
      if (function_.instructions[i].guard.empty())
        for (const Use &use : uses_[i])
          if (use.writes)
            set(use.number, false);
      for (const Use &use : uses_[i])
        if (use.reads)
          set(use.number, true);
      live[i] = std::max(behind, total);
    }
  }

  const Function &function_;
  Registers registers_;
  std::vector<std::vector<Use>> uses_; // by instruction
  std::vector<BasicBlock> blocks_;
  size_t words_ = 0;
};

} // namespace

void forEachUse(const Instruction &instruction, const std::function<void(const NameUse &)> &visit) {
  bool firstRead = firstIsRead(instruction);
  // Matrix products add to the value of their first operand.
  bool adds = instruction.opcode.starts_with("wgmma.mma_async");
  for (size_t n = 0; n < instruction.operands.size(); ++n) {
    bool writes = n == 0 && !firstRead;
    visitNames(instruction.operands[n], {.name = {}, .reads = !writes || adds, .writes = writes}, visit);
  }
}

std::vector<uint32_t> liveRegisters(const Function &function) {
  if (function.instructions.empty())
    return {};
  return LivenessOf(function).run();
}

} // namespace lanescope::core::emulator
