// The extension module `lanescope._native`, on which the package's Python side is built.
#include "core/data/Version.h"
#include "core/gpu/kernel/GpuTarget.h"
#include "core/gpu/runtime/OwnTarget.h"
#include "core/Trace.h"
#include "layouts/support/Text.h"
#include "repl/lang/syntax/Parser.h"
#include "repl/python/native/CallerPlace.h"
#include "repl/python/native/Convert.h"
#include "repl/python/native/GpuModules.h"
#include "repl/python/native/Handle.h"
#include "repl/python/native/Ptx.h"
#include "repl/python/native/PythonHost.h"
#include "repl/python/native/PythonLaunch.h"
#include "repl/python/native/Reporter.h"
#include "repl/python/native/SparseCoreModules.h"
#include "repl/python/native/Support.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace lanescope::python {
namespace {

using repl::Value;

PyObject *builtin(PyObject *, PyObject *name) {
  const char *text = PyUnicode_AsUTF8AndSize(name, nullptr);
  if (!text)
    return nullptr;
  const Value *value = Host::get().evaluator().builtin(text);
  if (!value)
    return PyErr_Format(PyExc_AttributeError, "there is no `%s` in Lanescope", text);
  return toPython(*value).release();
}

/// inner(module, name): a private name of a module's library. The name begins with `_`, so usually only the library
/// itself sees it.
PyObject *inner(PyObject *, PyObject *arguments) {
  const char *path = nullptr, *name = nullptr;
  if (!PyArg_ParseTuple(arguments, "ss", &path, &name))
    return nullptr;
  auto found = Host::get().enter([&](repl::Evaluator &evaluator) -> std::optional<Value> {
    const Value *module = evaluator.builtin(path);
    if (!module)
      return std::nullopt;
    // For a caller outside the library this fails, but it makes the library load.
    (void)evaluator.attribute(*module, name, Span());
    const auto &scope = evaluator.libraryScope(path);
    auto item = scope ? scope->names.find(name) : decltype(scope->names.find(name)){};
    return scope && item != scope->names.end() ? std::optional(item->second) : std::nullopt;
  });
  return found ? toPython(*found).release() : PyErr_Format(PyExc_AttributeError, "`%s` has no `%s`", path, name);
}

/// builtins(): a list of dicts with name, signature (empty for a constant), doc and group.
PyObject *builtins(PyObject *, PyObject *) {
  std::vector<Value> out;
  for (const repl::Builtin &each : Host::get().evaluator().builtins())
    out.push_back(Value::dict({{"name", Value(each.name)},
                               {"signature", Value(each.signature)},
                               {"doc", Value(each.doc)},
                               {"group", Value(each.group)}}));
  return toPython(Value::list(std::move(out))).release();
}

/// define(path, text, name, names): runs the text and returns the value of its `name`. The text's statements see
/// `names`.
PyObject *define(PyObject *, PyObject *arguments) {
  const char *path = nullptr, *text = nullptr, *name = nullptr;
  Py_ssize_t size = 0;
  PyObject *names = nullptr;
  if (!PyArg_ParseTuple(arguments, "ss#sO!", &path, &text, &size, &name, &PyDict_Type, &names))
    return nullptr;
  auto scope = std::make_shared<repl::Scope>();
  PyObject *key = nullptr, *item = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(names, &at, &key, &item);) {
    const char *word = PyUnicode_AsUTF8AndSize(key, nullptr);
    auto value = word ? fromPython(item) : std::nullopt;
    if (!value)
      return nullptr;
    scope->names.insert_or_assign(word, *std::move(value));
  }
  repl::Parsed parsed = repl::parse(Source::make(path, std::string(text, static_cast<size_t>(size))));
  if (!parsed.diagnostics.empty())
    return raise(parsed.diagnostics);
  auto done = Host::get().enter([&](repl::Evaluator &evaluator) { return evaluator.runIn(parsed.module, scope); });
  if (!done)
    return raise(done.error());
  auto found = scope->names.find(name);
  return found == scope->names.end() ? PyErr_Format(PyExc_NameError, "the text defines no `%s`", name)
                                     : makeHandle(found->second).release();
}

/// run_text(path, text): runs a snippet with the session's own names, as the REPL runs an entry.
PyObject *runText(PyObject *, PyObject *arguments) {
  const char *path = nullptr, *text = nullptr;
  Py_ssize_t size = 0;
  if (!PyArg_ParseTuple(arguments, "ss#", &path, &text, &size))
    return nullptr;
  SourceRef source = Source::make(path, std::string(text, static_cast<size_t>(size)));
  auto done = Host::get().enter([&](repl::Evaluator &) { return Host::get().session().entry(source); });
  if (!done)
    return raise(done.error());
  Py_RETURN_NONE;
}

