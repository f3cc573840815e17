#include "core/gpu/emulator/record/DeviceLinks.h"

#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/machine/CostModel.h"
#include "core/gpu/emulator/machine/Lanes.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

constexpr uint64_t kSlowTransfer = 20'000; // the smallest delay on a slow link, in cycles; the largest is twice that

uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull + 0x9E3779B97F4A7C15ull;
  return x ^ (x >> 31);
}

} // namespace

void Links::attach(Program &program) {
  program_ = &program;
  accesses_.assign(program.code.size(), Access{});
  for (size_t pc = 0; pc < program.code.size(); ++pc) {
    Instr &instr = program.code[pc];
    std::string_view opcode = program.function->instructions[instr.source].opcode;
    bool global = instr.space == Space::Global || instr.space == Space::Generic;
    bool load = opcode.starts_with("ld.") || opcode.starts_with("multimem.ld_reduce");
    bool atomic = opcode.starts_with("atom") || opcode.starts_with("red.") || opcode.starts_with("multimem.red");
    bool store = opcode.starts_with("st.") || opcode.starts_with("multimem.st");
    if (!instr.run || !global || instr.access == 0 || (!load && !atomic && !store))
      continue;
    // An atomic that acquires and does not release is a wait, which consumes the count.
    bool waits = opcode.starts_with("atom") && instr.acquires && !instr.releases;
    accesses_[pc] = {instr.run, load || opcode.starts_with("atom"), atomic || store, atomic || instr.strong, !waits};
    instr.run = &follow;
  }
}

void Links::clear() {
  for (std::atomic<uint64_t> &bytes : bytes_)
    bytes = 0;
  flags_.clear();
  arrows_.clear();
  transfers_.clear();
}

Links::Memory Links::memory() const {
  return {{bytes_.begin(), bytes_.end()}, flags_, arrows_.size(), transfers_.size()};
}

void Links::restore(const Memory &memory) {
  std::ranges::copy(memory.bytes, bytes_.begin());
  flags_ = memory.flags;
  arrows_.resize(std::min(arrows_.size(), memory.arrows));
  transfers_.resize(std::min(transfers_.size(), memory.transfers));
}

bool Links::count(const Grid &grid, uint64_t address, uint64_t bytes, bool reads) {
  uint64_t offset = 0;
  const Region *region = regionOf(grid, address, offset);
  if (!region || (region->device == grid.device && !region->spreadBytes))
    return false;
  for (uint32_t device = 0; device < devices_; ++device)
    if (device != grid.device && (region->spreadBytes || device == region->device))
      bytes_[reads ? size_t{device} * devices_ + grid.device : size_t{grid.device} * devices_ + device].fetch_add(
          bytes, std::memory_order_relaxed);
  return true;
}

Links::Point Links::pointOf(const Warp &warp) { return {warp.block->grid->device, warp.id, warp.block->id, warp.time}; }

void Links::signal(const Warp &warp, const Instr &i, uint64_t address) {
  Flag &flag = flags_[address];
  auto &[times, pc] = flag.signals.byDevice[warp.block->grid->device];
  ++times;
  pc = warp.block->grid->pcOf(i);
  flag.last = pointOf(warp);
  ++flag.count;
}

void Links::look(const Warp &warp, uint64_t address) {
  auto found = flags_.find(address);
  if (found == flags_.end())
    return;
  Flag &flag = found->second;
  uint64_t &seen = flag.seen[{warp.block->grid->device, warp.block->linear, warp.id}];
  if (seen < flag.count && flag.last.device != warp.block->grid->device && arrows_.size() < kMostEntries)
    arrows_.push_back({flag.last, pointOf(warp)});
  seen = flag.count;
}

Step Links::follow(Warp &warp, const Instr &i, uint32_t mask) {
  const Grid &grid = *warp.block->grid;
  Links &self = *grid.links;
  const Access &access = self.accesses_[grid.pcOf(i)];
  if (!self.recording_)
    return access.run(warp, i, mask);
  alignas(32) uint64_t addresses[kLanes]; // read before a load overwrites the register of the addresses
  addressesOf(warp, i, addresses);
  Step done = access.run(warp, i, mask);
  if (done == Step::Fault)
    return done;
  bool remote = false;
  uint64_t last = 0;
  forLanes(mask, [&](uint32_t l) {
    remote |= self.count(grid, addresses[l], i.access, !access.writes);
    if (!access.strong || addresses[l] == last)
      return;
    last = addresses[l];
    uint64_t offset = 0;
    const Region *spread = spreadOf(grid, last, offset);
    for (uint32_t device = 0; device < (spread ? grid.devices : 1); ++device) {
      uint64_t place = spread ? copyAddress(grid, *spread, device, offset) : last;
      if (access.reads)
        self.look(warp, place);
      if (access.writes && access.signals)
        self.signal(warp, i, place);
    }
  });
  if (remote && access.reads)
    warp.loadsReady = std::max(warp.loadsReady, warp.time + cost::kGlobalLatency + cost::kLinkLatency);
  return done;
}

void Links::issued(const Block &block, AsyncOp &op) {
  const Grid &grid = *block.grid;
  uint64_t address = std::visit(
      [](const auto &what) -> uint64_t {
        if constexpr (requires { what.tile; })
          return what.tile.map.global;
        else if constexpr (requires { what.global; })
          return what.global;
        else
          return 0;
      },
      op.what);
  bool reads = !isStore(op);
  if (!count(grid, address, op.bytes, reads))
    return;
  uint64_t offset = 0;
  const Region *region = regionOf(grid, address, offset);
  op.time += cost::kLinkLatency + (slow_ ? kSlowTransfer + mixed(*slow_ ^ op.time) % kSlowTransfer : 0);
  if (!recording_)
    return;
  std::lock_guard lock(mutex_);
  for (uint32_t device = 0; device < devices_ && transfers_.size() < kMostEntries; ++device)
    if (device != grid.device && (region->spreadBytes || device == region->device))
      transfers_.push_back({reads ? device : grid.device, reads ? grid.device : device, op.issued, op.time, op.bytes,
                            text(grid.opcodeOf(*op.instr), ", ", grid.lineOf(*op.instr))});
}

const Links::Signals *Links::signalsAt(uint64_t address) const {
  auto found = flags_.find(address);
  return found == flags_.end() ? nullptr : &found->second.signals;
}

std::string Links::summary() const {
  std::string out;
  for (uint32_t from = 0; from < devices_; ++from)
    for (uint32_t to = 0; to < devices_; ++to)
      if (uint64_t carried = bytes(from, to))
        out += text(out.empty() ? "" : ", ", "device ", from, " to device ", to, ": ", carried, " bytes");
  return out;
}

} // namespace lanescope::core::emulator
