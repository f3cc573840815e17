#include "repl/python/native/CallerPlace.h"

#include "repl/python/native/Support.h"

#include <algorithm>

namespace lanescope::python {
namespace {

constexpr const char *kSourceName = "lanescope.source";

Span spanOf(const SourceRef &source, PyObject *pair) {
  unsigned begin = 0, end = 0;
  if (!PyArg_ParseTuple(pair, "II", &begin, &end))
    PyErr_Clear();
  return {source, begin, end};
}

} // namespace

Span CallPlace::at(std::string_view name) const {
  auto found = std::ranges::find(keyword, name, &std::pair<std::string, Span>::first);
  return found == keyword.end() ? call : found->second;
}

PyObject *makeSource(PyObject *, PyObject *arguments) {
  const char *path = nullptr, *text = nullptr;
  Py_ssize_t size = 0;
  if (!PyArg_ParseTuple(arguments, "ss#", &path, &text, &size))
    return nullptr;
  auto *source = new SourceRef(Source::make(path, std::string(text, static_cast<size_t>(size))));
  return PyCapsule_New(source, kSourceName, [](PyObject *capsule) {
    delete static_cast<SourceRef *>(PyCapsule_GetPointer(capsule, kSourceName));
  });
}

CallPlace callPlace() {
  CallPlace out;
  Ref found(callSupport("place")); // (source, call, positional, keyword) or None
  PyObject *capsule = nullptr, *call = nullptr, *positional = nullptr, *keyword = nullptr;
  if (!found || found.get() == Py_None ||
      !PyArg_ParseTuple(found.get(), "OOOO", &capsule, &call, &positional, &keyword)) {
    PyErr_Clear(); // the place only improves messages, so the call continues without it
    return out;
  }
  const auto *source = static_cast<SourceRef *>(PyCapsule_GetPointer(capsule, kSourceName));
  if (!source) {
    PyErr_Clear();
    return out;
  }
  out.call = spanOf(*source, call);
  for (Py_ssize_t i = 0; i < PyTuple_Size(positional); ++i)
    out.positional.push_back(spanOf(*source, PyTuple_GetItem(positional, i)));
  PyObject *name = nullptr, *range = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(keyword, &at, &name, &range);)
    if (const char *text = PyUnicode_AsUTF8AndSize(name, nullptr))
      out.keyword.emplace_back(text, spanOf(*source, range));
  return out;
}

} // namespace lanescope::python
