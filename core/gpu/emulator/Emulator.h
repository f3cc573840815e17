// Runs PTX on the host: parses it, decodes it, runs the grid, and returns the arrays.
//
//   auto ptx = Source::make("k.ptx", text);
//   Result<RunResult> result = emulate(ptx, launch, arrays, {});
//   result->outputs[i]       // every array of launch.buffers(), as the kernel left it
//   result->diagnostics      // an error: a fault, which ended the run; a warning: a hazard; a note (docs/checks.md)
//   result->note             // "emulated 5120 warp instructions, …: all exact"
//
// The Result is an error if the PTX cannot be read, has an instruction that the emulator does not know, or does not
// match the launch. In this case nothing has run.
#pragma once

#include "core/gpu/emulator/ChosenBlocks.h"
#include "core/gpu/kernel/GpuTarget.h"
#include "core/gpu/kernel/Launch.h"
#include "core/RunResult.h"

#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lanescope::core {

namespace emulator {
class DecodedKernels;
class FlightRecorder;
class Links;
struct RunPart;
struct StandingMemory;
} // namespace emulator

class Coverage;
class Progress;
struct RunRecord;

struct EmulatorOptions {
  SourceRef snippet; // file 1 of `.loc`; null: findings refer to the PTX
  uint64_t seed = 0; // selects the schedule (coverage/Schedule.h); with seed 0, data move as late as the rules allow
  // Asynchronous operations complete when issued (wgmmas when committed), and their use is not checked.
  bool instant = false;
  bool checks = true;  // false: a warp that does not wait reads wrong data without a finding, as on a GPU
  bool strict = false; // hazards are faults
  // A fault does not end the run; each instruction faults at most once, and the run returns results.
  bool keepGoing = false;
  std::vector<std::string> strictRules = {}; // rules whose hazards and notes are faults (kCheckerRules)
  bool bounds = false;     // models the limits of L2 and DRAM (docs/cost-model.md); a run takes up to a fifth longer
  uint32_t threads = 0;    // host threads; 0: one per core. The result does not depend on their number
  BlockChoice blocks = {}; // the blocks that run. What the other blocks would write, or signal, is missing
  emulator::FlightRecorder *flights = nullptr; // records what is in flight
  emulator::Links *links = nullptr;            // records the traffic between several devices
  Coverage *coverage = nullptr;                // collects what the run covered; the run then takes one thread
  RunRecord *record = nullptr;                 // receives each instruction's work (costs/RunRecord.h)
  emulator::DecodedKernels *decoded = nullptr; // keeps the decoded PTX for further runs (DecodedKernels.h)
  const GpuTarget *machine = nullptr;          // the GPU to imitate; null: the target that the PTX names
  // Only these clusters run, from the memory that earlier ones left (RunPart.h); null: the whole launch.
  emulator::RunPart *part = nullptr;
  // Memory that the launch can access in addition to its buffers (machine/StandingMemory.h).
  const emulator::StandingMemory *standing = nullptr;
  // The buffers that the kernel is known to write. Any other buffer whose array is lent (data/ArrayBytes.h) stays in
  // its caller's memory while it is only read.
  std::span<const uint32_t> written = {};
  double timeoutSeconds = 20;
  const std::atomic<bool> *interrupted = nullptr;
  Progress *progress = nullptr; // counts replays and blocks (core/data/Progress.h)
};

struct EmulatorStatistics {
  uint64_t warpInstructions = 0;
  uint64_t judged = 0;                     // warp instructions of the replays that graded its findings
  uint64_t cycles = 0;                     // modelled cycles of the whole grid
  uint64_t l2Bytes = 0;                    // traffic between the L2 cache and the multiprocessors, if `bounds` is set
  std::optional<uint64_t> wavefronts = {}; // wavefronts that bank conflicts added, if they were counted
  double seconds = 0;                      // time to run, without decoding and without copying arrays in and out
};

/// `arrays`: one per launch.buffers(), with the buffer's size.
Result<RunResult> emulate(SourceRef ptx, const Launch &launch, std::span<const Array> arrays,
                          const EmulatorOptions &options, EmulatorStatistics *statistics = nullptr);

} // namespace lanescope::core
