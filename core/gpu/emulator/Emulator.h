// Runs PTX on the host: parse, decode, run the grid, give the arrays back.
//
//   auto ptx = Source::make("k.ptx", text);
//   Result<RunResult> result = emulate(ptx, launch, arrays, {});
//   result->outputs[i]       // every array of launch.buffers(), as the kernel left it
//   result->diagnostics      // an error: a fault, which ended the run; a warning: a hazard; a note (docs/checks.md)
//   result->note             // "emulated 5120 warp instructions, …: all exact"
//
// An error of the Result: the PTX cannot be read, has an instruction that the emulator does not know, or does not match
// the launch. Nothing has run then.
#pragma once

#include "core/gpu/kernel/GpuTarget.h"
#include "core/gpu/kernel/Launch.h"
#include "core/RunResult.h"

#include <atomic>
#include <span>
#include <string>
#include <vector>

namespace lanescope::core {

namespace emulator {
class DecodedKernels;
class FlightRecorder;
class Links;
struct StandingMemory;
} // namespace emulator

class Coverage;
class Progress;
struct RunRecord;

struct EmulatorOptions {
  SourceRef snippet; // what `.loc` lines of file 1 refer to; null: places are in the PTX
  uint64_t seed = 0; // the schedule (coverage/Schedule.h); of seed 0, data move as late as the rules allow
  // asynchronous operations complete when issued (wgmmas when committed), and nobody checks how they are used
  bool instant = false;
  bool checks = true;     // false: a warp that does not wait gets the wrong data without a finding, as on a GPU
  bool strict = false;    // hazards are faults
  bool keepGoing = false; // a fault does not end the run: each instruction faults once, and results come all the same
  std::vector<std::string> strictRules = {}; // rules whose hazards and notes are faults (kCheckerRules)
  bool bounds = false;  // what L2 and DRAM take is in the time (docs/cost-model.md); takes up to a fifth longer
  uint32_t threads = 0; // host threads; 0: one per core. The result does not depend on it
  emulator::FlightRecorder *flights = nullptr; // what is in flight is recorded there
  emulator::Links *links = nullptr;            // of several devices: what goes between them is recorded there
  Coverage *coverage = nullptr;                // gets what the run has shown; the run then takes one thread
  RunRecord *record = nullptr;                 // gets what each instruction has done (costs/RunRecord.h)
  emulator::DecodedKernels *decoded = nullptr; // keeps what the PTX decodes to for further runs (DecodedKernels.h)
  const GpuTarget *machine = nullptr;          // the GPU that the emulator is; null: the one that the PTX is for
  const emulator::StandingMemory *standing =
      nullptr; // what the launch reaches beside its buffers (machine/StandingMemory.h)
  double timeoutSeconds = 20;
  const std::atomic<bool> *interrupted = nullptr;
  Progress *progress = nullptr; // counts replays and blocks (core/data/Progress.h)
};

struct EmulatorStatistics {
  uint64_t warpInstructions = 0;
  uint64_t judged = 0;  // warp instructions of the runs that have judged its findings
  uint64_t cycles = 0;  // of the model, the whole grid
  uint64_t l2Bytes = 0; // between the L2 cache and the multiprocessors, where bounds are counted
  double seconds = 0;   // spent running, decoding and the arrays' way in and out left out
};

/// `arrays`: one per launch.buffers(), each of the buffer's size.
Result<RunResult> emulate(SourceRef ptx, const Launch &launch, std::span<const Array> arrays,
                          const EmulatorOptions &options, EmulatorStatistics *statistics = nullptr);

} // namespace lanescope::core
