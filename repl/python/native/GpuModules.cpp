#include "repl/python/native/GpuModules.h"

#include "core/gpu/codegen/DumpProgram.h"
#include "layouts/support/Try.h"
#include "repl/python/native/Convert.h"
#include "repl/python/native/Handle.h"
#include "repl/python/native/Loans.h"
#include "repl/python/native/PythonHost.h"
#include "repl/python/native/PythonPlaces.h"
#include "repl/python/native/Reporter.h"
#include "repl/python/native/Support.h"

#include <algorithm>

namespace lanescope::python {
namespace {

constexpr char kModuleCapsule[] = "lanescope.gpu_module";

struct GpuModule {
  std::string name;
  std::shared_ptr<const core::KernelStages> stages; // always has a kernel
  PythonPlaces places;
  /// `stages` with its places moved to Python. It is made when a call is reported.
  std::shared_ptr<const core::KernelStages> shown;

  const core::CompiledKernel &kernel() const { return *stages->kernel; }
};

Result<std::unique_ptr<GpuModule>> compile(const SourceRef &source, PythonPlaces places) {
  repl::KernelRuntime &runtime = Host::get().session().kernels();
  auto stages =
      LANESCOPE_TRY(core::compileDump(runtime.compiler(), source, {.keepTexts = runtime.options().keepTexts}));
  if (!stages.kernel)
    return std::unexpected(std::move(stages.diagnostics));
  auto out = std::make_unique<GpuModule>();
  out->name = stages.kernel->name;
  out->stages = std::make_shared<const core::KernelStages>(std::move(stages));
  out->places = std::move(places);
  return out;
}

struct GpuModuleRequest {
  GpuModule *module = nullptr;
  std::vector<core::Array> inputs;
  core::Emulation emulation;
  bool recorded = true;
  double timeoutSeconds = 0;
};

std::optional<GpuModuleRequest> readGpuModuleRequest(PyObject *arguments, Loans &loans) {
  PyObject *capsule = nullptr, *buffers = nullptr;
  unsigned long long seed = 0;
  int strict = 0, fast = 0, recorded = 0;
  GpuModuleRequest out;
  if (!PyArg_ParseTuple(arguments, "OO!Kpppd", &capsule, &PyList_Type, &buffers, &seed, &strict, &fast, &recorded,
                        &out.timeoutSeconds))
    return std::nullopt;
  out.module = static_cast<GpuModule *>(PyCapsule_GetPointer(capsule, kModuleCapsule));
  if (!out.module)
    return std::nullopt;
  out.emulation = Host::get().session().kernels().options().emulation;
  out.emulation.seed = seed;
  out.emulation.strict = strict != 0;
  out.emulation.fast = fast != 0;
  out.recorded = recorded != 0;
  for (Py_ssize_t i = 0; i < PyList_Size(buffers); ++i) {
    auto array = loans.during([&] { return arrayFromParts(PyList_GetItem(buffers, i)); });
    if (!array)
      return std::nullopt;
    out.inputs.push_back(*std::move(array));
  }
  return out;
}

/// Records the call, as the session records every launch.
void record(GpuModule &module, std::vector<core::Array> inputs, const core::RunResult *result) {
  if (!module.shown)
    module.shown = std::make_shared<const core::KernelStages>(module.places.moved(*module.stages));
  repl::KernelLaunch launch{.kernel = module.name,
                            .call = module.places.call(),
                            .device = "emulator",
                            .stages = module.shown,
                            .inputs = std::move(inputs),
                            .result = nullptr};
  if (result) {
    auto moved = std::make_shared<core::RunResult>(*result);
    moved->diagnostics = module.places.moved(std::move(moved->diagnostics));
    launch.result = std::move(moved);
  }
  Host::get().session().kernels().record(launch);
}

/// Runs the module. If the launch is refused, its errors are among the findings. If Ctrl-C comes, the call has an
/// error.
Result<core::RunResult> run(GpuModuleRequest &request, repl::Evaluator &evaluator) {
  core::Device *device = LANESCOPE_TRY(Host::get().session().kernels().device("emulator"));
  auto result = device->run(request.module->kernel(), request.inputs,
                            {.timeoutSeconds = request.timeoutSeconds,
                             .interrupted = &evaluator.interruptFlag(),
                             .emulation = request.emulation});
  if (request.recorded && Reporter::get().active())
    record(*request.module, std::move(request.inputs), result ? &*result : nullptr);
  return result;
}

PyObject *answer(core::RunResult result) {
  if (std::ranges::any_of(result.diagnostics, [](const Diagnostic &each) { return each.kind == "interrupted"; }))
    return raise(result.diagnostics);
  Ref findings(PyList_New(0)), outputs(PyList_New(0));
  for (core::Array &array : result.outputs) {
    auto size = static_cast<int64_t>(array.bytes.size());
    Ref bytes = makeHandle(core::Array{.dtype = core::Dtype::U8, .shape = {size}, .bytes = std::move(array.bytes)});
    if (!bytes || PyList_Append(outputs.get(), bytes.get()) != 0)
      return nullptr;
  }
  for (const Diagnostic &each : result.diagnostics)
    if (Ref one = toPython(each); !one || PyList_Append(findings.get(), one.get()) != 0)
      return nullptr;
  Ref printed(PyUnicode_DecodeUTF8(result.printed.data(), static_cast<Py_ssize_t>(result.printed.size()), "replace"));
  return printed ? Py_BuildValue("{s:O,s:O,s:O}", "outputs", outputs.get(), "findings", findings.get(), "printed",
                                 printed.get())
                 : nullptr;
}

PyObject *described(std::unique_ptr<GpuModule> module) {
  const core::CompiledKernel &kernel = module->kernel();
  Ref outputs(PyList_New(0));
  for (uint32_t output : kernel.outputs)
    if (Ref number(PyLong_FromUnsignedLong(output)); !number || PyList_Append(outputs.get(), number.get()) != 0)
      return nullptr;
  Ref info(Py_BuildValue("{s:s,s:s,s:s,s:s,s:O}", "ptx", kernel.ptx.c_str(), "launch",
                         core::toJson(kernel.launch).c_str(), "kernel", kernel.name.c_str(), "arch",
                         kernel.arch.c_str(), "outputs", outputs.get()));
  Ref capsule(PyCapsule_New(module.get(), kModuleCapsule, [](PyObject *object) {
    delete static_cast<GpuModule *>(PyCapsule_GetPointer(object, kModuleCapsule));
  }));
  if (capsule)
    (void)module.release();
  return info && capsule ? PyTuple_Pack(2, capsule.get(), info.get()) : nullptr;
}

} // namespace

PyObject *gpuModule(PyObject *, PyObject *arguments) {
  const char *name = nullptr, *text = nullptr;
  Py_ssize_t size = 0;
  PyObject *list = nullptr;
  if (!PyArg_ParseTuple(arguments, "ss#O!", &name, &text, &size, &PyList_Type, &list))
    return nullptr;
  auto lines = readLines(list);
  if (!lines)
    return nullptr;
  SourceRef source = Source::make(name, std::string(text, static_cast<size_t>(size)));
  auto module =
      Host::get().enter([&](repl::Evaluator &) { return compile(source, PythonPlaces(source, *std::move(lines))); });
  return module ? described(*std::move(module)) : raise(module.error());
}

PyObject *runGpuModule(PyObject *, PyObject *arguments) {
  Loans loans; // the call reads large arrays in Python's memory
  auto request = readGpuModuleRequest(arguments, loans);
  if (!request)
    return nullptr;
  auto result = Host::get().enter([&](repl::Evaluator &evaluator) { return run(*request, evaluator); });
  if (result)
    return answer(*std::move(result));
  core::RunResult refused;
  refused.diagnostics = std::move(result.error());
  return answer(std::move(refused));
}

} // namespace lanescope::python
