#include "repl/python/native/Support.h"

#include "repl/python/native/PythonHost.h"

#include <algorithm>

namespace lanescope::python {
namespace {

PyObject *support() {
  static PyObject *module = nullptr; // lives as long as the process
  if (!module)
    module = PyImport_ImportModule("lanescope._support");
  return module;
}

void setText(PyObject *dict, const char *key, std::string_view text) {
  Ref value(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
  if (value)
    PyDict_SetItemString(dict, key, value.get());
}

void setPlace(PyObject *dict, const Span &span) {
  Ref place = Ref::borrowed(Py_None);
  if (span.source) {
    LineColumn begin = span.source->lineColumn(span.begin), end = span.source->lineColumn(span.end);
    place = Ref(Py_BuildValue("{s:s,s:I,s:I,s:I,s:I}", "path", span.source->name().c_str(), "line", begin.line,
                              "column", begin.column, "end_line", end.line, "end_column", end.column));
  }
  if (place)
    PyDict_SetItemString(dict, "place", place.get());
}

void setParameters(PyObject *dict, const std::vector<MessageParameter> &parameters) {
  Ref out(PyDict_New());
  if (!out)
    return;
  for (const MessageParameter &each : parameters)
    if (const auto *number = std::get_if<int64_t>(&each.value)) {
      if (Ref value(PyLong_FromLongLong(*number)); value)
        PyDict_SetItemString(out.get(), each.name.c_str(), value.get());
    } else {
      setText(out.get(), each.name.c_str(), std::get<std::string>(each.value));
    }
  PyDict_SetItemString(dict, "parameters", out.get());
}

} // namespace

PyObject *callSupport(const char *name, Ref argument) {
  if (PyErr_Occurred())
    return nullptr;
  PyObject *module = support();
  Ref function(module ? PyObject_GetAttrString(module, name) : nullptr);
  return function ? PyObject_CallFunctionObjArgs(function.get(), argument.get(), nullptr) : nullptr;
}

Ref toPython(const Diagnostic &diagnostic) {
  Ref out(PyDict_New());
  if (!out)
    return out;
  setText(out.get(), "severity",
          diagnostic.severity == Severity::Error     ? "error"
          : diagnostic.severity == Severity::Warning ? "warning"
                                                     : "note");
  setText(out.get(), "kind", diagnostic.kind);
  setText(out.get(), "message", diagnostic.message);
  setText(out.get(), "text", lanescope::render(diagnostic));
  setParameters(out.get(), diagnostic.parameters);
  setPlace(out.get(), diagnostic.span);
  Ref notes(PyList_New(0));
  for (const Note &note : diagnostic.notes) {
    Ref one(PyDict_New());
    setText(one.get(), "message", note.message);
    setPlace(one.get(), note.span);
    PyList_Append(notes.get(), one.get());
  }
  PyDict_SetItemString(out.get(), "notes", notes.get());
  return out;
}

PyObject *raise(const Diagnostics &diagnostics) {
  auto has = [&](std::string_view kind) {
    return std::ranges::any_of(diagnostics, [&](const Diagnostic &one) { return one.kind == kind; });
  };
  if (has("python-exception"))
    if (Ref raised = Host::get().takeRaised()) {
      PyErr_SetObject(PyExceptionInstance_Class(raised.get()), raised.get());
      return nullptr;
    }
  if (has("interrupted")) {
    if (PyErr_CheckSignals() == 0)
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    return nullptr;
  }
  Ref list(PyList_New(0));
  for (const Diagnostic &diagnostic : diagnostics)
    if (Ref one = toPython(diagnostic); !one || PyList_Append(list.get(), one.get()) != 0)
      return nullptr;
  Ref exception(callSupport("exception_of", std::move(list)));
  if (exception)
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception.get())), exception.get());
  return nullptr;
}

} // namespace lanescope::python
