#include "core/gpu/emulator/check/GlobalShadow.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace lanescope::core::emulator {

GlobalShadow::GlobalShadow(std::span<Grid *const> grids, bool judges) : judges(judges), flags(grids.size()) {
  const Grid &any = *grids[0];
  shift_ = static_cast<uint32_t>(std::countr_zero(any.program->globalGranule));
  lineShift_ = shift_ + static_cast<uint32_t>(std::countr_zero(kGranules));
  pageShift_ = lineShift_ + static_cast<uint32_t>(std::countr_zero(kPageLines));
  clustersOfDevice = static_cast<uint32_t>(any.clusterCount());
  for (const Grid *grid : grids)
    for (const Region &region : grid->regions) {
      pages_.resize(std::max<size_t>(pages_.size(), region.shadow + 1));
      pages_[region.shadow].resize((region.bytes >> pageShift_) + 1);
    }
}

Cell *GlobalShadow::cells(GlobalLine &line) {
  if (line.detail() == 0) {
    GlobalLine old = line;
    line.parts = 0;
    if (freeDetails_.empty()) {
      line.other = detailCount_++;
      if (line.other / kDetailLines == details_.size())
        details_.emplace_back(std::make_unique_for_overwrite<Details>());
    } else {
      line.other = freeDetails_.back();
      freeDetails_.pop_back();
    }
    Cell *cells = knownCells(line);
    for (uint32_t n = 0; n < kGranules; ++n)
      cells[n] = cellOf(old, n);
  }
  return knownCells(line);
}

void GlobalShadow::join(GlobalLine &line, Cell cell) {
  if (uint32_t detail = line.detail())
    freeDetails_.push_back(detail);
  line.become(cell);
}

uint32_t GlobalShadow::addReader(uint32_t reads, GlobalUse reader, const Clock &seen) {
  const GlobalUse &head = uses_[reads];
  if (reads && hasReader(reads, reader))
    return reads;
  if (!reads || (head.cluster != reader.cluster && !head.rest)) {
    reader.rest = reads;
    return add(reader);
  }
  bool foreign = false;
  return uses_.addReader(reads, reader, [&](const GlobalUse &use) {
    return use.cluster != reader.cluster ? !std::exchange(foreign, true)
                                         : use.agent != reader.agent && !seen.covers(use.agent, use.epoch);
  });
}

LaneSet GlobalShadow::lanesAt(const GlobalUse &use, bool writes, size_t region, uint64_t offset) const {
  if (!LaneForms::isScattered(use.lanes))
    return forms.lanesAt(use.lanes, offset);
  const auto &regions = marks_[writes];
  uint64_t page = offset >> pageShift_;
  if (region >= regions.size() || page >= regions[region].size() || !regions[region][page])
    return {};
  return regions[region][page]->at(static_cast<uint32_t>(offset >> shift_) & (kPageGranules - 1), use.lanes,
                                   forms.together(use.lanes));
}

void GlobalShadow::mark(const Mark &mark, Stretch stretch) {
  auto &regions = marks_[mark.writes];
  if (regions.size() <= stretch.region)
    regions.resize(pages_.size());
  auto &pages = regions[stretch.region];
  if (pages.empty())
    pages.resize(pages_[stretch.region].size());
  for (uint64_t offset = stretch.offset, end = offset + stretch.bytes; offset < end; offset += granule()) {
    Own<Marks> &page = pages[offset >> pageShift_];
    if (!page) [[unlikely]]
      page = Own<Marks>(std::make_unique<Marks>());
    page->set(static_cast<uint32_t>(offset >> shift_) & (kPageGranules - 1), mark.form, mark.lane, mark.merges);
  }
}

void GlobalShadow::sweep() {
  ++sweeps;
  size_t looked = 0;
  uses_.sweep([&](auto move) {
    auto moveCell = [&](Cell &cell) {
      ++looked;
      cell = {move(cell.write), move(cell.reads)};
    };
    for (auto &region : pages_) {
      looked += region.size();
      for (auto &page : region)
        if (page)
          for (GlobalLine &line : page->lines) {
            if (line.detail())
              std::for_each_n(knownCells(line), kGranules, moveCell);
            else if (line.parts)
              line.other = move(line.other & ~GlobalLine::kReads) | (line.other & GlobalLine::kReads);
            moveCell(line.all);
          }
    }
  });
  sweepAt_ = uses_.size() + std::max({kSweepAt, uses_.size(), looked});
}

bool GlobalShadow::conflictsWith(const GlobalShadow &other) const {
  auto conflict = [](const Cell &a, const Cell &b) {
    return (a.write && (b.write || b.reads)) || (b.write && a.reads);
  };
  for (size_t r = 0; r < pages_.size(); ++r)
    for (size_t p = 0; p < pages_[r].size(); ++p) {
      const Page *mine = pages_[r][p].get(), *its = other.pages_[r][p].get();
      for (uint32_t l = 0; mine && its && l < kPageLines; ++l) {
        const GlobalLine &a = mine->lines[l], &b = its->lines[l];
        uint32_t cells = a.isOne() && b.isOne() ? 1 : kGranules;
        for (uint32_t n = 0; n < cells; ++n)
          if (conflict(cellOf(a, n), other.cellOf(b, n)))
            return true;
      }
    }
  return false;
}

size_t GlobalShadow::memoryBytes() const {
  size_t bytes = details_.size() * sizeof(Details) + uses_.memoryBytes();
  for (const auto &region : pages_)
    bytes += region.size() * sizeof(Own<Page>) +
             static_cast<size_t>(std::ranges::count_if(region, [](const auto &page) { return page != nullptr; })) *
                 sizeof(Page);
  for (const Flags &ofDevice : flags)
    for (const auto &[address, clock] : ofDevice)
      bytes += sizeof address + clock.memoryBytes();
  for (const auto &[address, clock] : systemFlags)
    bytes += sizeof address + clock.memoryBytes();
  for (const auto &regions : marks_)
    for (const auto &region : regions)
      bytes += static_cast<size_t>(std::ranges::count_if(region, [](const auto &page) { return page != nullptr; })) *
               sizeof(Marks);
  return bytes + forms.memoryBytes() + releasers.memoryBytes();
}

} // namespace lanescope::core::emulator
