#include "core/gpu/emulator/replay/StorePairs.h"

#include "core/gpu/emulator/machine/Cluster.h"
#include "core/gpu/emulator/machine/StrongAccess.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

constexpr uint32_t kWordBytes = 2;
// Bounds on what is kept. Flags have few words, few threads and few places in the code.
constexpr size_t kMostOpen = 16, kMostWords = 4096, kMostThreads = 32, kMostPairs = 64, kMostKinds = 256;

} // namespace

bool StorePairs::mayFind(const Program &program) {
  bool loads = false, stores = false;
  for (uint32_t pc = 0; pc < program.code.size(); ++pc) {
    GlobalAccess access = globalAccessOf(program, pc);
    loads |= access == GlobalAccess::Load && program.code[pc].strong;
    stores |= access == GlobalAccess::Write;
  }
  return program.communicates && loads && stores;
}

bool StorePairs::mayFindLateAtomics(const Program &program) {
  const std::vector<bool> unused = atomicsWithUnusedResults(program);
  bool reads = false;
  for (uint32_t pc = 0; pc < program.code.size() && !reads; ++pc) {
    std::string_view opcode = program.function->instructions[program.code[pc].source].opcode;
    reads = globalAccessOf(program, pc) == GlobalAccess::Load
                ? program.code[pc].strong
                : globalAccessOf(program, pc) == GlobalAccess::Write && opcode.starts_with("atom") && !unused[pc];
  }
  return program.communicates && reads && std::ranges::find(unused, true) != unused.end();
}

void StorePairs::begin() {
  open_.clear();
  uses_.clear();
  arrays_.clear();
  pairs_.clear();
  count_ = 0;
}

bool StorePairs::concerns(const Program &, uint32_t pc) const { return orders_[pc] != StoreOrder::None; }

Step StorePairs::execute(Warp &warp, const Instr &i, uint32_t mask, Own own) {
  const uint32_t pc = warp.block->grid->pcOf(i);
  switch (orders_[pc]) {
  case StoreOrder::Full: // the instruction may order the stores of other lanes, too
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      open_.erase(threadOf(warp, lane));
    break;
  case StoreOrder::Fence:
    forLanes(mask, [&](uint32_t lane) {
      if (auto open = open_.find(threadOf(warp, lane)); open != open_.end())
        for (Store &store : open->second)
          store.fenced = true;
    });
    break;
  case StoreOrder::Load:
  case StoreOrder::Write: {
    if (!isStrong(warp.block->grid->opcodeOf(i), i))
      break;
    const bool writes = orders_[pc] == StoreOrder::Write;
    const bool reads = !writes || (warp.block->grid->opcodeOf(i).starts_with("atom") && !unused_[pc]);
    ++count_;
    forGlobalPlaces(warp, i, mask, [&](uint32_t lane, std::byte *, uint64_t address) {
      use(warp, lane, i, address, {reads, writes});
    });
    break;
  }
  case StoreOrder::None: break;
  }
  return own(warp, i, mask);
}

void StorePairs::findArray(const Warp &warp, Word word) {
  const Grid &grid = *warp.block->grid;
  uint64_t offset = 0;
  const Region *region = regionOf(grid, word * kWordBytes, offset);
  if (!region)
    return;
  auto number = static_cast<size_t>(region - grid.regions.data());
  if (number >= grid.firstCopy && number - grid.firstCopy < grid.copies)
    arrays_[word] = number - grid.firstCopy;
}

