#include "repl/kernel/launch/Launches.h"

#include "core/gpu/emulator/EmulatorDevice.h"
#include "core/gpu/runtime/WorkerDevice.h"
#include "core/tpu/ir/TpuContext.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <filesystem>
#include <mutex>

namespace lanescope::repl {

KernelRuntime::KernelRuntime(KernelOptions options) : options_(std::move(options)) {
  if (options_.waiting) // `tune` waits for several workers at once
    options_.waiting = [waiting = std::move(options_.waiting),
                        mutex = std::make_shared<std::mutex>()](const std::string &line) {
      std::scoped_lock lock(*mutex);
      waiting(line);
    };
}
KernelRuntime::~KernelRuntime() = default;

core::Compiler &KernelRuntime::compiler() {
  if (!compiler_)
    compiler_ = std::make_unique<core::Compiler>();
  return *compiler_;
}

core::IrContext &KernelRuntime::tpuContext() {
  if (!tpuContext_)
    tpuContext_ = std::make_unique<core::IrContext>(core::makeTpuContext());
  return *tpuContext_;
}

std::shared_ptr<const core::KernelStages> KernelRuntime::compiledBefore(const std::string &fingerprint,
                                                                        const SourceRef &source) {
  if (auto found = compiled_.find(fingerprint); found != compiled_.end())
    return found->second;
  auto kernel = core::KernelCache(options_.cacheFolder).find(fingerprint, source);
  if (!kernel)
    return nullptr;
  auto stages = std::make_shared<core::KernelStages>();
  stages->stages.push_back({core::kPtxStage, Source::make(text(kernel->name, core::kPtxStage.suffix), kernel->ptx)});
  stages->kernel = *std::move(kernel);
  compiled_.emplace(fingerprint, stages);
  return stages;
}

void KernelRuntime::keepCompiled(const std::string &fingerprint, std::shared_ptr<const core::KernelStages> stages) {
  constexpr size_t kMost = 256;
  if (!stages->kernel || !stages->diagnostics.empty()) // a later call has to report the messages again
    return;
  if (stages->sources.empty()) // the cache's files hold no texts of stages
    core::KernelCache(options_.cacheFolder).store(fingerprint, *stages->kernel);
  if (compiled_.size() >= kMost)
    compiled_.clear();
  compiled_.insert_or_assign(fingerprint, std::move(stages)); // kernels refer to the newest stages of a fingerprint
}

/// The result without its arrays.
static std::shared_ptr<const core::RunResult> withoutArrays(const core::RunResult &result) {
  auto out = std::make_shared<core::RunResult>();
  out->trace = result.trace;
  out->timeUs = result.timeUs;
  out->device = result.device;
  out->printed = result.printed;
  out->note = result.note;
  out->diagnostics = result.diagnostics;
  return out;
}

void KernelRuntime::record(const KernelLaunch &launch) {
  if (launch.device == "gpu" && launch.result)
    lastGpu_ = launch.result->device;
  if (options_.onLaunch)
    options_.onLaunch(launch);
  if (launches_.size() >= std::max<size_t>(1, options_.maxLaunches)) {
    launches_.erase(launches_.begin());
    ++forgotten_;
  }
  launches_.push_back(
      {.kernel = launch.kernel,
       .call = launch.call,
       .device = launch.device,
       .stages = launch.stages,
       .inputs = options_.recordInputs ? launch.inputs : std::vector<core::Array>(),
       .result = launch.result && options_.maxLaunches == 0 ? withoutArrays(*launch.result) : launch.result});
}

void KernelRuntime::forgetLast() {
  if (!launches_.empty())
    launches_.pop_back();
}

std::filesystem::path KernelRuntime::tunedFile() const {
  return options_.cacheFolder.empty() ? std::filesystem::path() : options_.cacheFolder.parent_path() / "tuned.json";
}

Diagnostics KernelRuntime::forgottenLaunches() const {
  if (forgotten_ == 0)
    return {};
  return {{Severity::Warning,
           "launches-left-out",
           launches_.front().call,
           text("there were ", forgotten_ + launches_.size(), " launches; only the last ", launches_.size(),
                " are saved, from this one on"),
           {}}};
}

/// The lines of a text: at least one, which may be empty.
static std::vector<std::string> linesOf(std::string_view words) {
  std::vector<std::string> out;
  for (size_t end = words.find('\n'); end != words.npos; end = words.find('\n')) {
    out.emplace_back(words.substr(0, end));
    words.remove_prefix(end + 1);
  }
  out.emplace_back(words);
  return out;
}

std::string KernelRuntime::resolveDevice(const std::string &name) const {
  if (name != "auto")
    return name;
  // The driver's device file is cheap to look for, and without it no GPU can be opened. A worker command means that the
  // GPU is on another machine.
  std::error_code ignored;
  bool gpu = !options_.worker.empty() || std::filesystem::exists("/dev/nvidiactl", ignored);
  return gpu ? "gpu" : "emulator";
}

Result<core::Device *> KernelRuntime::device(const std::string &wanted) {
  std::string name = resolveDevice(wanted);
  auto found = devices_.find(name);
  if (found == devices_.end()) {
    if (name != "gpu" && name != "emulator")
      return error("device", Message("there is no device `{name}`; it is \"gpu\", \"emulator\" or \"auto\"", name));
    found =
        devices_
            .emplace(name, name == "gpu" ? core::makeWorkerDevice(linesOf(options_.worker).front(), options_.waiting)
                                         : core::makeEmulatorDevice())
            .first;
  }
  return found->second.get();
}

void KernelRuntime::setWorkers(std::string commands) {
  if (commands == options_.worker)
    return;
  options_.worker = std::move(commands);
  devices_.erase("gpu");
  moreGpus_.clear();
}

Result<std::vector<core::Device *>> KernelRuntime::gpus() {
  std::vector<std::string> commands = linesOf(options_.worker);
  std::vector<core::Device *> out = {LANESCOPE_TRY(device("gpu"))};
  while (moreGpus_.size() + 1 < commands.size())
    moreGpus_.push_back(core::makeWorkerDevice(commands[moreGpus_.size() + 1], options_.waiting));
  for (const auto &each : moreGpus_)
    out.push_back(each.get());
  return out;
}

void KernelRuntime::setDevice(const std::string &name, std::unique_ptr<core::Device> device) {
  devices_[name] = std::move(device);
}

Diagnostics noStage(const KernelLaunch &launch, std::string_view wanted) {
  std::vector<std::string> there;
  for (const core::Stage &stage : launch.stages->stages)
    there.push_back(text("`", stage.kind.id, "`"));
  return {{Severity::Error,
           "no-stage",
           launch.call,
           text("kernel `", launch.kernel, "` is lowered to ", joined(there, ", "),
                " and no further: its target has no `", wanted, "`, ask for what there is"),
           {}}};
}

} // namespace lanescope::repl
