// Finds warps that go in circles for ever: a spin on a flag that nobody will set.
//
// A warp whose registers and splits are again what they were, while nothing that others could notice has happened, does
// the same for ever: the machine is deterministic. When that holds for every warp that can run, the others wait and
// nothing is in flight, nobody will ever change what they poll.
//
//   SpinWatch watch;
//   watch.add(*cluster);                         // RunState::Running: go on; Waiting: all of it goes in circles
//   if (watch.circles()) watch.report();         // sets the first cluster's fault
//
// Programs that read a clock are not judged: their loops may end by themselves.
#pragma once

#include "core/gpu/emulator/schedule/ClusterRun.h"

#include <vector>

namespace lanescope::core::emulator {

class SpinWatch {
public:
  /// Runs the cluster until its warps are known to circle (Waiting), something has happened, or that takes too long
  /// (Running); Finished and Faulted as ClusterRun::run() says.
  RunState add(ClusterRun &cluster);
  /// All clusters added circle, and none has done anything since the first was added.
  bool circles() const;
  /// Sets the fault of the first cluster: who polls what, who waits for what.
  void report();

private:
  /// Where a warp was.
  struct Place {
    std::vector<std::byte> registers, local;
    std::vector<Split> splits;
    uint32_t current = 0;
    uint64_t steps = 0, next = 1; // since it was taken, and after how many another one is
    bool again = false;           // the warp has come back to it
  };
  /// A load or an atomic of a warp's circle.
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
  };

  static Place placeOf(const Warp &warp);
  static bool isAt(const Warp &warp, const Place &place);
  /// Single steps until all warps that can run have come back to where they were.
  RunState follow(ClusterRun &cluster, std::vector<std::vector<Place>> &places);
  std::vector<Circle> lap(ClusterRun &cluster);
  static void note(Circle &circle, const Instr &instr, uint32_t pc, uint32_t mask);
  static std::string describe(const Circle &circle, const Poll &poll);
  /// Of several devices: which have signalled where the warp polls, and which have not.
  static std::vector<Note> signallersOf(const Circle &circle, const Poll &poll);

  std::vector<ClusterRun *> clusters_;
  std::vector<uint64_t> effects_;
};

} // namespace lanescope::core::emulator
