#include "core/gpu/emulator/costs/InstructionRecorder.h"

#include "core/gpu/emulator/machine/Lanes.h"

#include <algorithm>
#include <atomic>
#include <bit>

namespace lanescope::core::emulator {

namespace {

uint64_t nextRun() {
  static std::atomic<uint64_t> runs = 0;
  return ++runs;
}

} // namespace

InstructionRecorder::InstructionRecorder(Program &program, uint64_t limit)
    : program_(program), replaced_(program.code.size()), limit_(limit ? limit : UINT64_MAX) {
  run_ = nextRun();
  for (size_t pc = 0; pc < program.code.size(); ++pc) {
    Instr &instr = program.code[pc];
    if (!instr.run)
      continue;
    Replaced &replaced = replaced_[pc];
    replaced.run = instr.run;
    instr.run = &count;
    if (instr.space != Space::Shared && instr.space != Space::Global)
      continue;
    replaced.bytes = instr.access;
    std::string_view opcode = program.function->instructions[instr.source].opcode;
    if (!opcode.starts_with("ldmatrix") && !opcode.starts_with("stmatrix"))
      continue;
    auto matrix = layouts::parseSmemOp(opcode); // the recorder does not know which addresses other forms use
    replaced.bytes = matrix ? static_cast<uint32_t>(matrix->bytes) : 0;
    replaced.lanes = matrix ? static_cast<uint32_t>((uint64_t{1} << matrix->addressLanes()) - 1) : 0;
  }
}

void InstructionRecorder::clear() {
  std::lock_guard lock(mutex_);
  shards_.clear();
  counting_ = true;
  run_ = nextRun();
}

InstructionRecorder::Shard &InstructionRecorder::shard() {
  static thread_local std::pair<uint64_t, Shard *> mine{0, nullptr};
  if (mine.first != run_) {
    std::lock_guard lock(mutex_);
    Shard &fresh = *shards_.emplace_back(std::make_unique<Shard>());
    fresh.counts.resize(program_.code.size());
    fresh.last.resize(kWarps);
    mine = {run_, &fresh};
  }
  return *mine.second;
}

bool InstructionRecorder::allTouched(const Count &count, uint64_t first, uint64_t last) {
  if (last / 64 >= count.touched.size())
    return false;
  for (uint64_t word = first / 64; word <= last / 64; ++word) {
    uint64_t wanted = ~uint64_t{0};
    if (word == first / 64)
      wanted &= ~uint64_t{0} << first % 64;
    if (word == last / 64)
      wanted &= ~uint64_t{0} >> (63 - last % 64);
    if ((count.touched[word] & wanted) != wanted)
      return false;
  }
  return true;
}

void InstructionRecorder::touch(Count &count, Warp &warp, const Instr &i, uint32_t mask, uint32_t bytes) {
  alignas(32) uint64_t addresses[kLanes]; // read before a load overwrites the register of the addresses
  addressesOf(warp, i, addresses);
  if (mask == kAllLanes) { // loops usually touch the same bytes again, so that nothing is new
    uint64_t low = addresses[0], high = addresses[0];
    for (int l = 1; l < kLanes; ++l)
      low = std::min(low, addresses[l]), high = std::max(high, addresses[l]);
    if (low >= kSharedBase &&
        allTouched(count, (low - kSharedBase) / kGranule, (high - kSharedBase + bytes - 1) / kGranule))
      return;
  }
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    uint64_t at = addresses[std::countr_zero(rest)];
    if (at < kSharedBase)
      continue;
    uint64_t first = (at - kSharedBase) / kGranule, last = (at - kSharedBase + bytes - 1) / kGranule;
    for (uint64_t granule = first; granule <= last; ++granule) {
      if (granule / 64 >= count.touched.size()) {
        // No block has more shared memory, so such an access will fault.
        constexpr uint64_t kMost = (1 << 18) / kGranule;
        if (granule >= kMost)
          break;
        count.touched.resize(granule / 64 + 1);
      }
      count.touched[granule / 64] |= uint64_t{1} << granule % 64;
    }
  }
}

Step InstructionRecorder::count(Warp &warp, const Instr &i, uint32_t mask) {
  InstructionRecorder &self = *static_cast<RecordedGrid *>(warp.block->grid)->recorder;
  uint32_t pc = warp.block->grid->pcOf(i);
  if (!self.counting_.load(std::memory_order_relaxed))
    return self.replaced_[pc].run(warp, i, mask);
  Shard &shard = self.shard();
  if (++shard.counted > self.limit_)
    self.counting_ = false;
  Count &count = shard.counts[pc];
  uint64_t block = warp.block->linear, begin = warp.time - i.cost;
  Last &last = shard.last[(block * 64 + warp.id) % kWarps];
  if (last.warp == &warp && last.block == block && begin > last.time)
    (last.slept ? shard.counts[last.pc] : count).cycles += begin - last.time;
  const Replaced &replaced = self.replaced_[pc];
  if (uint32_t lanes = mask & replaced.lanes; lanes && replaced.bytes > 0) {
    count.bytes += uint64_t{replaced.bytes} * static_cast<uint32_t>(std::popcount(lanes));
    if (i.space == Space::Shared)
      self.touch(count, warp, i, lanes, replaced.bytes);
  }
  uint64_t issued = warp.block->async.issued();
  Step step = replaced.run(warp, i, mask);
  ++count.executed;
  if (warp.block->async.issued() != issued)
    for (const AsyncOp &op : warp.block->async.all())
      count.copied += op.order >= issued ? op.bytes : 0;
  count.cycles += warp.time - begin;
  last = {&warp, block, warp.time, pc, step == Step::Blocked};
  return step;
}

void InstructionRecorder::record(const BankConflicts *conflicts, RunRecord &out) const {
  out.ptx = nullptr;
  out.instructions.clear();
  if (!counting_)
    return;
  out.ptx = program_.module->source;
  for (size_t pc = 0; pc < program_.code.size(); ++pc) {
    const Instr &instr = program_.code[pc];
    InstructionRecord entry;
    entry.place = program_.function->instructions[instr.source].begin;
    std::vector<uint64_t> touched;
    uint64_t bytes = 0;
    for (const auto &shard : shards_) {
      const Count &count = shard->counts[pc];
      entry.executed += count.executed, entry.cycles += count.cycles, bytes += count.bytes;
      entry.copiedBytes += count.copied;
      touched.resize(std::max(touched.size(), count.touched.size()));
      for (size_t i = 0; i < count.touched.size(); ++i)
        touched[i] |= count.touched[i];
    }
    if (entry.executed == 0)
      continue;
    (instr.space == Space::Shared ? entry.sharedBytes : entry.globalBytes) = bytes;
    entry.conflicts = conflicts ? conflicts->wavefrontsAt(pc) : 0;
    for (int64_t granule = 0, bits = static_cast<int64_t>(touched.size()) * 64; granule < bits; ++granule) {
      if (!(touched[static_cast<size_t>(granule) / 64] >> granule % 64 & 1))
        continue;
      if (entry.shared.empty() || entry.shared.back().second != granule * kGranule)
        entry.shared.emplace_back(granule * kGranule, granule * kGranule);
      entry.shared.back().second += kGranule;
    }
    out.instructions.push_back(std::move(entry));
  }
}

} // namespace lanescope::core::emulator
