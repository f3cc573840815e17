// PTX that is ready to run: parsed, decoded, with observers added, and with a grid that has the run's settings. The
// memory for the run is in LaunchImage.
#pragma once

#include "core/gpu/emulator/conflicts/BankConflicts.h"
#include "core/gpu/emulator/conflicts/GlobalTraffic.h"
#include "core/gpu/emulator/costs/InstructionRecorder.h"
#include "core/gpu/emulator/DecodedKernels.h"
#include "core/gpu/emulator/Emulator.h"
#include "core/gpu/emulator/record/DeviceLinks.h"

#include <memory>
#include <optional>

namespace lanescope::core::emulator {

struct PreparedRun {
  std::shared_ptr<const DecodedKernel> kernel;
  Program program; // the kernel's program, with the observers' handlers
  RecordedGrid grid;
  std::optional<GpuTarget> machine; // if the launch names its GPU's multiprocessors
  std::optional<Observer> observer;
  std::optional<BankConflicts> conflicts;
  std::optional<GlobalTraffic> traffic; // only with bounds, on one device
  std::optional<InstructionRecorder> recorder;
  std::optional<Links> links; // for several devices, if the options give no links

  /// Errors are those of emulate(), placed at the snippet's lines where these are known.
  static Result<std::unique_ptr<PreparedRun>> of(const SourceRef &ptx, const Launch &launch,
                                                 const EmulatorOptions &options);
};

} // namespace lanescope::core::emulator
