// Shadow memory of global memory. For each granule (1, 2 or 4 bytes) it records the last write and the reads since that
// write, by all clusters that run on one host thread.
//
// Granules come in lines of 32. While all granules of a line have the same history, as after accesses by whole warps,
// one cell stands for all of them. A line that is touched part by part, as by fragments of matrix products, has two
// cells. Any other line gets a cell per granule. Pages of lines are allocated when they are first touched.
//
//   GlobalShadow shadow(grid, judges);
//   GlobalLine &line = shadow.line(region, offset); shadow.cells(line) …
//
// Only releases to global memory, and acquires from it, order clusters. A *releaser* is a warp that makes such a
// release (with several devices, one releaser for each scope). For each address, Flags hold the last release of each
// releaser that an acquire of the address is ordered after. Releasers hold what the releaser's warp knew at each
// release. So a release publishes only what is ordered before it, and not what other warps of its cluster do.
//
// Releases are counted over all devices, and the stamp of a use is the number of releases before it. Clusters are
// numbered over all devices, too. A release whose scope lies within a device goes to that device's flags. A release of
// the scope `.sys` also goes to systemFlags.
#pragma once

#include "core/data/Bytes.h"
#include "core/gpu/emulator/check/LaneForms.h"
#include "core/gpu/emulator/check/MapRelease.h"
#include "core/gpu/emulator/check/RacingReads.h"
#include "core/gpu/emulator/check/Releasers.h"
#include "core/gpu/emulator/check/Shadow.h"
#include "core/gpu/emulator/check/StaleReads.h"
#include "core/gpu/emulator/machine/Grid.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace lanescope::core::emulator {

struct GlobalUse {
  uint32_t cluster = 0;
  uint32_t stamp = 0;
  Agent agent = 0; // as the cluster's checker numbers it
  bool atomic : 1 = false;
  bool system : 1 = false;  // atomic to other devices, too
  bool narrow : 1 = false;  // atomic only within the cluster
  bool spread : 1 = false;  // made by the address of a multicast object
  bool again : 1 = false;   // somewhere, it replaced bytes that another write may have changed before
  uint32_t aliasFences = 0; // the cluster's alias fences before it
  Epoch epoch = 0;
  uint32_t pc = 0;
  uint32_t rest = kNoUse;               // further readers
  uint32_t lanes = LaneForms::kUnknown; // the form: maps an offset to the lane that accessed it

  /// True if the uses are equal except for the instruction. Compares member by member, since copying a struct that was
  /// just stored field by field stalls.
  bool isLike(const GlobalUse &other) const {
    return cluster == other.cluster && stamp == other.stamp && agent == other.agent && atomic == other.atomic &&
           system == other.system && narrow == other.narrow && spread == other.spread &&
           aliasFences == other.aliasFences && epoch == other.epoch && rest == other.rest && lanes == other.lanes;
  }
};

struct GlobalLine {
  Cell all;
  uint32_t parts = 0; // a bit for each granule that has another cell; 0 if the line has details
  // If `parts` is not 0: the use in that other cell (kReads: reads of what all.write wrote). Otherwise the number of
  // the line's details.
  uint32_t other = 0;

  static constexpr uint32_t kReads = 1u << 31;
  bool isOne() const { return (parts | other) == 0; }
  uint32_t detail() const { return parts ? 0 : other; } // 0: no details
  Cell part() const { return other & kReads ? Cell{all.write, other & ~kReads} : Cell{other, kNoUse}; }
  void become(Cell cell) { *this = {cell, 0, 0}; }
  /// Records that `number` writes the granules of `bits`. This is possible only if these granules, and all other
  /// granules without such a write, have the cell `old`. Otherwise returns false and records nothing.
  bool writeParts(uint32_t bits, Cell old, uint32_t number) {
    if (((all.both() ^ old.both()) | (other ^ (parts ? number : 0)) | (parts & bits)) != 0)
      return false;
    parts |= bits;
    other = number;
    if (parts == UINT32_MAX)
      become({number, kNoUse});
    return true;
  }
  /// Sets the cell of the granules in `bits` to `cell`. All of them had the cell `all`. Returns false and does nothing
  /// if the line would need details.
  bool touchParts(uint32_t bits, Cell cell) {
    bool reads = cell.reads != kNoUse;
    uint32_t use = reads ? cell.reads | kReads : cell.write;
    if ((reads && cell.write != all.write) || (parts != 0 && other != use))
      return false;
    parts |= bits;
    other = use;
    if (parts == UINT32_MAX)
      become(cell);
    return true;
  }
};

class GlobalShadow {
public:
  static constexpr uint32_t kGranules = 32;
  // With more clusters, accesses of blocks that communicate count as ordered.
  static constexpr uint32_t kMaxClusters = 4096;

  /// If `judges` is set, the shadow sees all clusters, and its findings are final. Otherwise, a conflict between
  /// clusters only sets `suspicious`, and the grid runs again.
  GlobalShadow(std::span<Grid *const> grids, bool judges);

