// Finds livelocks: warps that repeat the same steps for ever, such as a spin on a flag that nothing will set.
//
// The machine is deterministic. If a warp's registers and splits return to an earlier state, and nothing has happened
// that other warps could notice, the warp repeats itself for ever. Suppose that every warp that can run repeats itself,
// all other warps wait, and nothing is in flight. Then the values that the warps poll never change.
//
//   SpinWatch watch;
//   watch.add(*cluster);                         // RunState::Running: go on; Waiting: the whole cluster repeats itself
//   if (watch.circles()) watch.report();         // sets the first cluster's fault
//
// Programs that read a clock are not checked, because a change of the clock may end their loops.
#pragma once

#include "core/gpu/emulator/schedule/ClusterRun.h"

#include <vector>

namespace lanescope::core::emulator {

class SpinWatch {
public:
  /// Runs the cluster until its warps are known to repeat themselves (Waiting), until something happens, or until a
  /// limit of steps is reached (both Running). Finished and Faulted mean the same as for ClusterRun::run().
  RunState add(ClusterRun &cluster);
  /// True if all added clusters repeat themselves, and none of them has had an effect since the first one was added.
  bool circles() const;
  /// Sets the fault of the first cluster: which warps poll what, and which warps wait for what.
  void report();

private:
  /// A recorded state of a warp.
  struct Place {
    std::vector<std::byte> registers, local;
    std::vector<Split> splits;
    uint32_t current = 0;
    // Steps since this state was recorded, and the number of steps after which another state is recorded.
    uint64_t steps = 0, next = 1;
    uint64_t circled = 0; // the splits that have returned to such a state, one bit each
    bool again = false;   // all splits of the warp have returned to one
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
    uint32_t first = kNone; // the lowest pc of the loop
    std::vector<Poll> polls;
    size_t last = 0; // the poll that was made last
  };

  static Place placeOf(const Warp &warp);
  static bool isAt(const Warp &warp, const Place &place);
  /// The warp's current split has returned to the state. If another split can run, makes it the current one and returns
  /// false.
  static bool allCircle(Warp &warp, Place &place);
  /// Steps through the cluster until all warps that can run have returned to a recorded state.
  RunState follow(ClusterRun &cluster, std::vector<std::vector<Place>> &places);
  std::vector<Circle> lap(ClusterRun &cluster);
  static void note(Circle &circle, const Instr &instr, uint32_t pc, uint32_t mask);
  static std::string describe(const Circle &circle, const Poll &poll);
  /// With several devices: the devices that have signalled at the polled address, and those that have not.
  static std::vector<Note> signallersOf(const Circle &circle, const Poll &poll);

  std::vector<ClusterRun *> clusters_;
  std::vector<uint64_t> effects_;
};

} // namespace lanescope::core::emulator
