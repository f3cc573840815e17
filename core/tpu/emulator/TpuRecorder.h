// Records a run as a trace: a track for each subcore with the kernel's own regions (tpu.trace_start) and the subcore's
// waits, and separate tracks for copies in flight. Times are the cost model's.
#pragma once

#include "core/tpu/emulator/TpuMachine.h"
#include "core/Trace.h"

namespace lanescope::core::sparsecore {

class Recorder {
public:
  void begin(const Subcore &s, const std::string &name);
  void end(const Subcore &s);
  void waited(const Subcore &s, double since, double until, std::string_view what);
  void copy(const Subcore &s, const Copy &copy, size_t rows);
  /// The trace of the run, which must be over.
  Trace take(const Machine &m);

private:
  static constexpr size_t kMostEntries = 1 << 18; // the limit for each kind

  struct Open {
    std::string name;
    double begin = 0;
  };
  struct Slice {
    uint32_t subcore = 0, depth = 0;
    std::string name;
    double begin = 0, end = 0;
  };
  struct Flight {
    uint32_t subcore = 0, place = 0;
    std::string name;
    uint64_t bytes = 0;
    double begin = 0, end = 0;
  };
  void add(Slice slice);

  std::map<uint32_t, std::vector<Open>> open_;
  std::vector<Slice> slices_;
  std::vector<Flight> flights_;
  uint64_t dropped_ = 0;
};

} // namespace lanescope::core::sparsecore
