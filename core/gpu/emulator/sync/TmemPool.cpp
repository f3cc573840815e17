#include "core/gpu/emulator/sync/TmemPool.h"

#include "core/gpu/emulator/check/Checker.h"
#include "core/gpu/emulator/machine/Cluster.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Names.h"
#include "core/gpu/emulator/record/FlightRecorder.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace lanescope::core::emulator {

namespace {

bool isFree(const TensorMemory &memory, uint32_t column) {
  const TmemAllocation *owner = memory.owner(column);
  return !owner || owner->freed;
}

/// The first of `columns` adjacent columns that are free in both memories; kTensorColumns if there are no such columns.
uint32_t findColumns(const TensorMemory &memory, const TensorMemory *other, uint32_t columns) {
  uint32_t run = 0;
  for (uint32_t column = 0; column < kTensorColumns; column += kTmemUnit) {
    run = isFree(memory, column) && (!other || isFree(*other, column)) ? run + kTmemUnit : 0;
    if (run == columns)
      return column + kTmemUnit - columns;
  }
  return kTensorColumns;
}

void take(Block &block, const Instr &i, uint32_t warp, uint32_t first, uint32_t columns, bool pair) {
  TensorMemory &memory = block.tmem;
  if (!memory.cells) {
    memory.cells = std::make_unique<TensorCells>();
    std::memset(memory.cells->cells, std::to_integer<int>(block.grid->unwritten), sizeof(memory.cells->cells));
  }
  uint32_t epoch = 0;
  if (block.checks) {
    auto number = static_cast<Agent>(block.checks->order.numberOf(block.warps[warp]));
    epoch = block.checks->order.view(number).seen[number];
  }
  memory.allocations.push_back({first, columns, pair, warp, &i, nullptr, epoch});
  for (uint32_t column = first; column < first + columns; column += kTmemUnit)
    memory.owners[column / kTmemUnit] = static_cast<uint32_t>(memory.allocations.size());
  ++block.effects;
  if (block.checks)
    block.checks->tensor.allocated(block.clusterRank, first, columns);
}

/// Wakes the sleeping warps, so that they repeat their requests.
void wakeWaiters(Block &block, uint64_t time) {
  ++block.effects;
  for (Warp &warp : block.warps)
    for (Split &split : warp.splits)
      if (split.state == SplitState::AtTmem) {
        split.state = SplitState::Ready;
        if (FlightRecorder *flights = block.grid->flights)
          flights->woken(warp, split, FlightRecorder::Wait::TensorMemory, time);
        warp.time = std::max(warp.time, time);
        warp.runnable = true;
      }
}

Step sleep(Warp &warp, uint32_t waitFor) {
  warp.split().state = SplitState::AtTmem;
  warp.split().waitFor = waitFor;
  return Step::Blocked;
}

bool checkRequest(Warp &warp, const Instr &i, uint32_t columns) {
  const TensorMemory &memory = warp.block->tmem;
  const Grid &grid = *warp.block->grid;
  if (!std::has_single_bit(columns) || columns < kTmemUnit || columns > kTensorColumns) {
    fault(warp, i, "tmem-allocation",
          Message("the allocation has {columns} columns of tensor memory; a power of two from 32 to 512 is possible",
                  columns));
    return false;
  }
  if (memory.relinquished) {
    fault(warp, i, "tmem-permit",
          Message("`{}` runs after its block has given up the right to allocate tensor memory", grid.opcodeOf(i)),
          kNone, {Note{grid.spanOf(*memory.relinquished), "it was given up here"}});
    return false;
  }
  constexpr std::string_view kOrderKind = "tmem-allocation-order";
  if (memory.allocations.empty() || memory.allocations.back().columns >= columns)
    return true;
  const TmemAllocation &earlier = memory.allocations.back();
  return !warp.block->checks || !isNews(*warp.block, kOrderKind, grid.pcOf(i), grid.pcOf(*earlier.by)) ||
         hazard(warp, i, std::string(kOrderKind),
                Message(
                    "this allocation of {columns} columns of tensor memory follows one of {}; a block's later ones may "
                    "not be larger than its earlier ones",
                    columns, earlier.columns),
                kNone, {Note{grid.spanOf(*earlier.by), "the earlier one is here"}});
}

Step allocateOfPair(Warp &warp, const Instr &i, uint32_t columns, uint32_t &first) {
  Block &block = *warp.block, *peer = pairOf(block);
  if (!peer)
    return fault(warp, i, "tcgen05-pair",
                 Message("`{}` is in a cluster of {count}: `.cta_group::2` needs pairs of blocks",
                         block.grid->opcodeOf(i), block.cluster->blocks.size()));
  auto ofWarp = [&](const TmemRequest &request) { return request.warp == warp.id; };
  std::vector<TmemRequest> &requests = block.tmem.requests;
  auto mine = std::ranges::find_if(requests, ofWarp);
  if (mine != requests.end() && mine->served) {
    first = mine->first;
    requests.erase(mine);
    return Step::Next;
  }
  if (mine == requests.end()) {
    if (!checkRequest(warp, i, columns))
      return Step::Fault;
    requests.push_back({warp.id, columns, 0, false, &i});
    mine = requests.end() - 1;
  }
  auto waits = [](const TmemRequest &request) { return !request.served; };
  auto theirs = std::ranges::find_if(peer->tmem.requests, waits);
  if (mine != std::ranges::find_if(requests, waits) || theirs == peer->tmem.requests.end())
    return sleep(warp, columns | kPeerWait);
  if (theirs->columns != columns)
    return fault(
        warp, i, "tcgen05-pair",
        Message("a pair of blocks allocates {columns} columns of tensor memory here, but {} in the other block",
                columns, theirs->columns),
        kNone, {Note{block.grid->spanOf(*theirs->instr), "the other block's allocation is here"}});
  first = findColumns(block.tmem, &peer->tmem, columns);
  if (first == kTensorColumns)
    return sleep(warp, columns);
  take(block, i, warp.id, first, columns, true);
  take(*peer, *theirs->instr, theirs->warp, first, columns, true);
  requests.erase(mine);
  theirs->served = true;
  theirs->first = first;
  wakeWaiters(block, warp.time);
  wakeWaiters(*peer, warp.time);
  return Step::Next;
}

/// Both blocks of a pair free their columns together (PTX ISA, tcgen05, "Issue Granularity"). The other block's uses of
/// them must be over. The warp must be ordered after the other block's allocation to show this. Returns false after a
/// fault.
bool checkPeer(Warp &warp, const Instr &i, const TmemAllocation &mine) {
  Block &block = *warp.block;
  Block *peer = pairOf(block);
  if (!block.checks || !peer)
    return true;
  const Ordering &order = block.checks->order;
  const View &met = block.checks->order.viewOf(warp); // any scope and any semantics count, because no memory is read
  for (const TmemAllocation &theirs : peer->tmem.allocations) {
    auto other = static_cast<Agent>(order.numberOf(peer->warps[theirs.warp]));
    if (!theirs.pair || theirs.first != mine.first || theirs.columns != mine.columns ||
        met.seen.covers(other, theirs.epoch) || met.narrow.covers(other, theirs.epoch) ||
        met.weak.covers(other, theirs.epoch))
      continue;
    fault(
        warp, i, "tcgen05-pair",
        Message("`{}` gives back columns of tensor memory that {} and {} have allocated as a pair, and nothing orders "
                "the other block's uses of them before",
                block.grid->opcodeOf(i), block.name(), peer->name()),
        kNone,
        {Note{block.grid->spanOf(*theirs.by), text(peer->name(), " allocates them here")},
         Note{block.grid->spanOf(i), "the missing barrier: `barrier.cluster`, or an mbarrier at which the other block "
                                     "arrives, before the deallocation"}});
    return false;
  }
  return true;
}

} // namespace