  uint32_t granule() const { return 1u << shift_; }
  uint32_t granuleShift() const { return shift_; }
  uint32_t lineBytes() const { return kGranules << shift_; }
  GlobalLine &line(size_t region, uint64_t offset) {
    std::unique_ptr<Page> &page = pages_[region][offset >> pageShift_];
    if (!page) [[unlikely]]
      page = std::make_unique<Page>();
    return page->lines[lineInPage(offset)];
  }
  /// Up to `most` lines from the offset on. They end where their page ends.
  std::span<GlobalLine> linesOfPage(size_t region, uint64_t offset, uint64_t most) {
    return {&line(region, offset), static_cast<size_t>(std::min(most, kPageLines - lineInPage(offset)))};
  }
  /// The lines that the access covers exactly; empty unless they are in one page and all have the same history.
  [[gnu::always_inline]] std::span<GlobalLine> wholeLines(size_t region, uint64_t offset, uint64_t bytes) {
    uint64_t count = bytes >> lineShift_, first = lineInPage(offset);
    if (count == 0 || (bytes | offset) & (lineBytes() - 1) || first + count > kPageLines)
      return {};
    GlobalLine *lines = &line(region, offset);
    bool alike = lines->isOne() && (count == 1 || areAlike(lines, count));
    return alike ? std::span(lines, count) : std::span<GlobalLine>();
  }
  /// The page of an offset, and the number of the line within the page.
  uint64_t pageOf(uint64_t offset) const { return offset >> pageShift_; }
  uint64_t lineInPage(uint64_t offset) const { return offset >> lineShift_ & (kPageLines - 1); }
  /// The 32 cells of a line. From now on, the line has one cell per granule.
  Cell *cells(GlobalLine &line);
  /// The cells of a line that already has one cell per granule.
  Cell *knownCells(const GlobalLine &line) const {
    return details_[line.other / kDetailLines]->cells + size_t(line.other % kDetailLines) * kGranules;
  }
  /// The cell of granule n.
  Cell cellOf(const GlobalLine &line, uint32_t n) const {
    return line.detail() ? knownCells(line)[n] : line.parts >> n & 1 ? line.part() : line.all;
  }
  /// Gives all granules of the line the same history again.
  void join(GlobalLine &line, Cell cell);
  /// Joins the line if all of its cells are equal. Lanes that hold fragments of a matrix fill lines part by part, and
  /// few lines stay in parts for long.
  void joinIfAlike(GlobalLine &line) {
    const Cell *known = knownCells(line);
    uint64_t first = known[0].both();
    if (known[kGranules - 1].both() == first &&
        std::all_of(known, known + kGranules, [&](const Cell &cell) { return cell.both() == first; }))
      join(line, known[0]);
  }
  const GlobalUse &use(uint32_t number) const { return uses_[number]; }
  uint32_t add(const GlobalUse &use) { return uses_.add(use); }
  /// The number that the next use gets.
  uint32_t next() const { return uses_.next(); }
  GlobalUse &fresh() { return uses_.fresh(); }
  void markAgain(uint32_t number) { uses_[number].again = true; }
  /// Returns the set `reads` with `reader` added. Readers of its own cluster that `seen` covers are dropped, and one
  /// reader of the other clusters is kept.
  uint32_t addReader(uint32_t reads, GlobalUse reader, const Clock &seen);
  /// The lanes by which a recorded use accessed the granule at the offset.
  LaneSet lanesAt(const GlobalUse &use, bool writes, size_t region, uint64_t offset) const;
  struct Stretch {
    size_t region = 0;
    uint64_t offset = 0, bytes = 0;
  };
  struct Mark {
    uint32_t form = 0; // how the use's lanes are arranged (LaneForms)
    uint8_t lane = 0;
    bool writes = false;
    bool merges = false; // keeps the lanes that the same use has already recorded there
  };
  /// Records that a lane made a scattered use.
  void mark(const Mark &mark, Stretch stretch);
  /// True if `reader` is the last reader of `reads` or the one before, or if its lanes are among several lanes of such
  /// a reader.
  bool hasReader(uint32_t reads, const GlobalUse &reader) const {
    auto covers = [&](const GlobalUse &use) {
      return use.cluster == reader.cluster && use.agent == reader.agent && use.epoch == reader.epoch &&
             use.stamp == reader.stamp && use.spread == reader.spread && use.aliasFences == reader.aliasFences &&
             (use.lanes == reader.lanes || forms.isSeveral(use.lanes));
    };
    const GlobalUse &last = uses_[reads];
    return covers(last) || (last.rest && covers(uses_[last.rest]));
  }
  /// If there are many entries, drops those that no cell refers to. Call this between instructions. Returns true if
  /// entries were dropped. The numbers of uses have changed then.
  bool sweepWhenLarge() {
    if (uses_.size() <= sweepAt_) [[likely]]
      return false;
    sweep();
    return true;
  }
  uint32_t sweeps = 0; // use numbers are valid until the next sweep
  /// The bytes that a copy of the shadow takes.
  size_t memoryBytes() const;
  /// Calls `take(begin, end)` for each page of a region that was accessed. The last page may end after the region.
  template <typename Take> void eachPage(size_t region, Take take) const {
    for (uint64_t page = 0; page < pages_[region].size(); ++page)
      if (pages_[region][page])
        take(page << pageShift_, (page + 1) << pageShift_);
  }
  /// Calls `take(region, line, read, written)` for each line that was accessed: its number in the region, and a bit for
  /// each granule that was read or written.
  template <typename Take> void eachLine(Take take) const {
    for (uint32_t region = 0; region < pages_.size(); ++region)
      for (uint64_t p = 0; p < pages_[region].size(); ++p)
        for (uint32_t l = 0; pages_[region][p] && l < kPageLines; ++l) {
          const GlobalLine &line = pages_[region][p]->lines[l];
          uint32_t read = line.all.reads ? UINT32_MAX : 0, written = line.all.write ? UINT32_MAX : 0;
          for (uint32_t n = 0; !line.isOne() && n < kGranules; ++n) {
            const Cell cell = cellOf(line, n);
            const uint32_t bit = 1u << n;
            read = cell.reads ? read | bit : read & ~bit;
            written = cell.write ? written | bit : written & ~bit;
          }
          if (read | written)
            take(region, p * kPageLines + l, read, written);
        }
  }
  /// True if a cluster of each shadow used the same granule, and at least one of the two wrote it.
  bool conflictsWith(const GlobalShadow &other) const;

