// The worker's side of the protocol: answers runs until the other side hangs up.
#pragma once

#include "core/gpu/runtime/Messages.h"

#include <functional>
#include <string>

namespace lanescope::core {

/// What runs the kernels.
struct WorkerBackend {
  Hello hello;
  /// Called where a run has yet to come as a whole; what is wrong `run` tells. Its input is read meanwhile.
  std::function<void(const Announcement &)> prepare = [](const Announcement &) {};
  std::function<Result<RunReply>(const RunRequest &, const StageReport &)> run;
};

/// The GPUs of this machine (`ordinals`: as Gpu::open takes them); without one the hello says why, and runs fail with
/// "no-gpu". `program` names the worker.
WorkerBackend gpuBackend(std::string program, const std::vector<int> &ordinals = {});
/// The emulator in the GPU's place: runs are checked as `emulation` says.
WorkerBackend emulatorBackend(std::string program, const Emulation &emulation = {});

/// Serves on standard input and output until the input ends: exit status 0; after a message that it cannot read, 1.
/// What kernels print does not get in the way: standard output is a file of our own during that time. A run that cost
/// the GPU's context is answered, then the process ends at once.
int serveWorker(const WorkerBackend &backend);

} // namespace lanescope::core
