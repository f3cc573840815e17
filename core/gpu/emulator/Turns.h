// The clusters of all devices' grids on one thread, a turn after another, in the order that decides every time and
// value.
//
//   Turns turns(grids, shadow);
//   while (turns.more()) {
//     Turns::Turn turn = turns.take();             // of which cluster, and how it ended
//     if (turn.state == RunState::Faulted) …       // turn.cluster->faulted()
//   }
//
// Blocks that may talk to each other through global memory (Program::communicates) are there together and take turns;
// others run one cluster after another, each to its end. GridRunner, which has several threads for the latter, does the
// same with the function for one turn. Of several devices all clusters that there is room for start at once, and turns
// go by time: nobody is ahead of another by more than what a link takes.
#pragma once

#include "core/gpu/emulator/schedule/ClusterRun.h"
#include "core/gpu/emulator/schedule/Placement.h"

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace lanescope::core::emulator {

class Turns {
public:
  /// `grids`: of one program, one per device; they outlive this. `shadow`: null: nothing is checked. `slowDevice`: has
  /// its turns when the others can do nothing without it. `watch`: is told of each step.
  Turns(std::span<Grid *const> grids, GlobalShadow *shadow, std::optional<uint32_t> slowDevice = std::nullopt,
        StepWatch *watch = nullptr);

  struct Turn {
    ClusterRun *cluster = nullptr; // as it is until the next turn; null: nobody had one
    uint64_t index = 0;            // over all devices
    RunState state = RunState::Running;
    uint64_t executed = 0; // warp instructions
    uint64_t end = 0;      // of one that has finished: the cycle at which its places are free
  };
  bool more() const;
  /// Faulted and Abandoned end the run.
  Turn take();
  /// The clusters that have begun and not ended, in order, with their numbers over all devices.
  std::vector<std::pair<ClusterRun *, uint64_t>> resident() const;

  /// A cluster, by its number in `pool_`, whose members stay where they are.
  struct Resident {
    size_t cluster = 0;
    uint64_t index = 0;                // over all devices
    std::vector<uint32_t> places = {}; // of its blocks, where they are there together
  };
  /// Where a block of those that are there together may be, and from which cycle on: places in that order.
  using FreePlace = std::pair<uint64_t, uint32_t>;
  struct Device {
    Placement placement;                // of clusters that run apart
    uint64_t next = 0;                  // cluster that has not begun
    std::vector<FreePlace> free = {};   // a heap, the first in front
    uint64_t clusters = 0;              // that run
    std::vector<UnitClocks> units = {}; // per SM, of those that are there together
  };
  /// All that take() goes by, but for the clusters themselves and what the grids have.
  struct State {
    std::vector<Device> devices;
    std::vector<Resident> resident;
    std::vector<size_t> idle;
    uint64_t quiet = 0, othersQuiet = 0; // turns of all, and of those not slow, in which nothing has happened
    bool slowWaits = false;              // the others of the slow device still get on
    bool inRound = false;                // in which each that is there has a turn
    size_t turn = 0, present = 0;
    uint64_t begun = 0, effects = 0, othersEffects = 0, horizon = 0;
    uint32_t perMultiprocessor = 1; // blocks that are there at once
  };
  const State &state() const { return state_; }
  void restore(const State &state);
  ClusterRun &cluster(size_t number) const { return *pool_[number]; }

  /// A turn of a cluster that nobody can wait for; `quiet`: its turns so far without any effect.
  static RunState runApart(ClusterRun &cluster, uint64_t &quiet);

private:
  /// Clusters that have run for long without any effect: Faulted, when none of them can ever have one. Lanes that wait
  /// for others of their warp go on before that.
  static RunState watched(std::span<ClusterRun *const> clusters);
  uint64_t smCount() const { return static_cast<uint64_t>(grids_[0]->program->machine->multiprocessors); }
  /// For blocks: as many on each SM as fit, place p on SM p % smCount(), but for a cooperative launch, of which all are
  /// there at once.
  uint64_t placeCount() const;
  bool together() const { return grids_[0]->program->communicates; }
  ClusterRun &clusterOf(const Resident &resident) const { return *pool_[resident.cluster]; }
  Resident &begin(uint32_t device, std::span<const uint32_t> sms, uint64_t start);
  void beginApart();
  void beginTogether(uint32_t device, uint64_t most);
  void beginRound();
  Turn endRound(Turn turn);
  /// Whether clusters have yet to start, and there is no room for them.
  bool full() const;
  /// More blocks may fit a multiprocessor than the model has there: as many as can. False: all of them are.
  bool addPlaces();
  /// Clusters wait for what those would do that have yet to start.
  void tellNoRoom(Diagnostic &deadlock) const;
  Turn takeApart();
  Turn takeTogether();
  uint64_t begun() const;
  uint64_t effects(std::optional<uint32_t> without = std::nullopt) const;
  bool hasTurn(const Resident &resident) const;
  uint64_t horizon() const;
  /// Gives the cycle at which its places are free.
  uint64_t remove(size_t resident);

  std::vector<Grid *> grids_;
  GlobalShadow *shadow_;
  std::optional<uint32_t> slowDevice_;
  StepWatch *watch_;
  uint64_t clusterSize_ = 1, total_ = 1; // blocks of a cluster, clusters of a device
  std::vector<std::unique_ptr<ClusterRun>> pool_;
  State state_;
};

} // namespace lanescope::core::emulator
