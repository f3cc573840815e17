// The worker's side of the protocol: answers runs until the other side closes the connection.
#pragma once

#include "core/gpu/runtime/Messages.h"

#include <functional>
#include <string>

namespace lanescope::core {

/// The backend that runs kernels for the worker.
struct WorkerBackend {
  Hello hello;
  /// Called before a run has arrived completely, while its arrays are received. Problems are reported by `run`.
  std::function<void(const Announcement &)> prepare = [](const Announcement &) {};
  std::function<Result<RunReply>(const RunRequest &, const StageReport &)> run;
};

/// The GPUs of this machine (`ordinals`: as for Gpu::open). Without a GPU, the hello has the reason, and runs fail with
/// "no-gpu". `program` names the worker.
WorkerBackend gpuBackend(std::string program, const std::vector<int> &ordinals = {});
/// The emulator, instead of a GPU. `emulation` has the options of its runs.
WorkerBackend emulatorBackend(std::string program, const Emulation &emulation = {});

/// Serves on standard input and output until the input ends; then returns exit status 0, or 1 after a message that it
/// cannot read. Text printed by kernels does not interfere: standard output is redirected to a file during that time.
/// If a run made the GPU's context unusable, the worker answers it and then ends the process at once.
int serveWorker(const WorkerBackend &backend);

} // namespace lanescope::core