/// findings_of(function): calls the function, and returns the hazards and notes of its kernels' runs as dicts. An
/// exception of the function is passed on to the caller.
PyObject *findingsOf(PyObject *, PyObject *function) {
  Diagnostics found;
  Diagnostics *outside = std::exchange(Host::findings, &found);
  Ref done(PyObject_CallNoArgs(function));
  Host::findings = outside;
  Ref out(done ? PyList_New(0) : nullptr);
  for (const Diagnostic &each : found)
    if (Ref one = out ? toPython(each) : Ref(); out && (!one || PyList_Append(out.get(), one.get()) != 0))
      return nullptr;
  return out.release();
}

/// is_fault(kind): true if the last kernel that ran ended with an error of that kind.
PyObject *isFault(PyObject *, PyObject *kind) {
  const char *text = PyUnicode_AsUTF8AndSize(kind, nullptr);
  if (!text)
    return nullptr;
  const auto &launches = Host::get().session().kernels().launches();
  return PyBool_FromLong(!launches.empty() && launches.back().result &&
                         std::ranges::any_of(launches.back().result->diagnostics, [&](const Diagnostic &each) {
                           return each.severity == Severity::Error && each.kind == text;
                         }));
}

/// The names in a list such as "race,stale-read"; an empty text has none.
std::vector<std::string> namesIn(std::string_view list) {
  std::vector<std::string> out;
  while (!list.empty()) {
    size_t comma = std::min(list.find(','), list.size());
    out.emplace_back(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return out;
}

/// launches(): the number of kernel launches in this process so far.
PyObject *launches(PyObject *, PyObject *) { return PyLong_FromUnsignedLongLong(Host::launches); }

/// The commands of workers: a text, or a list of them. Nothing if it is neither, with an exception set.
std::optional<std::string> workersIn(PyObject *given) {
  std::vector<std::string> out;
  Ref items(PyUnicode_Check(given) ? PyTuple_Pack(1, given) : PySequence_Tuple(given));
  for (Py_ssize_t n = 0; items && n < PyTuple_Size(items.get()); ++n) {
    const char *command = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(items.get(), n), nullptr);
    if (!command)
      return std::nullopt;
    out.emplace_back(command);
  }
  return items ? std::optional(joined(out, "\n")) : std::nullopt;
}

/// configure(device=, arch=, seed=, strict=, fast=, timeout=, keep_going=, strict_rules=, worker=): sets the options
/// that are given, and returns the former options as a dict. `strict_rules`: names separated by commas. `worker`: a
/// command that starts a GPU's worker, or a list of such commands for `tune`. `arch="auto"` is the architecture of the
/// GPU that kernels run on.
PyObject *configure(PyObject *, PyObject *arguments, PyObject *named) {
  repl::KernelOptions &options = Host::get().session().kernels().options();
  Ref former(Py_BuildValue("{s:s,s:s,s:K,s:N,s:N,s:d,s:N,s:s,s:s}", "device", options.device.c_str(), "arch",
                           options.arch.c_str(), "seed", static_cast<unsigned long long>(options.emulation.seed),
                           "strict", PyBool_FromLong(options.emulation.strict), "fast",
                           PyBool_FromLong(options.emulation.fast), "timeout", options.timeoutSeconds, "keep_going",
                           PyBool_FromLong(options.emulation.keepGoing), "strict_rules",
                           joined(options.emulation.strictRules, ",").c_str(), "worker", options.worker.c_str()));
  const char *device = options.device.c_str(), *arch = options.arch.c_str();
  unsigned long long seed = options.emulation.seed;
  int strict = options.emulation.strict, fast = options.emulation.fast, keepGoing = options.emulation.keepGoing;
  const char *rules = nullptr;
  double timeout = options.timeoutSeconds;
  PyObject *worker = nullptr;
  static const char *const names[] = {"device",  "arch",       "seed",         "strict", "fast",
                                      "timeout", "keep_going", "strict_rules", "worker", nullptr};
  if (!PyArg_ParseTupleAndKeywords(arguments, named, "|$ssKppdpsO", const_cast<char **>(names), &device, &arch, &seed,
                                   &strict, &fast, &timeout, &keepGoing, &rules, &worker))
    return nullptr;
  std::optional<std::string> workers = worker ? workersIn(worker) : std::optional(options.worker);
  if (!workers)
    return nullptr;
  std::string newDevice = device, newArch = arch; // copies, since both may point into the options, which change below
  if (newDevice != "auto" && newDevice != "gpu" && newDevice != "emulator" && newDevice != "none")
    return PyErr_Format(PyExc_ValueError,
                        "there is no device `%s`; it is \"gpu\", \"emulator\", \"auto\", or \"none\" to compile only",
                        device);
  if (newArch == core::kOwnArch) {
    Result<core::OwnTarget> own = core::targetOfWorker(options.worker);
    if (!own)
      return PyErr_Format(PyExc_ValueError, "%s", own.error().front().message.c_str());
    if (!own->note.empty() && PyErr_WarnEx(PyExc_UserWarning, own->note.c_str(), 1) != 0)
      return nullptr;
    newArch = own->target->name;
  }
  if (!core::findGpuTarget(newArch))
    return PyErr_Format(PyExc_ValueError, "%s", core::noGpuTargetText(newArch).c_str());
  options.device = newDevice;
  options.arch = newArch;
  options.emulation.seed = seed;
  options.emulation.strict = strict != 0;
  options.emulation.fast = fast != 0;
  options.emulation.keepGoing = keepGoing != 0;
  if (rules)
    options.emulation.strictRules = namesIn(rules);
  options.timeoutSeconds = timeout;
  Host::get().session().kernels().setWorkers(*std::move(workers));
  return former.release();
}

/// last_trace(): the trace of the last launch with `profile=True`, as JSON in Chrome's format; None if there is none.
PyObject *lastTrace(PyObject *, PyObject *) {
  auto trace = Host::get().enter([](repl::Evaluator &) { return Host::get().session().lastTrace(); });
  if (!trace)
    Py_RETURN_NONE;
  return toPython(Value(core::toChromeJson(*trace))).release();
}

PyCFunction withKeywords(PyCFunctionWithKeywords function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyMethodDef functions[] = {
    {"builtin", builtin, METH_O, "The function or constant of that name; AttributeError where there is none."},
    {"inner", inner, METH_VARARGS, "inner(module, name): a private name of a module of the language."},
    {"builtins", builtins, METH_NOARGS, "Every name of the snippet language with its signature, doc and group."},
    {"source", makeSource, METH_VARARGS, "source(path, text): a file's text, for places."},
    {"define", define, METH_VARARGS, "define(path, text, name, names): what the text calls `name`."},
    {"run_text", runText, METH_VARARGS, "run_text(path, text): runs a snippet, as the REPL runs an entry."},
    {"launches", launches, METH_NOARGS, "launches(): the number of kernel launches so far."},
    {"findings_of", findingsOf, METH_O, "Calls a function; gives the hazards and notes that were reported."},
    {"kernel", kernelOf, METH_VARARGS, "kernel(path, text): PTX to be launched again and again."},
    {"launch", launch, METH_VARARGS, "Runs a kernel on the caller's memory; see Launch.h."},
    {"gpu_module", gpuModule, METH_VARARGS, "Compiles a module of JAX's for GPUs; see GpuModules.h."},
    {"run_gpu_module", runGpuModule, METH_VARARGS, "Runs such a module on the emulator; see GpuModules.h."},
    {"run_sparsecore", runSparseCore, METH_VARARGS, "Runs a module of JAX's for SparseCores; see Modules.h."},
    {"launch_ptx", launchPtx, METH_VARARGS, "Runs PTX on the emulator; see Ptx.h."},
    {"is_fault", isFault, METH_O, "True if the last kernel that ran ended with an error of that kind."},
    {"last_trace", lastTrace, METH_NOARGS,
     "The trace of the last profiled launch, as Chrome's JSON; None without one."},
    {"report_to", reportTo, METH_VARARGS,
     "report_to(descriptor, path, text, mark_values): kernel calls are sent there from now on."},
    {"report", report, METH_O, "Sends a message of JSON where report_to says."},
    {"reported", reported, METH_NOARGS, "How many calls of kernels there were, and how many of them at fault."},
    {"configure", withKeywords(configure), METH_VARARGS | METH_KEYWORDS,
     "Sets how kernels are run; gives the former settings."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {.m_base = PyModuleDef_HEAD_INIT,
                          .m_name = "lanescope._native",
                          .m_doc = "Lanescope's layouts, kernels and emulator; use the package `lanescope`.",
                          .m_size = -1,
                          .m_methods = functions,
                          .m_slots = nullptr,
                          .m_traverse = nullptr,
                          .m_clear = nullptr,
                          .m_free = nullptr};

} // namespace
} // namespace lanescope::python

PyMODINIT_FUNC PyInit__native() {
  using namespace lanescope::python;
  Ref module(PyModule_Create(&definition));
  if (!module || !addHandleType(module.get()) ||
      PyModule_AddStringConstant(module.get(), "version", lanescope::core::kVersion) != 0)
    return nullptr;
  return module.release();
}
