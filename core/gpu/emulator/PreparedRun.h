// PTX made ready to run: parsed, decoded, those who look on put in, and a grid that says how it runs. What memory it
// runs on is LaunchImage's.
#pragma once

#include "core/gpu/emulator/conflicts/BankConflicts.h"
#include "core/gpu/emulator/conflicts/GlobalTraffic.h"
#include "core/gpu/emulator/costs/InstructionRecorder.h"
#include "core/gpu/emulator/DecodedKernels.h"
#include "core/gpu/emulator/Emulator.h"
#include "core/gpu/emulator/record/Links.h"

#include <memory>
#include <optional>

namespace lanescope::core::emulator {

struct PreparedRun {
  std::shared_ptr<const DecodedKernel> kernel;
  Program program; // the kernel's, with the handlers of those who look on
  RecordedGrid grid;
  std::optional<Observer> observer;
  std::optional<BankConflicts> conflicts;
  std::optional<GlobalTraffic> traffic; // where bounds are asked for, on one device
  std::optional<InstructionRecorder> recorder;
  std::optional<Links> links; // of several devices, where the options name none

  /// Errors: those of emulate(), at the snippet's lines where it has some.
  static Result<std::unique_ptr<PreparedRun>> of(const SourceRef &ptx, const Launch &launch,
                                                 const EmulatorOptions &options);
};

} // namespace lanescope::core::emulator
