// Runs a SparseCore module on the host: devices with their cores, scalar and vector subcores side by side.
//
//   auto program = decodeProgram(module);                          // core/tpu/decode/Decode.h
//   Result<RunResult> result = sparsecore::emulate(*program, {x, indices}, {});
//   result->outputs[0]       // the kernel's first output
//   result->diagnostics      // what went wrong; the first fault ends the run
//   result->printed          // tpu.log
//
// An error of the Result: arrays that do not fit the operands, an operation that the emulator does not know, no
// SparseCore kernel. Nothing has run then. Operands.h says which operands are inputs and which outputs.
#pragma once

#include "core/RunResult.h"
#include "core/tpu/emulator/Operands.h"
#include "core/tpu/program/Program.h"

#include <atomic>
#include <span>

namespace lanescope::core::sparsecore {

struct EmulatorOptions {
  uint64_t seed = 0;    // of the schedule; 0: data move as late as the rules allow
  bool instant = false; // copies complete when they are started, and nobody checks how they are used
  bool checks = true;   // false: who does not wait gets the wrong data and is not told
  bool trace = false;
  bool tensorCoreTiles = false;    // arrays without a layout are in tiles, as `use_tc_tiling_on_sc` asks for (Tiling.h)
  uint64_t vmemBytes = 0;          // of a vector subcore; 0: of the chip that has most
  uint32_t devices = 1;            // that run the kernel together, each with arrays of its own
  std::vector<Shape> outputShapes; // of outputs whose blocks do not tell them; empty: as far as the grid's blocks reach
  std::vector<BoundOperand> operands; // one for each; empty: inputs and outputs are told by what the kernels do
  double timeoutSeconds = 20;
  const std::atomic<bool> *interrupted = nullptr;
};

struct EmulatorStatistics {
  uint64_t instructions = 0;
  uint64_t copies = 0;
  double seconds = 0; // spent running
};

/// The operand (scratch and the grid's arguments not counted) of each output of a device, in order, when as many arrays
/// are given: what an array of RunResult::outputs is.
std::vector<uint32_t> outputOperands(const Program &program, size_t given);

/// `inputs`: one array an operand from the first on, those of device 0, then of device 1, …; a semaphore's is an i32
/// array of what it counts. Outputs come back in the same order: all of device 0, all of device 1, ….
Result<RunResult> emulate(const Program &program, std::span<const Array> inputs, const EmulatorOptions &options,
                          EmulatorStatistics *statistics = nullptr);

} // namespace lanescope::core::sparsecore