Block *pairOf(const Block &block) { return blockOfRank(block, block.clusterRank ^ 1); }

Step allocateTmem(Warp &warp, const Instr &i, uint32_t columns, bool pair, uint32_t &first) {
  if (pair)
    return allocateOfPair(warp, i, columns, first);
  if (!checkRequest(warp, i, columns))
    return Step::Fault;
  first = findColumns(warp.block->tmem, nullptr, columns);
  if (first == kTensorColumns)
    return sleep(warp, columns);
  take(*warp.block, i, warp.id, first, columns, false);
  return Step::Next;
}

Step freeTmem(Warp &warp, const Instr &i, uint32_t address, uint32_t columns, bool pair) {
  Block &block = *warp.block;
  const Grid &grid = *block.grid;
  TensorMemory &memory = block.tmem;
  TensorAddress at(address);
  std::vector<Note> notes;
  std::string problem;
  TmemAllocation *found = nullptr;
  for (TmemAllocation &allocation : memory.allocations)
    if (allocation.first == at.column && (!found || !allocation.freed))
      found = &allocation;
  if (found)
    notes.push_back({grid.spanOf(*found->by), "it was allocated here"});
  if (!found || at.lane != 0)
    problem = text("no allocation begins at ", describeTmem(address), "; allocated now: ", allocatedColumns(block));
  else if (found->freed)
    problem = text("it has been given back before");
  else if (found->columns != columns)
    problem = text("the allocation at ", describeTmem(address), " has ", found->columns, " columns, not ", columns);
  else if (found->pair != pair)
    problem = found->pair ? "it was allocated with `.cta_group::2`" : "it was allocated with `.cta_group::1`";
  if (!problem.empty()) {
    if (found && found->freed)
      notes.push_back({grid.spanOf(*found->freed), "it was given back here"});
    return fault(warp, i, "tmem-deallocation",
                 Message("`{}` cannot give back {columns} columns at {place}: {}", grid.opcodeOf(i), columns,
                         describeTmem(address), problem),
                 kNone, std::move(notes));
  }
  if (block.checks && !block.checks->tensor.freed(warp, i, block.clusterRank, found->first, found->columns))
    return Step::Fault;
  if (pair && !checkPeer(warp, i, *found))
    return Step::Fault;
  found->freed = &i;
  wakeWaiters(block, warp.time);
  if (Block *peer = pair ? pairOf(block) : nullptr)
    wakeWaiters(*peer, warp.time);
  return Step::Next;
}

uint32_t freeColumns(const Block &block) {
  uint32_t count = 0;
  for (uint32_t column = 0; column < kTensorColumns; column += kTmemUnit)
    count += isFree(block.tmem, column) ? kTmemUnit : 0;
  return count;
}

bool reportLeaks(Block &block) {
  for (const TmemAllocation &allocation : block.tmem.allocations)
    if (!allocation.freed && block.grid->checks) {
      fault(block.warps[allocation.warp], *allocation.by, "tmem-leak",
            Message("{} ends without giving back {columns} columns of tensor memory that it allocates here; "
                    "`tcgen05.dealloc` is missing",
                    block.name(), allocation.columns));
      return false;
    }
  return true;
}

} // namespace lanescope::core::emulator
