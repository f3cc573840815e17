// Runs the clusters of all devices' grids on one thread, one turn (a slot of the schedule) after another. The order of
// turns decides all times and values.
//
//   Turns turns(grids, shadow);
//   while (turns.more()) {
//     Turns::Turn turn = turns.take();             // its cluster, and how it ended
//     if (turn.state == RunState::Faulted) …       // turn.cluster->faulted()
//   }
//
// Blocks that may communicate through global memory (Program::communicates) are resident together and take turns. Other
// kernels run one cluster after another, each to its end; GridRunner does so on several threads, with the function for
// one turn. With several devices, all clusters that fit start at once, and turns go by time: no cluster gets further
// ahead of another than the latency of a link. A schedule may make a device or a block slow: it gets a turn only when
// the others cannot go on without it.
#pragma once

#include "core/gpu/emulator/coverage/Schedule.h"
#include "core/gpu/emulator/schedule/ClusterPlacement.h"
#include "core/gpu/emulator/schedule/ClusterRun.h"

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace lanescope::core::emulator {

class Turns {
public:
  /// `grids`: one per device, all of one program; they must outlive this object. `shadow`: null: nothing is checked.
  /// `watch` sees each step.
  Turns(std::span<Grid *const> grids, GlobalShadow *shadow, const Schedule &schedule = {}, StepWatch *watch = nullptr);

  struct Turn {
    ClusterRun *cluster = nullptr; // unchanged until the next turn; null: no cluster ran
    uint64_t index = 0;            // over all devices
    RunState state = RunState::Running;
    uint64_t executed = 0; // warp instructions
    uint64_t end = 0;      // if it has finished: the cycle at which its places are free
  };
  bool more() const;
  /// Faulted and Abandoned end the run.
  Turn take();
  /// The clusters that have begun and not ended, in order, with their indices over all devices.
  std::vector<std::pair<ClusterRun *, uint64_t>> resident() const;

  /// A running cluster, by its index in `pool_`; the pool's elements never move.
  struct Resident {
    size_t cluster = 0;
    uint64_t index = 0;                // over all devices
    std::vector<uint32_t> places = {}; // its blocks' places, if blocks are resident together
  };
  /// A place for a block of clusters that are resident together, after the cycle from which it is free; sorted by that.
  using FreePlace = std::pair<uint64_t, uint32_t>;
  struct Device {
    Placement placement;                // for clusters that run apart
    uint64_t next = 0;                  // the next cluster to begin
    std::vector<FreePlace> free = {};   // a heap, the earliest first
    uint64_t clusters = 0;              // clusters that run
    std::vector<UnitClocks> units = {}; // per SM, for clusters that are resident together
  };
  /// All state that take() depends on, except the clusters themselves and the grids.
  struct State {
    std::vector<Device> devices;
    std::vector<Resident> resident;
    std::vector<size_t> idle;
    uint64_t quiet = 0, othersQuiet = 0; // rounds without any effect: of all clusters, and of all but the slow ones
    bool slowWaits = false;              // the slow clusters have no turn, as the others still make progress
    bool inRound = false;                // a round, in which each resident cluster has one turn, is under way
    size_t turn = 0, present = 0;
    uint64_t begun = 0, effects = 0, othersEffects = 0, othersSignals = 0, horizon = 0;
    uint64_t othersSilent = 0; // rounds since the slow block's last step in which no other cluster signalled anything
    uint32_t perMultiprocessor = 1; // resident blocks per multiprocessor
  };
  const State &state() const { return state_; }
  void restore(const State &state);
  ClusterRun &cluster(size_t number) const { return *pool_[number]; }

  /// A turn of a cluster that no other one can wait for; `quiet`: the number of its turns so far without any effect.
  static RunState runApart(ClusterRun &cluster, uint64_t &quiet);

private:
  /// Checks clusters that have run for long without any effect: Faulted if none of them can ever have one. Before that,
  /// lanes that wait for others of their warp go on.
  static RunState watched(std::span<ClusterRun *const> clusters);
  uint64_t smCount() const { return static_cast<uint64_t>(grids_[0]->program->machine->multiprocessors); }
  /// Places for blocks: as many on each SM as fit; place p is on SM p % smCount(). A cooperative launch has a place for
  /// every block.
  uint64_t placeCount() const;
  bool together() const { return grids_[0]->program->communicates; }
  ClusterRun &clusterOf(const Resident &resident) const { return *pool_[resident.cluster]; }
  Resident &begin(uint32_t device, std::span<const uint32_t> sms, uint64_t start);
  void beginApart();
  void beginTogether(uint32_t device, uint64_t most);
  void beginRound();
  Turn endRound(Turn turn);
  /// True if clusters have yet to start and no place is free for them.
  bool full() const;
  /// Adds places if a multiprocessor can hold more blocks than the model gave it. Returns false if all exist already.
  bool addPlaces();
  /// Adds to the deadlock that clusters wait for clusters that have yet to start.
  void tellNoRoom(Diagnostic &deadlock) const;
  Turn takeApart();
  Turn takeTogether();
  uint64_t begun() const;
  uint64_t effects() const;
  /// The effects of all clusters but the slow ones.
  uint64_t othersEffects() const;
  uint64_t othersSignals() const;
  bool hasSlow() const { return slowDevice_ || slowCluster_; }
  bool isSlow(const Resident &resident) const;
  bool hasTurn(const Resident &resident) const { return !state_.slowWaits || !isSlow(resident); }
  /// Runs the cluster for one turn.
  void runTurn(Turn &turn, bool slow);
  uint64_t horizon() const;
  /// Returns the cycle at which its places are free.
  uint64_t remove(size_t resident);

  std::vector<Grid *> grids_;
  GlobalShadow *shadow_;
  std::optional<uint32_t> slowDevice_;
  std::optional<uint64_t> slowCluster_; // its number on each device
  StepWatch *watch_;
  uint64_t clusterSize_ = 1, total_ = 1; // blocks per cluster, clusters per device
  std::vector<std::unique_ptr<ClusterRun>> pool_;
  State state_;
};

} // namespace lanescope::core::emulator
