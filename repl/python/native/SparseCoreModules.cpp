#include "repl/python/native/SparseCoreModules.h"

#include "core/tpu/decode/Decode.h"
#include "core/tpu/emulator/TpuEmulator.h"
#include "core/tpu/ir/TpuContext.h"
#include "layouts/support/Try.h"
#include "repl/python/native/Convert.h"
#include "repl/python/native/PythonHost.h"
#include "repl/python/native/PythonPlaces.h"
#include "repl/python/native/Reporter.h"
#include "repl/python/native/Support.h"

namespace lanescope::python {
namespace {

using repl::Value;

struct TpuModuleRequest {
  SourceRef module;
  PythonPlaces places;
  bool recorded = true;
  std::vector<core::Array> inputs;
  core::sparsecore::EmulatorOptions options;
};

struct Answer {
  core::RunResult result;
  std::vector<uint32_t> operands;
};

/// Records the call, as the session records every launch.
void record(TpuModuleRequest &request, const core::RunResult &result) {
  core::KernelStages stages;
  stages.stages.push_back(request.places.stage(core::kIrStage));
  stages.sources = {request.module};
  auto moved = std::make_shared<core::RunResult>(result);
  moved->diagnostics = request.places.moved(std::move(moved->diagnostics));
  const std::string &file = request.module->name();
  Host::get().session().kernels().record(
      {.kernel = file.substr(0, file.rfind('.')),
       .call = request.places.call(),
       .device = "emulator",
       .stages = std::make_shared<core::KernelStages>(request.places.moved(std::move(stages))),
       .inputs = std::move(request.inputs),
       .result = std::move(moved)});
}

Result<Answer> run(TpuModuleRequest &request) {
  core::IrContext context = core::makeTpuContext();
  auto module = LANESCOPE_TRY(core::parseModule(context, request.module));
  auto program = LANESCOPE_TRY(core::decodeProgram(module));
  Answer out;
  out.result = LANESCOPE_TRY(core::sparsecore::emulate(program, request.inputs, request.options));
  out.operands = core::sparsecore::outputOperands(program, request.inputs.size());
  if (request.recorded && Reporter::get().active())
    record(request, out.result);
  return out;
}

std::optional<TpuModuleRequest> readTpuModuleRequest(PyObject *arguments) {
  const char *name = nullptr, *text = nullptr;
  Py_ssize_t size = 0;
  PyObject *list = nullptr, *inputs = nullptr, *shapes = nullptr;
  int tiles = 0, fast = 0, recorded = 0;
  unsigned long long seed = 0;
  TpuModuleRequest out;
  if (!PyArg_ParseTuple(arguments, "ss#O!O!O!pKppd", &name, &text, &size, &PyList_Type, &list, &PyList_Type, &inputs,
                        &PyList_Type, &shapes, &tiles, &seed, &fast, &recorded, &out.options.timeoutSeconds))
    return std::nullopt;
  out.module = Source::make(name, std::string(text, static_cast<size_t>(size)));
  auto lines = readLines(list);
  if (!lines)
    return std::nullopt;
  out.places = PythonPlaces(out.module, *std::move(lines));
  out.recorded = recorded != 0;
  out.options.tensorCoreTiles = tiles != 0;
  out.options.seed = seed;
  out.options.instant = fast != 0;
  out.options.checks = fast == 0;
  for (Py_ssize_t i = 0; i < PyList_Size(inputs); ++i) {
    auto value = fromPython(PyList_GetItem(inputs, i));
    if (!value)
      return std::nullopt;
    const core::Array *array = value->asArray();
    if (!array)
      return PyErr_Format(PyExc_TypeError, "input %zd of `%s` is no array", i, name), std::nullopt;
    out.inputs.push_back(*array);
  }
  for (Py_ssize_t i = 0; i < PyList_Size(shapes); ++i) {
    PyObject *shape = PyList_GetItem(shapes, i);
    core::Shape &sizes = out.options.outputShapes.emplace_back();
    for (Py_ssize_t n = 0; n < PyTuple_Size(shape); ++n)
      sizes.push_back(PyLong_AsLongLong(PyTuple_GetItem(shape, n)));
  }
  return PyErr_Occurred() ? std::nullopt : std::optional(std::move(out));
}

} // namespace

PyObject *runSparseCore(PyObject *, PyObject *arguments) {
  auto request = readTpuModuleRequest(arguments);
  if (!request)
    return nullptr;
  auto answer = Host::get().enter([&](repl::Evaluator &evaluator) {
    request->options.interrupted = &evaluator.interruptFlag();
    return run(*request);
  });
  if (!answer)
    return raise(answer.error());
  std::vector<Value> arrays, operands;
  for (core::Array &array : answer->result.outputs)
    arrays.emplace_back(std::move(array));
  for (uint32_t operand : answer->operands)
    operands.emplace_back(static_cast<int64_t>(operand));
  Ref findings(PyList_New(0)), outputs = toPython(Value::list(std::move(arrays))),
                               numbers = toPython(Value::list(std::move(operands)));
  for (const Diagnostic &each : answer->result.diagnostics)
    if (Ref one = toPython(each); !one || PyList_Append(findings.get(), one.get()) != 0)
      return nullptr;
  return outputs && numbers ? Py_BuildValue("{s:O,s:O,s:O,s:s}", "outputs", outputs.get(), "operands", numbers.get(),
                                            "findings", findings.get(), "printed", answer->result.printed.c_str())
                            : nullptr;
}

} // namespace lanescope::python
