// Runs a SparseCore module on the host: devices with their cores, scalar and vector subcores side by side.
//
//   auto program = decodeProgram(module);                          // core/tpu/decode/Decode.h
//   Result<RunResult> result = sparsecore::emulate(*program, {x, indices}, {});
//   result->outputs[0]       // the kernel's first output
//   result->diagnostics      // faults and warnings; the first fault ends the run
//   result->printed          // tpu.log
//
// Errors of the Result: arrays that do not fit the operands, an operation that the emulator lacks, no SparseCore
// kernel. No code has run in these cases. KernelOperands.h finds the operands that are inputs and outputs.
#pragma once

#include "core/RunResult.h"
#include "core/tpu/emulator/KernelOperands.h"
#include "core/tpu/program/TpuProgram.h"

#include <atomic>
#include <span>

namespace lanescope::core::sparsecore {

struct EmulatorOptions {
  uint64_t seed = 0;    // the schedule's seed; 0: data move as late as the rules allow
  bool instant = false; // a copy completes at its start, and its use is not checked
  bool checks = true;   // false: the checker is off, so a missing wait gives wrong data without a report
  bool trace = false;
  bool tensorCoreTiles = false; // arrays without a layout are in tiles, as `use_tc_tiling_on_sc` requests (Tiling.h)
  uint64_t vmemBytes = 0;       // VMEM of a vector subcore in bytes; 0: as much as on the chip with the largest VMEM
  uint32_t devices = 1;         // number of devices that run the kernel together, each with its own arrays
  // Shapes of outputs, where blocks do not determine them. If empty, an output extends to the end of the grid's blocks.
  std::vector<Shape> outputShapes;
  // One for each operand; if empty, the kernels' reads and writes decide inputs and outputs.
  std::vector<BoundOperand> operands;
  double timeoutSeconds = 20;
  const std::atomic<bool> *interrupted = nullptr;
};

struct EmulatorStatistics {
  uint64_t instructions = 0;
  uint64_t copies = 0;
  double seconds = 0; // time spent running
};

/// The operand (not counting scratch and the grid's arguments) of each output of a device, in order, if that many
/// arrays are given. So it identifies the arrays of RunResult::outputs.
std::vector<uint32_t> outputOperands(const Program &program, size_t given);

/// `inputs`: one array per operand, from the first on: those of device 0, then of device 1, …. For a semaphore operand,
/// the array has its counts as i32. Outputs are in the same order: all of device 0, all of device 1, ….
Result<RunResult> emulate(const Program &program, std::span<const Array> inputs, const EmulatorOptions &options,
                          EmulatorStatistics *statistics = nullptr);

} // namespace lanescope::core::sparsecore
