// Finds the registers that must have their initial values when a block starts, because a thread may read them before it
// writes them. All other registers may keep the values of the previous block, which saves a copy of the whole register
// file.
//
//   mov.u32 %r1, 0;  add.u32 %r2, %r1, %r3;     %r3 is read before any write, so it must be fresh; %r1 and %r2 need not
#include "core/gpu/emulator/decode/DecodedCode.h"
#include "core/gpu/emulator/decode/FlowGraph.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

constexpr size_t kMostBits = size_t{1} << 27; // limit for the sets of registers, one set per basic block

/// A set of registers by number.
class Registers {
public:
  explicit Registers(size_t count, bool all = false) : words_((count + 63) / 64, all ? ~0ull : 0) {}
  bool contains(uint32_t n) const { return words_[n / 64] >> n % 64 & 1; }
  void add(uint32_t n) { words_[n / 64] |= 1ull << n % 64; }
  void add(const Registers &other) {
    for (size_t n = 0; n < words_.size(); ++n)
      words_[n] |= other.words_[n];
  }
  /// Returns true if the set changed.
  bool keep(const Registers &other) {
    uint64_t gone = 0;
    for (size_t n = 0; n < words_.size(); ++n) {
      gone |= words_[n] & ~other.words_[n];
      words_[n] &= other.words_[n];
    }
    return gone != 0;
  }

private:
  std::vector<uint64_t> words_;
};

} // namespace

void findFreshRegisters(DecodedCode &code, const RegisterFile &file) {
  auto end = static_cast<uint32_t>(code.program.registerImage.size());
  code.program.fresh.clear();
  if (!code.program.calls.empty() ||
      code.program.pairs) { // frames of functions and ranks of blocks change which slots are constant
    code.program.fresh.push_back({0, end});
    return;
  }
  std::unordered_map<uint32_t, uint32_t> numbers; // by slot, for each register that is written: its index
  for (const NamedUse &use : code.uses)
    if (use.write)
      numbers.emplace(use.slot, static_cast<uint32_t>(numbers.size()));
  // For each basic block: the registers that it certainly writes, and those that it reads before that. Taken from the
  // uses in order.
  FlowGraph graph = FlowGraph::of(code.program);
  uint32_t blocks = graph.exit();
  if (blocks * numbers.size() > kMostBits) {
    code.program.fresh.push_back({0, end});
    return;
  }
  std::vector<Registers> written(blocks + 1, Registers(numbers.size()));
  std::vector<std::vector<uint32_t>> read(blocks);
  size_t next = 0;
  for (uint32_t block = 0; block < blocks; ++block)
    for (uint32_t pc = graph.start[block]; pc < graph.start[block + 1]; ++pc) {
      size_t first = next;
      while (next < code.uses.size() && code.uses[next].instruction == pc)
        ++next;
      const Instr &instr = code.program.code[pc];
      // A wgmma writes its accumulators, but also reads them
      bool adds = code.source(instr).opcode.starts_with("wgmma");
      std::span<const NamedUse> uses(code.uses.data() + first, next - first);
      for (const NamedUse &use : uses)
        if (auto found = numbers.find(use.slot);
            (!use.write || adds) && found != numbers.end() && !written[block].contains(found->second))
          read[block].push_back(found->second);
      for (const NamedUse &use : uses)
        if (use.write && instr.guard == kNone)
          written[block].add(numbers.at(use.slot));
    }
  // For each block: the registers that every path from the start to the block has written.
  std::vector<std::vector<uint32_t>> predecessors = graph.predecessors();
  std::vector<Registers> before(blocks + 1, Registers(numbers.size(), true));
  before[0] = Registers(numbers.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t block = 1; block <= blocks; ++block)
      for (uint32_t from : predecessors[block]) {
        Registers behind = before[from];
        behind.add(written[from]);
        changed |= before[block].keep(behind);
      }
  }
  Registers early(numbers.size());
  for (uint32_t block = 0; block < blocks; ++block)
    for (uint32_t n : read[block])
      if (!before[block].contains(n))
        early.add(n);
  const std::unordered_set<uint32_t> constant = file.constantSlots(); // a slot that is never written is constant
  for (const RegisterFile::Slot &slot : file.slots()) {               // ascending
    auto found = numbers.find(slot.begin);
    if (found != numbers.end() ? !early.contains(found->second) : constant.contains(slot.begin))
      continue;
    if (code.program.fresh.empty() || code.program.fresh.back().end != slot.begin)
      code.program.fresh.push_back({slot.begin, slot.begin});
    code.program.fresh.back().end = slot.begin + slot.bytes;
  }
}

} // namespace lanescope::core::emulator
