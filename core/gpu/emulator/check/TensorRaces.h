// Wrong uses of tensor memory. For each half quarter of the lanes (16) and each column the last write and the reads
// since are kept; what touches them now has to come after them by the rules of PTX ISA, "Memory Consistency Model for
// 5th generation of TensorCore operations":
//
//   tcgen05.ld, .st                 are done for others behind wait::ld, wait::st
//   tcgen05.mma, .cp, .shift        are done behind a commit and a wait for its mbarrier; of one thread, and of several
//                                   that fences order, some pairs run in order without ("Pipelined tcgen05
//                                   Instructions")
//   a register that a load fills    may be used at once: that the load has read the cells it does not say
//                                   ("Register dependencies, same thread")
//
// In the kernel's favour: lanes of a warp are one thread; an mma and a copy into what it read (scales, metadata) are in
// order, and so are copies, as kernels of NVIDIA's libraries rely on; so are mmas of different shapes, but for their D.
#pragma once

#include "core/gpu/emulator/check/Ordering.h"
#include "core/gpu/emulator/check/Shadow.h"
#include "core/gpu/emulator/machine/TensorMemory.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lanescope::core::emulator {

enum class TensorUse : uint8_t { Op, Load, Store }; // the classes of Ordering::tensorAgent()
enum class TensorOp : uint8_t { None, Mma, Copy, Shift };

/// A block gives up for good what a tensor core operation in flight still uses (check/Rules.h).
inline constexpr std::string_view kUnfinishedMmaKind = "unfinished-mma";

class TensorRaces {
public:
  explicit TensorRaces(Ordering &order) : order_(order) {}
  void begin(uint32_t blocks);
  /// The first read of cells that nothing had written, told when the cluster has ended.
  std::optional<Diagnostic> takeUnwritten() { return std::exchange(unwritten_, std::nullopt); }

  /// Numbers an access by `warp`, for the calls that say what it touches. `accumulator`: of an mma, what says which D
  /// it is; two with the same one run in order. Of an Op the epoch is that of AsyncUnit::Tensor.
  void issue(const Warp &warp, const Instr &i, TensorUse use, TensorOp op = TensorOp::None, uint64_t accumulator = 0);
  /// Cells in the block of that rank; false after a fault at `i`, which is what was issued last.
  bool read(Warp &warp, const Instr &i, uint32_t rank, std::span<const CellBox> boxes);
  bool write(Warp &warp, const Instr &i, uint32_t rank, std::span<const CellBox> boxes);
  /// tcgen05.wait::ld, wait::st.
  void waited(const Warp &warp, TensorUse use);
  /// The columns are given back; false when something may still use them.
  bool freed(Warp &warp, const Instr &i, uint32_t rank, uint32_t column, uint32_t columns);
  /// They are somebody's, who has written nothing there.
  void allocated(uint32_t rank, uint32_t column, uint32_t columns);

  /// What a copy of it takes.
  size_t memoryBytes() const {
    return cells_.size() * sizeof(Cell) + accesses_.memoryBytes() + moves_.size() * sizeof(Epoch);
  }

private:
  static constexpr uint32_t kGroupLanes = 16, kGroups = kTensorLanes / kGroupLanes;
  static constexpr uint32_t kPerBlock = kGroups * kTensorColumns;
  static constexpr size_t kSweepAt = 1 << 16;

  struct Access {
    TensorUse use = TensorUse::Op;
    TensorOp op = TensorOp::None;
    uint32_t warp = 0; // its number in the cluster
    Epoch epoch = 0;   // of its class
    Epoch issued = 0;  // of the warp
    uint64_t accumulator = 0;
    uint32_t pc = 0;
    uint32_t rest = kNoUse; // further readers
  };
  struct Place {
    uint32_t rank = 0, lane = 0, column = 0;
  };

  Cell *cells(uint32_t rank, uint32_t column, uint32_t group) {
    return cells_.data() + (size_t(rank) * kTensorColumns + column) * kGroups + group;
  }
  /// Calls visit(cell, place) for the cells of the boxes until one says false.
  template <class F> bool forCells(uint32_t rank, std::span<const CellBox> boxes, F visit) {
    for (const CellBox &box : boxes) {
      uint32_t first = box.lane / kGroupLanes, last = (box.lane + box.lanes - 1u) / kGroupLanes;
      for (uint32_t column = box.column, end = column + box.columns; column < end; ++column) {
        Cell *cell = cells(rank, column, 0);
        for (uint32_t group = first; group <= last; ++group)
          if (!visit(cell[group], Place{rank, group * kGroupLanes, column}))
            return false;
      }
    }
    return true;
  }
  /// Whether two operations of one thread run in the order of their issue.
  static bool pipelined(const Access &before, bool beforeWrites, const Access &after);
  /// Whether `other`, which wrote the cell or read it, is over when `me` begins.
  bool ordered(const View &view, const Access &other, bool otherWrites, const Access &me) const;
  bool report(Warp &warp, const Instr &i, const Access &me, bool writes, const Access &other, bool otherWrites,
              Place place);
  bool reportEarly(Warp &warp, const Access &reader, const Access &writer, Place place);
  /// Whether an instruction between the two, in the order of the text, takes what the load brings; copies of registers
  /// do not count.
  bool isUsedBetween(uint32_t load, uint32_t end);
  void noteUnwritten(Warp &warp, const Instr &i, Place place);
  /// A deallocation that a use of what was loaded comes before, and no wait for the load.
  void noteUnawaited(Warp &warp, const Instr &i, const Access &load);
  uint32_t addReader(uint32_t reads);
  void sweep();
  std::string where(Place place) const;
  std::string who(const Access &access) const;
  Note noteAt(const Access &access, bool writes) const;

  Ordering &order_;
  std::vector<Cell> cells_; // by block, column, group of lanes; empty until something is allocated
  UseTable<Access> accesses_;
  std::vector<Epoch> moves_; // loads, stores by warp
  Access me_;                // issued last
  uint32_t number_ = kNoUse; // of it; kNoUse: not in the table yet
  uint32_t blocks_ = 0;
  std::map<std::pair<uint32_t, uint32_t>, bool> used_; // isUsedBetween()
  std::optional<Diagnostic> unwritten_;
};

} // namespace lanescope::core::emulator