  const bool judges;
  bool suspicious = false;
  std::optional<RacingReads> racingReads; // null: racing reads are faults
  std::optional<RacingReads> laneReads;   // loads of values that other lanes of the warp write in step with them
  std::optional<StaleReads> staleReads;   // null: not collected
  LaneForms forms;
  uint32_t releases = 0;
  Releasers releasers;
  using Flags = std::unordered_map<uint64_t, Clock>; // by address; the clocks are by releaser
  std::vector<Flags> flags;                          // by device
  Flags systemFlags;
  /// With several devices, by cluster: the order that there would be if every release reached all devices. Reports use
  /// it to name the release that is too narrow.
  Flags anyFlags;
  uint32_t clustersOfDevice = 1;
  /// With several devices: for each `fence.proxy.alias` of a cluster, in order, the number of releases before it.
  std::unordered_map<uint32_t, std::vector<uint32_t>> aliasFences;
  /// For descriptors of TMA copies (TensorMapUses.h): the fences that publish them, and the places of the descriptors
  /// in use.
  std::deque<MapRelease> mapReleases;
  bool mapReleasesForgotten = false;
  std::unordered_set<uint64_t> descriptors;

  uint32_t deviceOf(uint32_t cluster) const { return cluster / clustersOfDevice; }
  bool manyDevices() const { return flags.size() > 1; }
  /// True if the releases in `acquired`, which is a clock of releasers, publish the use.
  bool published(const Clock &acquired, const GlobalUse &use) const {
    return releasers.publish(acquired, use.cluster, {use.stamp, use.agent, use.epoch});
  }

private:
  /// True if each of the adjacent lines has a single history, and all have the same one.
  static bool areAlike(const GlobalLine *lines, uint64_t count) {
    uint64_t odd = 0;
    for (uint64_t n = 0; n < count; ++n)
      odd |= (lines[n].all.both() ^ lines->all.both()) | lines[n].parts | lines[n].other;
    return odd == 0;
  }
  static constexpr uint32_t kPageLines = 64;
  /// The least number of uses between two sweeps. Their table fits into the processor's cache. If a sweep visits more
  /// cells than that, the next one comes later.
  static constexpr size_t kSweepAt = 1 << 13;
  struct Page : PagedPiece {
    GlobalLine lines[kPageLines];
  };
  void sweep();
  static constexpr uint32_t kDetailLines = 512;
  struct Details : PagedPiece {
    Cell cells[size_t(kDetailLines) * kGranules];
  };
  /// A page or block that is copied together with the shadow, so that the copy shares nothing with the original.
  template <typename Part> struct Own : std::unique_ptr<Part> {
    Own() = default;
    explicit Own(std::unique_ptr<Part> part) : std::unique_ptr<Part>(std::move(part)) {}
    Own(Own &&) = default;
    Own(const Own &other) : std::unique_ptr<Part>(other ? std::make_unique<Part>(*other) : nullptr) {}
    Own &operator=(Own &&) = default;
  };

  static constexpr uint32_t kPageGranules = kPageLines * kGranules;
  using Marks = LaneMarks<kPageGranules>;
  std::vector<std::vector<Own<Page>>> pages_;                 // by region
  std::array<std::vector<std::vector<Own<Marks>>>, 2> marks_; // for reads and for writes, by region
  std::vector<Own<Details>> details_; // in blocks of lines, so that a line's cells keep their address
  uint32_t detailCount_ = 1;          // no line has the number 0
  std::vector<uint32_t> freeDetails_;
  UseTable<GlobalUse> uses_;
  size_t sweepAt_ = kSweepAt;
  uint32_t shift_ = 2, lineShift_ = 0, pageShift_ = 0;
};

} // namespace lanescope::core::emulator
