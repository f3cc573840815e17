// The complete state of a run at one moment between two turns. The run can be repeated from there.
//
//   Snapshot snapshot(run, earlier);     // big memories share pages with the earlier one
//   snapshot.restore(run);               // the same run, later or earlier
//
// Blocks and checkers keep their addresses (Turns::pool_), so that pointers between them stay valid.
#pragma once

#include "core/gpu/emulator/check/GlobalShadow.h"
#include "core/gpu/emulator/coverage/Observer.h"
#include "core/gpu/emulator/debug/Pages.h"
#include "core/gpu/emulator/record/DeviceLinks.h"
#include "core/gpu/emulator/replay/LateSignals.h"
#include "core/gpu/emulator/Turns.h"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lanescope::core::emulator {

/// The output and findings of clusters that have ended.
struct Leavings {
  std::map<uint32_t, std::string> printed; // by block, numbered over all devices
  Diagnostics findings;
  uint64_t executed = 0, cycles = 0;
};

/// The parts of the run that a snapshot covers.
struct RunParts {
  std::span<Grid *const> grids; // one per device
  Observer *observer;           // null: there is no observer
  Links *links;                 // null: one device
  LateSignals *lateSignals;     // null: another schedule
  GlobalShadow *shadow;         // null: nothing is checked
  Turns &turns;
  Leavings &leavings;
  PageCount &pages;
};

class SavedBlock;

class Snapshot {
public:
  Snapshot(const RunParts &run, const Snapshot *before);
  ~Snapshot();
  Snapshot(Snapshot &&) noexcept;
  Snapshot &operator=(Snapshot &&) noexcept;

  void restore(const RunParts &run) const;
  /// The approximate size of the snapshot in bytes, without its pages.
  size_t ownBytes() const { return ownBytes_; }

private:
  struct SavedCluster;

  std::vector<PagedBytes> regions_; // one per memory of memoriesOf()
  std::vector<uint64_t> heapUsed_;  // by device
  Turns::State turns_;
  Leavings leavings_;
  std::unique_ptr<const GlobalShadow> shadow_;
  std::optional<Observer::Memory> observer_;
  std::optional<Links::Memory> links_;
  std::optional<LateSignals::Memory> lateSignals_;
  std::vector<SavedCluster> clusters_;
  size_t ownBytes_ = 0;
};

} // namespace lanescope::core::emulator
