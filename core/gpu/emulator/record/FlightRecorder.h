// Records what is in flight at which time, for traces: copies and wgmmas from their issue to their completion, the work
// of the tensor core, the contents of tensor memory, warps that wait, and what ended each wait.
//
//   FlightRecorder recorder(blocks, kernel.tensorArrays);
//   options.flights = &recorder;  emulate(…);
//   recorder.addTo(trace, profile, grid);      // slices of waits and arrivals, flights, arrows
//
// All times are the emulator's cycles. Each block has its own log, so blocks may run on several threads.
#pragma once

#include "core/gpu/emulator/record/TmemUse.h"
#include "core/gpu/kernel/CompiledKernel.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace lanescope::core::emulator {

struct AsyncOp;
struct Block;
struct Grid;
struct Instr;
struct Split;
struct Tcgen05Op;
struct Warp;
struct WgmmaOp;

class FlightRecorder {
public:
  /// `arrays`: the arrays that the kernel declares in tensor memory, if they are known. They must outlive the recorder.
  explicit FlightRecorder(uint64_t blocks, std::span<const TensorArray> arrays = {}, uint32_t devices = 1)
      : blocks_(blocks), logs_(blocks * devices), arrays_(arrays) {}

  /// Forgets all records, because the run begins again.
  void clear() { logs_.assign(logs_.size(), Log{}); }

  enum class Wait : uint8_t { Mbarrier, Group, Wgmma, TensorMemory };

  /// The copy (or its second half) completes. Until the call of completed(), it counts as the cause that wakes warps.
  void completing(Block &block, const AsyncOp &op);
  void completed(Block &block, const AsyncOp &op);
  /// The warp arrives at an mbarrier of `target`.
  void arrives(Block &target, const Warp &warp);
  /// The warp slept in `split` and goes on at cycle `end`.
  void woken(Warp &warp, const Split &split, Wait what, uint64_t end);
  /// The first `count` operations are over. The warp has waited for them since cycle `begin`.
  void multiplied(Warp &warp, const std::vector<WgmmaOp> &ops, size_t count, uint64_t begin);

  /// Records an operation of the tensor core of `blocks`: one block, or a pair with the even one first.
  void computes(std::span<Block *const> blocks, const Tcgen05Op &op);
  /// Records a tcgen05.ld of the warp, whose values arrive at cycle `end`, or a tcgen05.st.
  void loads(const Warp &warp, std::span<const CellBox> cells, uint64_t end);
  void stores(const Warp &warp, const Instr &i, std::span<const CellBox> cells);

  /// Adds all records of a device to its trace of the same run.
  void addTo(Trace &trace, const ProfileSpec &spec, const std::array<uint32_t, 3> &grid, uint32_t device = 0) const;

private:
  static constexpr uint32_t kUnit = UINT32_MAX;           // stands for the asynchronous units, in place of a warp
  static constexpr uint32_t kTensorCore = UINT32_MAX - 1; // stands for the tensor core among these units
  static constexpr size_t kMostEntries = 1 << 14;         // per kind and block

  /// Identifies a flight of a block: the warp that issued it, the cycle and the line.
  struct Issue {
    uint64_t block = 0, cycle = 0;
    uint32_t warp = 0;
    std::string line;
    auto operator<=>(const Issue &) const = default;
  };
  struct Source {
    uint64_t block = 0, time = 0;
    uint32_t warp = kUnit;
    bool some = false;
    std::string line; // the line of a warp's arrival
    Issue issue;      // for something in flight, which may be recorded later than the wait that it ended
  };
  struct Flight {
    std::string name, what; // `what`: the name without the bytes
    uint64_t begin = 0, end = 0, bytes = 0;
    uint32_t tensorOps = 0; // number of consecutive operations; 0: not by the tensor core
    Issue issue;
  };
  struct Waited {
    Wait what = Wait::Mbarrier;
    uint32_t warp = 0;
    uint64_t begin = 0, end = 0;
    Source by;
    std::string line;
  };
  struct Log {
    std::array<uint32_t, 3> id{};
    uint32_t sm = 0;
    bool used = false;
    Source source; // the cause that wakes warps now
    std::vector<Flight> flights;
    std::vector<Waited> waits;
    TmemUse tensorMemory;
    uint64_t dropped = 0;
  };
  class Adder;

  uint64_t numberOf(const Block &block) const;
  Log &log(const Block &block);
  /// The log of the other block whose mbarrier the copy signals; null if there is none.
  Log *signalledLog(Block &block, const AsyncOp &op);

  /// The tensor core's work before a commit of the block. It ends a little earlier than `time`, at which the commit
  /// signals.
  Issue committed(Block &block, const AsyncOp &op);

  TmemUse::What tensorWrite(const Grid &grid, const Instr &i, TmemUse::Kind kind, const CellBox &box) const;
  /// The name, for a trace, of what is there in the period, and its description.
  std::pair<std::string, std::string> tensorWords(const TmemUse::Period &period) const;

  uint64_t blocks_;       // blocks of a device
  std::vector<Log> logs_; // by device and the block's linear number
  std::span<const TensorArray> arrays_;
};

} // namespace lanescope::core::emulator
