// Wrong uses of tensor memory. The shadow keeps, for each column and each group of 16 lanes, the last write and the
// reads since that write. A new access must be ordered after them by the rules of PTX ISA, "Memory Consistency Model
// for 5th generation of TensorCore operations":
//
//   tcgen05.ld, .st                 are done for other threads after wait::ld, wait::st
//   tcgen05.mma, .cp, .shift        are done after a commit and a wait for its mbarrier. Some pairs of one thread, or
//                                   of threads that fences order, run in order without it ("Pipelined
//                                   tcgen05 Instructions")
//   a register that a load fills    may be used at once. Its use does not say that the load has read the cells
//                                   ("Register dependencies, same thread")
//
// Decided in the kernel's favour, because NVIDIA's libraries rely on it:
// - The lanes of a warp are one thread.
// - An mma runs before a later copy into what it reads (scales, metadata).
// - Copies run in order.
// - Mmas of different shapes run in order, except for accesses to their D.
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

/// The finding's kind for a block that gives up tensor memory for good while an operation in flight still uses it
/// (check/Rules.h).
inline constexpr std::string_view kUnfinishedMmaKind = "unfinished-mma";

class TensorRaces {
public:
  explicit TensorRaces(Ordering &order) : order_(order) {}
  void begin(uint32_t blocks);
  /// The first read of cells that nothing had written. It is reported at the end of the cluster.
  std::optional<Diagnostic> takeUnwritten() { return std::exchange(unwritten_, std::nullopt); }

  /// Starts an access by `warp` and gives it a number; the calls that follow say which cells it touches. `accumulator`
  /// identifies the D of an mma: two mmas with the same D run in order. The epoch of an Op is that of
  /// AsyncUnit::Tensor.
  void issue(const Warp &warp, const Instr &i, TensorUse use, TensorOp op = TensorOp::None, uint64_t accumulator = 0);
  /// `boxes` are cells of the block `rank`. Returns false after a fault at `i`, which is the instruction issued last.
  bool read(Warp &warp, const Instr &i, uint32_t rank, std::span<const CellBox> boxes);
  bool write(Warp &warp, const Instr &i, uint32_t rank, std::span<const CellBox> boxes);
  /// The warp has executed tcgen05.wait::ld or wait::st.
  void waited(const Warp &warp, TensorUse use);
  /// The columns are freed. Returns false if an operation may still use them.
  bool freed(Warp &warp, const Instr &i, uint32_t rank, uint32_t column, uint32_t columns);
  /// The columns have been allocated, and nothing has been written there.
  void allocated(uint32_t rank, uint32_t column, uint32_t columns);

  /// The bytes that a copy of this object takes.
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
    uint32_t warp = 0; // the warp's number in the cluster
    Epoch epoch = 0;   // epoch of the warp's operations of this class
    Epoch issued = 0;  // the warp's own epoch when it issued the access
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
  /// Calls visit(cell, place) for the cells of the boxes until one call returns false.
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
  /// True if two operations of one thread run in the order in which they were issued.
  static bool pipelined(const Access &before, bool beforeWrites, const Access &after);
  /// True if `other`, which wrote or read the cell, is over before `me` begins.
  bool ordered(const View &view, const Access &other, bool otherWrites, const Access &me) const;
  struct Use {
    const Access &access;
    bool writes;
  };
  bool report(Warp &warp, const Instr &i, const Use &mine, const Use &others, Place place);
  bool reportEarly(Warp &warp, const Access &reader, const Access &writer, Place place);
  /// True if an instruction between the two, in program order, uses the loaded values. Copies between registers do not
  /// count as uses.
  bool isUsedBetween(uint32_t load, uint32_t end);
  void noteUnwritten(Warp &warp, const Instr &i, Place place);
  /// Adds a note about a deallocation that follows a use of loaded values without a wait for the load.
  void noteUnawaited(Warp &warp, const Instr &i, const Access &load);
  uint32_t addReader(uint32_t reads);
  void sweep();
  std::string where(Place place) const;
  std::string who(const Access &access) const;
  Note noteAt(const Access &access, bool writes) const;

  Ordering &order_;
  std::vector<Cell> cells_; // by block, column, group of lanes; empty until a block allocates
  UseTable<Access> accesses_;
  std::vector<Epoch> moves_; // per warp: the numbers of its loads and of its stores
  Access me_;                // the access issued last
  uint32_t number_ = kNoUse; // the number of me_; kNoUse: not in the table yet
  uint32_t blocks_ = 0;
  std::map<std::pair<uint32_t, uint32_t>, bool> used_; // results of isUsedBetween()
  std::optional<Diagnostic> unwritten_;
};

} // namespace lanescope::core::emulator
