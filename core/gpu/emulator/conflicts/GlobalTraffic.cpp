#include "core/gpu/emulator/conflicts/GlobalTraffic.h"

#include "core/gpu/emulator/async/AsyncData.h"
#include "core/gpu/emulator/conflicts/BankConflicts.h"
#include "core/gpu/emulator/instructions/WmmaLines.h"
#include "core/gpu/emulator/machine/Cluster.h"
#include "core/gpu/emulator/machine/Lanes.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <utility>

namespace lanescope::core::emulator {

namespace {

constexpr uint64_t kOffsetMask = (uint64_t{1} << kRegionShift) - 1;
// The bits of a line's first sector; the bits of the next sectors follow.
constexpr uint8_t kRead = 0x01, kWritten = 0x10;

/// True if the lanes' places are adjacent. In well-made kernels, nearly all accesses are like this.
bool areContiguous(const uint64_t *addresses, uint64_t bytes) {
  if (addresses[kLanes - 1] - addresses[0] != (kLanes - 1) * bytes)
    return false;
  uint64_t different = 0;
  for (uint32_t l = 0; l < kLanes; ++l)
    different |= addresses[l] ^ (addresses[0] + l * bytes);
  return different == 0;
}

} // namespace

GlobalTraffic::GlobalTraffic(Program &program) : replaced_(program.code.size()), uses_(program.code.size()) {
  for (size_t pc = 0; pc < program.code.size(); ++pc) {
    Instr &instr = program.code[pc];
    std::string_view opcode = program.function->instructions[instr.source].opcode;
    bool reads = opcode.starts_with("ld."), writes = opcode.starts_with("st."), adds = opcode.starts_with("red.");
    bool atomic = opcode.starts_with("atom.");
    bool access = reads || writes || adds || atomic;
    bool global = instr.space == Space::Global || instr.space == Space::Generic;
    bool copy = opcode.starts_with("cp.async") || opcode.starts_with("cp.reduce.async");
    bool matrix = opcode.starts_with("wmma.load.") || opcode.starts_with("wmma.store.");
    if (!instr.run || !(access ? global && instr.access > 0 : matrix ? global : copy))
      continue;
    writes |= opcode.starts_with("wmma.store.");
    reads |= opcode.starts_with("wmma.load.");
    replaced_[pc] = instr.run;
    uses_[pc] = static_cast<uint8_t>((writes ? 0 : kRead) | (reads ? 0 : kWritten));
    instr.run = access ? &chargeAccess : matrix ? &chargeMatrix : &chargeCopy;
  }
}

void GlobalTraffic::begin(const Grid &grid) {
  regions_.clear();
  for (const Region &region : grid.regions)
    regions_.emplace_back(region.data ? (region.bytes + kLineBytes - 1) / kLineBytes : 0);
}

uint64_t GlobalTraffic::dramBytes() const {
  uint64_t moved = 0;
  for (const LineUses &lines : regions_) {
    size_t n = 0;
    for (uint64_t several; n + sizeof several <= lines.size(); n += sizeof several) {
      std::memcpy(&several, lines.data() + n, sizeof several);
      moved += static_cast<uint64_t>(std::popcount(several));
    }
    for (; n < lines.size(); ++n)
      moved += static_cast<uint64_t>(std::popcount(lines[n]));
  }
  return moved * cost::kSectorBytes;
}

uint64_t GlobalTraffic::use(uint64_t begin, uint64_t end, uint8_t use) {
  if (begin < kGlobalBase || begin >= end)
    return 0;
  uint64_t index = (begin - kGlobalBase) >> kRegionShift;
  uint64_t first = (begin & kOffsetMask) / cost::kSectorBytes;
  uint64_t last = ((begin & kOffsetMask) + (end - begin) - 1) / cost::kSectorBytes;
  if (index < regions_.size()) {
    LineUses &lines = regions_[index];
    for (uint64_t line = first / kSectorsInLine; line <= last / kSectorsInLine && line < lines.size(); ++line) {
      uint32_t from = line == first / kSectorsInLine ? first % kSectorsInLine : 0;
      uint32_t to = line == last / kSectorsInLine ? last % kSectorsInLine : kSectorsInLine - 1;
      uint32_t sectors = ((2u << to) - 1) & ~((1u << from) - 1);
      // The bits of the sectors, at the position for reads, for writes or for both.
      auto wanted = static_cast<uint8_t>(sectors * use);
      std::atomic_ref<uint8_t> uses(lines[line]);
      if ((uses.load(std::memory_order_relaxed) & wanted) != wanted)
        uses.fetch_or(wanted, std::memory_order_relaxed);
    }
  }
  return last - first + 1;
}

Step GlobalTraffic::chargeAccess(Warp &warp, const Instr &i, uint32_t mask) {
  GlobalTraffic &self = *static_cast<ChargedGrid *>(warp.block->grid)->traffic;
  uint32_t pc = warp.block->grid->pcOf(i);
  const uint8_t use = self.uses_[pc];
  const uint64_t *base = i.a != kNone && i.wideAddress ? warp.reg<uint64_t>(i.a) : nullptr;
  if (mask == kAllLanes && base && areContiguous(base, i.access)) [[likely]] {
    uint64_t begin = base[0] + i.imm;
    warp.block->work.sectors += self.use(begin, begin + uint64_t{kLanes} * i.access, use);
    return self.replaced_[pc](warp, i, mask);
  }
  alignas(32) uint64_t addresses[kLanes]; // read before a load overwrites the register of the addresses
  addressesOf(warp, i, addresses);
  // A stretch has lanes that continue where the previous lane ended, or stay in its last sector. Sectors that occur in
  // several stretches are counted once.
  std::array<std::pair<uint64_t, uint64_t>, kLanes> stretches; // first and last sector
  size_t count = 0;
  bool ascending = true;
  forLanes(mask, [&](uint32_t l) {
    uint64_t first = addresses[l] / cost::kSectorBytes, last = (addresses[l] + i.access - 1) / cost::kSectorBytes;
    if (addresses[l] < kGlobalBase)
      return;
    if (count && first >= stretches[count - 1].first && first <= stretches[count - 1].second + 1) {
      stretches[count - 1].second = std::max(stretches[count - 1].second, last);
      return;
    }
    ascending &= count == 0 || first > stretches[count - 1].second;
    stretches[count++] = {first, last};
  });
  if (!ascending)
    std::sort(stretches.begin(), stretches.begin() + static_cast<long>(count));
  uint64_t all = 0, seen = 0; // `seen`: all sectors below this one have been counted
  for (size_t n = 0; n < count; ++n) {
    uint64_t first = std::max(stretches[n].first, seen), last = stretches[n].second;
    if (first > last)
      continue;
    all += self.use(first * cost::kSectorBytes, (last + 1) * cost::kSectorBytes, use);
    seen = last + 1;
  }
  warp.block->work.sectors += all;
  return self.replaced_[pc](warp, i, mask);
}

/// Charges a warp's matrix, line by line. Lines within one sector share it.
Step GlobalTraffic::chargeMatrix(Warp &warp, const Instr &i, uint32_t mask) {
  GlobalTraffic &self = *static_cast<ChargedGrid *>(warp.block->grid)->traffic;
  uint32_t pc = warp.block->grid->pcOf(i);
  WmmaLines lines = wmmaLines(warp, i);
  uint64_t all = 0, seen = 0; // `seen`: all sectors below this one have been counted
  for (uint64_t n = 0; n < lines.count; ++n) {
    uint64_t begin = lines.address + n * lines.stride;
    if (begin < kGlobalBase)
      break;
    uint64_t first = std::max(begin / cost::kSectorBytes, seen), end = begin + lines.bytes;
    if (first * cost::kSectorBytes < end)
      all += self.use(std::max(begin, first * cost::kSectorBytes), end, self.uses_[pc]);
    seen = std::max(seen, (end + cost::kSectorBytes - 1) / cost::kSectorBytes);
  }
  warp.block->work.sectors += all;
  return self.replaced_[pc](warp, i, mask);
}

/// Counts the operations that the instruction has issued, because they know their places. A read for several blocks
/// counts once.
Step GlobalTraffic::chargeCopy(Warp &warp, const Instr &i, uint32_t mask) {
  GlobalTraffic &self = *static_cast<ChargedGrid *>(warp.block->grid)->traffic;
  Block &block = *warp.block;
  uint64_t before = block.async.issued();
  Step step = self.replaced_[block.grid->pcOf(i)](warp, i, mask);
  if (step == Step::Fault || block.async.issued() == before)
    return step;
  static thread_local std::vector<GlobalStretch> stretches;
  uint32_t seen = 0; // lanes that were counted
  uint64_t count = 0;
  for (const AsyncOp &op : block.async.all()) {
    if (op.order < before || op.instr != &i || (!isStore(op) && seen >> op.lane & 1))
      continue;
    seen |= 1u << op.lane;
    globalStretches(*block.grid, op, stretches);
    for (const GlobalStretch &stretch : stretches)
      for (uint64_t row = 0, at = stretch.address; row < stretch.rows; ++row, at += stretch.stride)
        count += self.use(at, at + stretch.bytes, isStore(op) ? kWritten : kRead);
  }
  block.work.sectors += count;
  return step;
}

} // namespace lanescope::core::emulator
