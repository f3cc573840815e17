// Reads the state of a stopped run.
#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/debug/Debugger.h"
#include "core/gpu/emulator/debug/DebuggerState.h"
#include "core/gpu/emulator/machine/Names.h"
#include "core/gpu/emulator/schedule/Deadlock.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <cstring>

namespace lanescope::core {

using namespace emulator;

// --- running blocks and warps ----------------------------------------------------------------------------------------

uint64_t Debugger::State::clusterOf(uint32_t block) const {
  const Grid &g = grid();
  auto [device, own] = deviceBlockOf(machine->launch(), block);
  uint32_t x = own % g.size[0], y = own / g.size[0] % g.size[1], z = own / g.size[0] / g.size[1];
  uint64_t across = g.size[0] / g.cluster[0], down = g.size[1] / g.cluster[1];
  return device * g.clusterCount() + x / g.cluster[0] + across * (y / g.cluster[1] + down * (z / g.cluster[2]));
}

std::vector<Block *> Debugger::State::blocks() const {
  std::vector<Block *> out;
  for (auto [cluster, index] : machine->resident())
    for (const auto &block : cluster->blocks)
      if (!cluster->finished(block->clusterRank))
        out.push_back(block.get());
  return out;
}

Block *Debugger::State::blockOf(uint32_t wanted) const {
  uint64_t index = clusterOf(wanted);
  for (auto [cluster, number] : machine->resident())
    if (number == index)
      for (const auto &block : cluster->blocks)
        if (numberOf(*block) == wanted)
          return block.get();
  return nullptr;
}

Warp *Debugger::State::warpOf(WarpRef ref) const {
  Block *block = blockOf(ref.block);
  return block && ref.warp < block->warps.size() ? &block->warps[ref.warp] : nullptr;
}

CodePlace Debugger::State::splitPlace(const Warp &warp, const Split &split) const {
  uint32_t pc =
      split.state == SplitState::AtBarrier ? split.pc - 1 : split.pc; // the split's pc is already after the `bar.sync`
  CodePlace place = code.place(pc, split.mask);
  if (split.state != SplitState::Ready && pc < code.size())
    place.waitsFor = awaited(*warp.block, warp.id, grid().program->code[pc], split.state, split.waitFor);
  return place;
}

std::vector<WarpPlace> Debugger::warps() const {
  std::vector<WarpPlace> out;
  for (const Block *block : state_->blocks())
    for (const Warp &warp : block->warps) {
      WarpPlace &place = out.emplace_back();
      place.warp = refOf(warp);
      place.blockId = block->id;
      place.cycle = warp.time;
      if (warp.live == 0)
        continue;
      for (size_t n = 0; n < warp.splits.size(); ++n) {
        const Split &split = warp.splits[(warp.current + n) % warp.splits.size()];
        if (split.state != SplitState::Free && split.state != SplitState::Merging && split.mask)
          place.places.push_back(state_->splitPlace(warp, split));
      }
    }
  return out;
}

// --- registers -------------------------------------------------------------------------------------------------------

std::optional<Debugger::State::Register> Debugger::State::registerNamed(std::string_view name) const {
  auto it = registers.find(name);
  return it == registers.end() ? std::nullopt : std::optional(it->second);
}

RegisterValue Debugger::State::registerValue(const Warp &warp, std::string_view name, Register at) const {
  RegisterValue value{std::string(name), at.bits, {}};
  const std::byte *from = warp.regs + at.slot;
  size_t bytes = std::min<uint32_t>(at.bits, 64) / 8;
  uint32_t lanes = 0;
  if (at.bits == 1)
    std::memcpy(&lanes, from, sizeof lanes);
  for (uint32_t lane = 0; lane < 32; ++lane)
    if (at.bits == 1)
      value.lanes[lane] = lanes >> lane & 1;
    else
      std::memcpy(&value.lanes[lane], from + lane * bytes, bytes);
  return value;
}

std::vector<RegisterValue> Debugger::registers(WarpRef ref) const {
  std::vector<RegisterValue> out;
  const Warp *warp = state_->warpOf(ref);
  if (!warp)
    return out;
  for (const auto &[name, at] : state_->registers)
    out.push_back(state_->registerValue(*warp, name, at));
  // Sorts by number: %r9 comes before %r10.
  std::ranges::sort(out, [](const RegisterValue &a, const RegisterValue &b) {
    size_t digitsA = a.name.find_first_of("0123456789"), digitsB = b.name.find_first_of("0123456789");
    auto prefix = a.name.compare(0, digitsA, b.name, 0, digitsB);
    if (prefix)
      return prefix < 0;
    return a.name.size() != b.name.size() ? a.name.size() < b.name.size() : a.name < b.name;
  });
  return out;
}

std::optional<RegisterValue> Debugger::registerOf(WarpRef ref, std::string_view name) const {
  const Warp *warp = state_->warpOf(ref);
  auto at = state_->registerNamed(name);
  if (!warp || !at)
    return std::nullopt;
  return state_->registerValue(*warp, name, *at);
}

// --- operations in flight --------------------------------------------------------------------------------------------

namespace {

std::string wordsOf(const Grid &grid, uint32_t linear) {
  return blockWords(grid.size, grid.devices, {grid.device, linear});
}
std::string wordsOf(const Block &block) { return wordsOf(*block.grid, block.linear); }

std::string globalWords(const Grid &grid, uint64_t address) {
  uint64_t offset = 0;
  if (const Region *region = regionOf(grid, address, offset))
    return text("byte ", offset, " of ", region->name);
  return text("address ", address);
}

std::string tileWords(const Grid &grid, const Tile &tile) {
  std::string at;
  int shown = tile.chosenRows ? 5 : tile.map.rank;
  for (int n = tile.chosenRows ? 0 : shown - 1; n >= 0 && n < shown; n += tile.chosenRows ? 1 : -1)
    at += text(at.empty() ? "" : ", ", tile.coordinates[static_cast<size_t>(n)]);
  uint64_t offset = 0;
  const Region *region = regionOf(grid, tile.map.global, offset);
  return text("the tile at (", at, ") of ", region ? region->name : std::string("an array"));
}

/// Sets the flight's source and target, and the shared memory that the copy touches.
void describe(const Block &block, const AsyncOp &op, Flight &flight) {
  const Grid &grid = *block.grid;
  auto sharedIn = [&](uint32_t rank, uint32_t address) {
    const Block *target = blockOfRank(block, rank);
    flight.sharedAddress = address;
    flight.sharedBlock = numberOf(target ? *target : block);
    return text(describeShared(block, address),
                !target || target == &block ? std::string() : text(" of ", wordsOf(*target)));
  };
  std::visit(
      [&](const auto &what) {
        using What = std::remove_cvref_t<decltype(what)>;
        if constexpr (requires { what.tile; })
          (isStore(op) ? flight.to : flight.from) = tileWords(grid, what.tile);
        else if constexpr (requires { what.global; })
          (isStore(op) ? flight.to : flight.from) = globalWords(grid, what.global);
        else if constexpr (std::is_same_v<What, SharedCopy>)
          flight.from = text("shared memory of ", wordsOf(block));
        else if constexpr (std::is_same_v<What, RemoteStore>)
          flight.from = "registers";
        else if constexpr (std::is_same_v<What, LaunchAnswer>)
          flight.from = "the launch";
        if constexpr (requires { uint32_t{what.from}; })
          if (isStore(op))
            flight.from = sharedIn(block.clusterRank, static_cast<uint32_t>(what.from));
        if constexpr (requires { what.to.rank; })
          flight.to = sharedIn(what.to.rank, what.to.address);
        else if constexpr (requires { what.to; })
          flight.to = sharedIn(block.clusterRank, what.to);
      },
      op.what);
  if (const Signal *signal = signalOf(op)) {
    const Block *target = blockOfRank(block, signal->rank);
    flight.signals = describeMbarrier(target ? *target : block, signal->mbarrier);
    if (target && target != &block)
      flight.signals += text(" of ", wordsOf(*target));
  }
}

Flight flightOf(const CodeTable &code, const Block &block, const AsyncOp &op) {
  Flight flight;
  flight.kind = Flight::Kind::Copy;
  const Block *issuer = blockOfRank(block, op.rank);
  flight.warp = {numberOf(issuer ? *issuer : block), op.warp};
  flight.lane = op.lane;
  flight.place = code.place(block.grid->pcOf(*op.instr), 1u << op.lane);
  flight.issued = op.issued;
  flight.due = op.time;
  flight.bytes = op.bytes;
  flight.landed = op.landed;
  describe(block, op, flight);
  return flight;
}

} // namespace

std::vector<Flight> Debugger::flights() const {
  std::vector<Flight> out;
  const CodeTable &code = state_->code;
  const Instr *first = state_->machine->program().code.data();
  for (const Block *block : state_->blocks()) {
    size_t copies = out.size();
    for (const AsyncOp &op : block->async.all())
      out.push_back(flightOf(code, *block, op));
    for (const AsyncOp &op : block->landing)
      out.push_back(flightOf(code, *block, op));
    for (const Warp &warp : block->warps) {
      for (const AsyncOp &op : warp.held)
        out.push_back(flightOf(code, *block, op));
      for (const WgmmaOp &op : warp.wgmma.ops) {
        Flight &flight = out.emplace_back();
        flight.kind = Flight::Kind::Wgmma;
        flight.warp = refOf(warp);
        flight.place = code.place(static_cast<uint32_t>(op.instr - first), kAllLanes);
        flight.due = op.ready;
        flight.landed = op.computed;
        flight.from = op.group == UINT64_MAX ? "not committed" : text("group ", op.group);
      }
    }
    std::ranges::stable_sort(out.begin() + static_cast<long>(copies), out.end(), {}, &Flight::due);
    for (const Tcgen05Op &op : block->tensorCore.ops) {
      Flight &flight = out.emplace_back();
      flight.kind = Flight::Kind::TensorCore;
      const Block *issuer = blockOfRank(*block, op.rank);
      flight.warp = {numberOf(issuer ? *issuer : *block), op.warp};
      flight.lane = op.lane;
      flight.place = code.place(static_cast<uint32_t>(op.instr - first), 1u << op.lane);
      flight.issued = op.issued;
      flight.due = op.end;
    }
  }
  return out;
}

// --- shared and tensor memory ----------------------------------------------------------------------------------------

SharedMemory Debugger::shared(uint32_t number, uint32_t address, uint32_t bytes) const {
  SharedMemory out;
  Block *block = state_->blockOf(number);
  if (!block)
    return out;
  auto size = static_cast<uint32_t>(block->shared.size());
  uint32_t first = std::min(std::max(address, kSharedBase) - kSharedBase, size);
  uint32_t end = bytes ? first + std::min(bytes, size - first) : size;
  out.address = kSharedBase + first;
  out.bytes.assign(block->shared.begin() + first, block->shared.begin() + end);
  std::vector<Flight> all = flights();
  for (uint32_t n = 0; n < all.size(); ++n)
    if (const Flight &flight = all[n]; flight.sharedAddress && flight.sharedBlock == number &&
                                       *flight.sharedAddress < kSharedBase + end &&
                                       *flight.sharedAddress + std::max(flight.bytes, 1u) > out.address)
      out.flights.push_back(n);
  if (!block->checks)
    return out;
  Checker &checker = *block->checks;
  const Ordering &order = checker.order;
  uint32_t granule = checker.shared.granule();
  uint32_t lastPc = kNone;
  Agent lastAgent = 0;
  for (uint32_t at = out.address / granule * granule; at < kSharedBase + end; at += granule) {
    const Use *use = checker.shared.writerOf(block->clusterRank, at);
    uint32_t pc = use ? use->pc : kNone;
    Agent agent = use ? use->agent : 0;
    if (!out.writers.empty() && pc == lastPc && agent == lastAgent) {
      out.writers.back().bytes += granule;
      continue;
    }
    lastPc = pc;
    lastAgent = agent;
    SharedWriter &writer = out.writers.emplace_back();
    writer.address = at;
    writer.bytes = granule;
    if (!use)
      continue;
    uint32_t owner = agent % order.warps();
    std::string warp = text("warp ", owner % order.warpsPerBlock());
    if (!order.oneBlock())
      warp += text(" of ", wordsOf(*block->grid, block->linear - block->clusterRank + owner / order.warpsPerBlock()));
    switch (order.kindOf(agent)) {
    case AsyncUnit::Warp: writer.who = warp; break;
    case AsyncUnit::Mbarrier: writer.who = "a copy"; break;
    default: writer.who = "a copy of " + warp;
    }
    writer.place = state_->code.place(pc, 0);
  }
  return out;
}

uint32_t Debugger::dynamicShared() const {
  return kSharedBase + static_cast<uint32_t>(state_->grid().program->dynamicBase);
}

TensorMemoryState Debugger::tensorMemory(uint32_t number) const {
  TensorMemoryState out;
  const Block *block = state_->blockOf(number);
  if (!block || !block->tmem.cells)
    return out;
  for (const TmemAllocation &one : block->tmem.allocations)
    out.allocations.push_back({one.first, one.columns, one.freed != nullptr});
  out.columns = kTensorColumns;
  out.cells.reserve(size_t{kTensorLanes} * kTensorColumns);
  for (const auto &lane : block->tmem.cells->cells)
    out.cells.insert(out.cells.end(), std::begin(lane), std::end(lane));
  return out;
}

// --- barriers --------------------------------------------------------------------------------------------------------

std::vector<BarrierState> Debugger::barriers(uint32_t number) const {
  std::vector<BarrierState> out;
  const Block *block = state_->blockOf(number);
  if (!block)
    return out;
  auto waiting = [&](SplitState state, uint32_t waitFor) {
    std::vector<WarpRef> warps;
    for (const Warp &warp : block->warps)
      if (std::ranges::any_of(warp.splits, [&](const Split &s) { return s.state == state && s.waitFor == waitFor; }))
        warps.push_back({number, warp.id});
    return warps;
  };
  for (const Mbarrier &one : block->mbarriers.all()) {
    BarrierState &barrier = out.emplace_back();
    barrier.address = one.address;
    barrier.name = block->grid->noteOf(block->grid->program->code[one.initialised]);
    barrier.phase = one.phase;
    barrier.expected = one.expected;
    barrier.pending = one.pending;
    barrier.bytes = one.tx;
    barrier.waiting = waiting(SplitState::AtMbarrier, one.address);
  }
  for (uint32_t n = 0; n < kNamedBarriers; ++n) {
    const NamedBarrier &one = block->barriers[n];
    if (!one.open && one.phase == 0)
      continue;
    BarrierState &barrier = out.emplace_back();
    barrier.named = true;
    barrier.address = n;
    barrier.name = block->grid->noteOf(block->grid->program->code[one.instruction]);
    barrier.phase = one.phase;
    barrier.expected = one.expected ? one.expected : block->liveWarps * 32;
    barrier.pending = barrier.expected - std::min(one.arrived, barrier.expected);
    barrier.waiting = waiting(SplitState::AtBarrier, n);
  }
  return out;
}

// --- the rest --------------------------------------------------------------------------------------------------------

std::vector<Array> Debugger::arrays() const { return state_->machine->image().arrays(); }

std::string Debugger::printed() const {
  std::map<uint32_t, std::string> words = state_->machine->leavings().printed;
  for (auto [cluster, index] : state_->machine->resident())
    for (const auto &block : cluster->blocks)
      if (!block->printed.empty())
        words[numberOf(*block)] = block->printed;
  std::string out;
  for (const auto &[block, text] : words)
    out += text;
  return out;
}

Diagnostics Debugger::findings() const {
  Diagnostics out = state_->machine->leavings().findings;
  for (auto [cluster, index] : state_->machine->resident())
    for (const auto &block : cluster->blocks)
      out.insert(out.end(), block->findings.begin(), block->findings.end());
  return out;
}

uint32_t Debugger::snippetLineOf(uint32_t ptxLine) const {
  for (uint32_t pc = 0; pc < state_->code.size(); ++pc)
    if (state_->code.line(pc, false) == ptxLine)
      return state_->code.line(pc, true);
  return 0;
}

std::vector<uint32_t> Debugger::linesWithCode(bool inSnippet) const { return state_->code.lines(inSnippet); }

} // namespace lanescope::core
