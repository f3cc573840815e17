#include "repl/python/native/Ptx.h"

#include "core/gpu/emulator/Emulator.h"
#include "core/gpu/emulator/LaunchSketch.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/python/native/Convert.h"
#include "repl/python/native/Loans.h"
#include "repl/python/native/PythonHost.h"
#include "repl/python/native/Reporter.h"
#include "repl/python/native/Support.h"

namespace lanescope::python {
namespace {

using repl::Value;

struct PtxRequest {
  SourceRef ptx;
  std::string entry;
  std::array<uint32_t, 3> grid{}, block{}, cluster{};
  uint32_t dynamicSmem = 0;
  bool cooperative = false;
  std::vector<Value> arguments;
};

bool isBytes(const Value &value) {
  const auto *object = value.as<PythonObject>();
  return object && PyBytes_Check(object->object()) != 0;
}

core::BytesParam bytesParam(const Value &value) {
  WithLock locked;
  char *data = nullptr;
  Py_ssize_t size = 0;
  core::BytesParam out;
  if (PyBytes_AsStringAndSize(value.as<PythonObject>()->object(), &data, &size) == 0) {
    const auto *bytes = reinterpret_cast<const std::byte *>(data);
    out.data.assign(bytes, bytes + size);
  }
  return out;
}

/// The launch. Numbers get the types of the entry's declared parameters, and arrays become buffers of the same size.
Result<core::Launch> launchOf(const PtxRequest &request) {
  core::SketchOptions options{.entry = request.entry, .grid = request.grid};
  options.cluster = request.cluster;
  options.dynamicSmem = request.dynamicSmem;
  for (size_t i = 0; i < request.arguments.size(); ++i)
    if (request.arguments[i].number())
      options.arguments[text(i)] = repl::repr(request.arguments[i]);
  core::Launch launch = LANESCOPE_TRY(core::sketchLaunch(request.ptx, options)).launch;
  launch.block = request.block;
  launch.cooperative = request.cooperative;
  if (request.arguments.size() != launch.params.size())
    return error("arguments", Message("the entry `{}` has {parameters} parameters, but {count} arguments are given",
                                      launch.entry, launch.params.size(), request.arguments.size()));
  for (size_t i = 0; i < launch.params.size(); ++i) {
    const Value &value = request.arguments[i];
    if (const core::Array *array = value.asArray()) {
      launch.params[i] =
          core::BufferParam{{.dtype = array->dtype, .shape = array->shape, .name = text("argument ", i)}};
    } else if (isBytes(value)) {
      const auto *declared = std::get_if<core::BytesParam>(&launch.params[i]);
      core::BytesParam given = bytesParam(value);
      if (!declared || given.data.size() > declared->size)
        return error("arguments", Message("argument {} has {bytes} bytes, and its parameter {}", i, given.data.size(),
                                          declared ? text("has ", declared->size) : "is no struct"));
      given.size = declared->size;
      given.align = declared->align;
      launch.params[i] = std::move(given);
    } else if (!value.number()) {
      return error(
          "arguments",
          Message("argument {} is a `{type}`; a launch takes arrays, numbers, and bytes for a struct passed by value",
                  i, value.typeName()));
    }
  }
  return launch;
}

Result<core::RunResult> run(const PtxRequest &request, repl::Evaluator &evaluator) {
  core::Launch launch = LANESCOPE_TRY(launchOf(request));
  std::vector<core::Array> arrays;
  for (const Value &value : request.arguments)
    if (const core::Array *array = value.asArray())
      arrays.push_back(*array);
  const repl::KernelOptions &options = Host::get().session().kernels().options();
  ++Host::launches;
  core::RunResult result = LANESCOPE_TRY(core::emulate(request.ptx, launch, arrays,
                                                       {.seed = options.emulation.seed,
                                                        .instant = options.emulation.fast,
                                                        .strict = options.emulation.strict,
                                                        .keepGoing = options.emulation.keepGoing,
                                                        .strictRules = options.emulation.strictRules,
                                                        .timeoutSeconds = options.timeoutSeconds,
                                                        .interrupted = &evaluator.interruptFlag()}));
  if (Reporter::get().active())
    Reporter::get().launched(request.ptx, std::move(launch), std::move(arrays), result);
  return result;
}

bool readSizes(PyObject *tuple, std::array<uint32_t, 3> &out) {
  return PyArg_ParseTuple(tuple, "III", &out[0], &out[1], &out[2]) != 0;
}

std::optional<PtxRequest> readPtxRequest(PyObject *arguments, Loans &loans) {
  const char *path = nullptr, *text = nullptr, *entry = nullptr;
  Py_ssize_t size = 0;
  PyObject *grid = nullptr, *block = nullptr, *cluster = nullptr, *given = nullptr;
  PtxRequest out;
  int cooperative = 0;
  if (!PyArg_ParseTuple(arguments, "ss#sOOOIpO", &path, &text, &size, &entry, &grid, &block, &cluster, &out.dynamicSmem,
                        &cooperative, &given) ||
      !readSizes(grid, out.grid) || !readSizes(block, out.block) || !readSizes(cluster, out.cluster))
    return std::nullopt;
  out.ptx = Source::make(path, std::string(text, static_cast<size_t>(size)));
  out.entry = entry;
  out.cooperative = cooperative != 0;
  for (Py_ssize_t i = 0; i < PyTuple_Size(given); ++i) {
    PyObject *argument = PyTuple_GetItem(given, i);
    auto value = PyBytes_Check(argument) ? std::optional<Value>(std::make_shared<PythonObject>(argument))
                                         : loans.during([&] { return fromPython(argument); });
    if (!value)
      return std::nullopt;
    out.arguments.push_back(*std::move(value));
  }
  return out;
}

} // namespace

PyObject *launchPtx(PyObject *, PyObject *arguments) {
  Loans loans; // the call reads large arrays in Python's memory
  auto request = readPtxRequest(arguments, loans);
  if (!request)
    return nullptr;
  auto result = Host::get().enter([&](repl::Evaluator &evaluator) { return run(*request, evaluator); });
  if (!result)
    return raise(result.error());
  std::vector<Value> arrays;
  for (core::Array &array : result->outputs)
    arrays.push_back(array.bytes.isLent() ? Value() : Value(std::move(array)));
  Ref findings(PyList_New(0)), outputs = toPython(Value::list(std::move(arrays)));
  for (const Diagnostic &each : result->diagnostics)
    if (Ref one = toPython(each); !one || PyList_Append(findings.get(), one.get()) != 0)
      return nullptr;
  return outputs ? Py_BuildValue("{s:O,s:O,s:s}", "arrays", outputs.get(), "findings", findings.get(), "note",
                                 result->note.c_str())
                 : nullptr;
}

} // namespace lanescope::python
