#include "repl/python/native/Reporter.h"

#include "core/data/Files.h"
#include "core/gpu/codegen/StageKinds.h"
#include "repl/program/CallMessage.h"
#include "repl/python/native/PythonHost.h"

#include <cerrno>
#include <filesystem>
#include <unistd.h>

namespace lanescope::python {

namespace {

constexpr uint64_t kMostFaultsSent = 16; // limit for calls with faults whose code was sent before
constexpr size_t kKeptLaunches = 4;      // limits the memory of a program that calls kernels for hours

} // namespace

Reporter &Reporter::get() {
  static auto *reporter = new Reporter; // lives until the process ends, like the session that calls it
  return *reporter;
}

void Reporter::begin(int descriptor, std::string path, std::string text, bool markValues) {
  descriptor_ = descriptor;
  owner_ = ::getpid();
  std::lock_guard lock(mutex_);
  texts_[path] = Source::make(path, std::move(text));
  repl::KernelOptions &options = Host::get().session().kernels().options();
  options.keepTexts = true;
  options.markValues = markValues;
  options.maxLaunches = kKeptLaunches;
  options.onLaunch = [this](const repl::KernelLaunch &launch) {
    ++Host::launches;
    launched(launch);
  };
}

SourceRef Reporter::textOf(const std::string &name) {
  std::lock_guard lock(mutex_);
  auto [at, fresh] = texts_.try_emplace(name);
  std::error_code ignored;
  if (fresh && name.ends_with(".py") && std::filesystem::is_regular_file(name, ignored))
    if (auto read = core::readSource(name, core::FileRole::Snippet))
      at->second = *read;
  return at->second;
}

void Reporter::launched(const repl::KernelLaunch &launch) {
  std::lock_guard lock(mutex_);
  if (!launch.stages || !reports())
    return;
  ++calls_;
  bool faulted = launch.result && hasErrors(launch.result->diagnostics);
  faults_ += faulted ? 1 : 0;
  const auto &kernel = launch.stages->kernel;
  const core::Stage *last = launch.stages->stages.empty() ? nullptr : &launch.stages->stages.back();
  bool fresh = known_.insert(launch.kernel + '\0' + (kernel ? kernel->ptx : last ? last->text() : "")).second;
  if (!fresh && (!faulted || ++faultsSent_ > kMostFaultsSent))
    return;
  core::Frame frame = repl::encodeCall(launch, [this](const std::string &name) { return textOf(name); });
  sendFrame(core::outgoingFrame(frame.json, {frame.blob}));
}

void Reporter::launched(const SourceRef &ptx, core::Launch launch, std::vector<core::Array> arrays,
                        const core::RunResult &result) {
  auto stages = std::make_shared<core::KernelStages>();
  stages->stages.push_back({core::kPtxStage, ptx});
  core::CompiledKernel &kernel = stages->kernel.emplace();
  kernel.name = launch.entry;
  kernel.ptx = ptx->text();
  for (size_t i = 0; i < arrays.size(); ++i)
    kernel.outputs.push_back(static_cast<uint32_t>(i));
  kernel.launch = std::move(launch);
  launched({.kernel = kernel.name,
            .call = {},
            .device = "emulator",
            .stages = std::move(stages),
            .inputs = std::move(arrays),
            .result = std::make_shared<const core::RunResult>(result)});
}

void Reporter::send(std::string_view json) {
  std::lock_guard lock(mutex_);
  if (reports())
    sendFrame(core::outgoingFrame(json));
}

/// True if this process sends calls. A child process that the program forks has the descriptor too, but its frames
/// would mix with those of its parent, so it sends none.
bool Reporter::reports() const { return descriptor_ >= 0 && owner_ == ::getpid(); }

void Reporter::sendFrame(const core::OutgoingFrame &frame) {
  write(frame.head);
  for (std::span<const std::byte> part : frame.parts)
    write(part);
}

void Reporter::write(std::span<const std::byte> bytes) {
  while (descriptor_ >= 0 && !bytes.empty()) {
    ssize_t done = ::write(descriptor_, bytes.data(), bytes.size());
    if (done >= 0)
      bytes = bytes.subspan(static_cast<size_t>(done));
    else if (errno != EINTR)
      descriptor_ = -1; // the receiver has closed its end; the program continues
  }
}

PyObject *reportTo(PyObject *, PyObject *arguments) {
  int descriptor = -1, marks = 0;
  const char *path = nullptr, *text = nullptr;
  Py_ssize_t size = 0;
  if (!PyArg_ParseTuple(arguments, "iss#p", &descriptor, &path, &text, &size, &marks))
    return nullptr;
  Reporter::get().begin(descriptor, path, std::string(text, static_cast<size_t>(size)), marks != 0);
  Py_RETURN_NONE;
}

PyObject *report(PyObject *, PyObject *json) {
  Py_ssize_t size = 0;
  const char *text = PyUnicode_AsUTF8AndSize(json, &size);
  if (!text)
    return nullptr;
  {
    WithoutLock unlocked;
    Reporter::get().send({text, static_cast<size_t>(size)});
  }
  Py_RETURN_NONE;
}

PyObject *reported(PyObject *, PyObject *) {
  return Py_BuildValue("KK", static_cast<unsigned long long>(Reporter::get().calls()),
                       static_cast<unsigned long long>(Reporter::get().faults()));
}

} // namespace lanescope::python