void StorePairs::use(const Warp &warp, uint32_t lane, const Instr &i, uint64_t address, Does does) {
  const uint32_t pc = warp.block->grid->pcOf(i);
  const uint64_t thread = threadOf(warp, lane), cluster = warp.block->cluster->blocks[0]->linear;
  for (Word word = address / kWordBytes; word * kWordBytes < address + i.access; ++word) {
    auto found = uses_.find(word);
    if (found == uses_.end() && uses_.size() == kMostWords)
      continue;
    if (found == uses_.end())
      findArray(warp, word);
    std::vector<Uses> &all = uses_[word];
    auto mine = std::ranges::find(all, thread, &Uses::thread);
    if (mine == all.end()) {
      if (all.size() == kMostThreads)
        continue;
      mine = all.insert(all.end(), {.thread = thread, .cluster = cluster});
    }
    for (auto [uses, times] : {std::pair(does.reads, &mine->reads), std::pair(does.writes, &mine->writes)})
      if (uses) {
        times->first = std::min(times->first, count_);
        times->last = count_;
      }
  }
  const Word word = address / kWordBytes;
  std::vector<Store> &open = open_[thread];
  for (const Store &store : open) {
    if (store.word == word || (pairs_.size() == kMostKinds && !pairs_.contains({store.pc, pc})))
      continue;
    std::vector<Pair> &pairs = pairs_[{store.pc, pc}];
    bool known = std::ranges::any_of(
        pairs, [&](const Pair &one) { return one.thread == thread && one.store == store.word && one.access == word; });
    if (!known && pairs.size() < kMostPairs)
      pairs.push_back(
          {thread, cluster, store.word, word, does.writes && !store.fenced && !i.releases, unused_[store.pc]});
  }
  if (!does.writes)
    return;
  std::erase_if(open, [&](const Store &store) { return store.word == word; });
  if (open.size() == kMostOpen)
    open.erase(open.begin());
  open.push_back({word, pc});
}

bool StorePairs::isClosed(const Pair &pair) const {
  auto stored = uses_.find(pair.store), accessed = uses_.find(pair.access);
  if (stored == uses_.end() || accessed == uses_.end())
    return false;
  for (const Uses &second : stored->second) {
    auto first = std::ranges::find(accessed->second, second.thread, &Uses::thread);
    if (second.thread / kLanes == pair.thread / kLanes || first == accessed->second.end())
      continue;
    uint64_t begin = pair.read ? std::min(first->reads.first, first->writes.first) : first->writes.first;
    uint64_t end = std::max(second.reads.last, second.writes.last);
    bool together = begin <= end && first->reads.last == second.reads.last && first->reads.last != 0;
    bool writes = first->writes.last != 0 || second.writes.last != 0;
    if (begin < end ? writes || together : together)
      return true;
  }
  return false;
}

bool StorePairs::isReadLater(const Pair &pair) const {
  auto stored = uses_.find(pair.store), accessed = uses_.find(pair.access);
  if (!pair.unused || !pair.read || stored == uses_.end() || accessed == uses_.end())
    return false;
  return std::ranges::any_of(stored->second, [&](const Uses &second) {
    auto first = std::ranges::find(accessed->second, second.thread, &Uses::thread);
    return second.cluster != pair.cluster && first != accessed->second.end() &&
           std::min(first->reads.first, first->writes.first) < second.reads.last;
  });
}

std::vector<StorePair> StorePairs::found() const {
  constexpr size_t kMostClusters = 2;
  std::vector<StorePair> out;
  for (const auto &[pcs, pairs] : pairs_)
    for (const Pair &pair : pairs) {
      auto sameStore = [&](const StorePair &one) { return one.store == pcs.first; };
      if (!isClosed(pair))
        continue;
      auto known = std::ranges::find_if(
          out, [&](const StorePair &one) { return sameStore(one) && one.cluster == pair.cluster; });
      if (known != out.end() && orders_[known->access] != StoreOrder::Load && orders_[pcs.second] == StoreOrder::Load)
        known->access = pcs.second; // a fence of any kind may keep two stores in order, but only `fence.sc` a load
      if (known == out.end() && std::ranges::count_if(out, sameStore) < static_cast<std::ptrdiff_t>(kMostClusters))
        known = out.insert(out.end(), {pcs.first, pcs.second, pair.cluster});
      if (known != out.end())
        known->lateAtomic = known->lateAtomic || isReadLater(pair);
    }
  return out;
}

std::vector<size_t> StorePairs::arrays() const {
  std::vector<size_t> out;
  for (const auto &[pcs, pairs] : pairs_)
    for (const Pair &pair : pairs)
      for (Word word : {pair.store, pair.access})
        if (auto array = arrays_.find(word); array != arrays_.end() && isClosed(pair))
          out.push_back(array->second);
  return out;
}

} // namespace lanescope::core::emulator
