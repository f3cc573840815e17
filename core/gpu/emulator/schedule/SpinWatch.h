// Finds livelocks: warps that repeat the same steps for ever, such as a spin on a flag that nothing will set.
//
// If a warp's registers and splits are again what they were, and nothing that other warps could notice has happened,
// the warp repeats itself for ever, since the machine is deterministic. If that holds for every warp that can run, the
// other warps wait, and nothing is in flight, then what they poll never changes.
//
//   SpinWatch watch;
//   watch.add(*cluster);                         // RunState::Running: go on; Waiting: the whole cluster repeats itself
//   if (watch.circles()) watch.report();         // sets the first cluster's fault
//
// Programs that read a clock are not checked: their loops may end by themselves.
#pragma once

#include "core/gpu/emulator/schedule/ClusterRun.h"

#include <vector>

namespace lanescope::core::emulator {

class SpinWatch {
public:
  /// Runs the cluster until its warps are known to repeat themselves (Waiting), or something has happened, or that
  /// takes too long (Running). Finished and Faulted are as in ClusterRun::run().
  RunState add(ClusterRun &cluster);
  /// True if all added clusters repeat themselves, and none has had an effect since the first was added.
  bool circles() const;
  /// Sets the fault of the first cluster: which warp polls what, and which waits for what.
  void report();

private:
  /// A recorded state of a warp.
  struct Place {
    std::vector<std::byte> registers, local;
    std::vector<Split> splits;
    uint32_t current = 0;
    uint64_t steps = 0, next = 1; // steps since it was recorded, and steps after which another state is recorded
    uint64_t circled = 0;         // the splits that have returned to such a state, one bit each
    bool again = false;           // all splits of the warp have
  };
  /// A load or an atomic that a warp repeats.
  struct Poll {
    const Instr *instr = nullptr;
    uint32_t lane = 0;
    uint64_t address = 0, value = 0;
    const Instr *compare = nullptr;
    uint64_t wanted = 0;
  };
  struct Circle {
    Warp *warp = nullptr;
    uint32_t first = kNone; // the lowest pc
    std::vector<Poll> polls;
    size_t last = 0; // the poll that was made last
  };

  static Place placeOf(const Warp &warp);
  static bool isAt(const Warp &warp, const Place &place);
  /// Its current split repeats itself. If another one can run, that one goes on, and false is returned.
  static bool allCircle(Warp &warp, Place &place);
  /// Makes single steps until all warps that can run have returned to a recorded state.
  RunState follow(ClusterRun &cluster, std::vector<std::vector<Place>> &places);
  std::vector<Circle> lap(ClusterRun &cluster);
  static void note(Circle &circle, const Instr &instr, uint32_t pc, uint32_t mask);
  static std::string describe(const Circle &circle, const Poll &poll);
  /// With several devices: which of them have signalled at the polled address, and which have not.
  static std::vector<Note> signallersOf(const Circle &circle, const Poll &poll);

  std::vector<ClusterRun *> clusters_;
  std::vector<uint64_t> effects_;
};

} // namespace lanescope::core::emulator
