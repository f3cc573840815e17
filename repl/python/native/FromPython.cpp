#include "repl/python/native/Convert.h"
#include "repl/python/native/Handle.h"
#include "repl/python/native/Loans.h"
#include "repl/python/native/Support.h"

#include <cstring>

namespace lanescope::python {
namespace {

using repl::Value;

std::optional<Value> integer(PyObject *object) {
  long long n = PyLong_AsLongLong(object);
  if (n == -1 && PyErr_Occurred())
    return std::nullopt; // the exception is Python's OverflowError
  return Value(static_cast<int64_t>(n));
}

std::optional<Value> string(PyObject *object) {
  Py_ssize_t size = 0;
  const char *text = PyUnicode_AsUTF8AndSize(object, &size);
  return text ? std::optional(Value(std::string(text, static_cast<size_t>(size)))) : std::nullopt;
}

std::optional<std::vector<Value>> items(PyObject *object) {
  std::vector<Value> out;
  Py_ssize_t size = PySequence_Size(object);
  for (Py_ssize_t i = 0; i < size; ++i) {
    Ref item(PySequence_GetItem(object, i));
    auto value = item ? fromPython(item.get()) : std::nullopt;
    if (!value)
      return std::nullopt;
    out.push_back(*std::move(value));
  }
  return out;
}

std::optional<Value> dict(PyObject *object) {
  repl::DictData out;
  PyObject *key = nullptr, *item = nullptr; // borrowed references
  for (Py_ssize_t at = 0; PyDict_Next(object, &at, &key, &item);) {
    auto name = fromPython(key), value = fromPython(item);
    if (!name || !value)
      return std::nullopt;
    if (!out.set(*name, *std::move(value))) {
      PyErr_Format(PyExc_TypeError,
                   "Lanescope takes dicts whose keys are None, numbers, strings, dtypes, layouts and "
                   "tuples of these, not %R",
                   key);
      return std::nullopt;
    }
  }
  return Value::dict(std::move(out));
}

/// The start, stop and step of a slice or range.
std::optional<std::array<Value, 3>> bounds(PyObject *object) {
  std::array<Value, 3> out;
  size_t i = 0;
  for (const char *name : {"start", "stop", "step"}) {
    Ref part(PyObject_GetAttrString(object, name));
    auto value = part ? fromPython(part.get()) : std::nullopt;
    if (!value)
      return std::nullopt;
    out[i++] = *std::move(value);
  }
  return out;
}

/// The bytes of a C-contiguous buffer as an array.
std::optional<core::Array> arrayOver(PyObject *buffer, const char *dtype, PyObject *sizes) {
  auto shape = items(sizes);
  auto type = layouts::dtypeNamed(dtype);
  Py_buffer view{};
  if (!shape || PyObject_GetBuffer(buffer, &view, PyBUF_C_CONTIGUOUS) != 0)
    return std::nullopt;
  core::Array out{.dtype = type.value_or(layouts::Dtype::U8), .shape = {}, .bytes = {}};
  for (const Value &size : *shape)
    out.shape.push_back(size.integer().value_or(0));
  out.bytes = Loans::bytesOf(view);
  return out;
}

/// An array from the parts that `_support` gives. A fourth part, "jax", makes an array under JAX's rules.
std::optional<Value> array(PyObject *parts) {
  PyObject *buffer = nullptr, *sizes = nullptr;
  const char *dtype = nullptr, *rules = "";
  if (!PyArg_ParseTuple(parts, "OsO|s", &buffer, &dtype, &sizes, &rules))
    return std::nullopt;
  auto out = arrayOver(buffer, dtype, sizes);
  if (!out)
    return std::nullopt;
  return std::string_view(rules) == "jax" ? Value(*std::move(out), repl::ArrayRules::Jax) : Value(*std::move(out));
}

/// An object of another package, converted by the Python side of our package.
std::optional<Value> foreign(PyObject *object) {
  Ref known(callSupport("convert", Ref::borrowed(object)));
  if (!known)
    return std::nullopt;
  if (known.get() == Py_None)
    return Value(std::make_shared<PythonObject>(object));
  PyObject *kind = nullptr, *content = nullptr; // `found` is ("array", parts) or ("value", another object)
  if (!PyArg_ParseTuple(known.get(), "OO", &kind, &content))
    return std::nullopt;
  bool isArray = PyUnicode_CompareWithASCIIString(kind, "array") == 0;
  return isArray ? array(content) : fromPython(content);
}

} // namespace

std::optional<core::Array> arrayFromParts(PyObject *parts) {
  PyObject *buffer = nullptr, *sizes = nullptr;
  const char *dtype = nullptr;
  return PyArg_ParseTuple(parts, "OsO", &buffer, &dtype, &sizes) ? arrayOver(buffer, dtype, sizes) : std::nullopt;
}

std::optional<Value> fromPython(PyObject *object) {
  if (object == Py_None)
    return Value();
  if (object == Py_True || object == Py_False)
    return Value(object == Py_True);
  if (const Value *value = handleValue(object))
    return *value;
  if (PyLong_CheckExact(object))
    return integer(object);
  if (PyFloat_CheckExact(object))
    return Value(PyFloat_AsDouble(object));
  if (PyUnicode_Check(object))
    return string(object);
  if (Py_EnterRecursiveCall(" while Lanescope reads a value")) // the object may be a list that contains itself
    return std::nullopt;
  std::optional<Value> out;
  if (PyTuple_Check(object)) {
    if (auto parts = items(object))
      out = Value::tuple(*std::move(parts));
  } else if (PyList_Check(object)) {
    if (auto parts = items(object))
      out = Value::list(*std::move(parts));
  } else if (PyDict_Check(object)) {
    out = dict(object);
  } else if (PySlice_Check(object)) {
    if (auto parts = bounds(object))
      out = Value::slice((*parts)[0], (*parts)[1], (*parts)[2]);
  } else if (PyRange_Check(object)) {
    if (auto parts = bounds(object))
      out = Value::range((*parts)[0], (*parts)[1], (*parts)[2], false);
  } else if (object == Py_Ellipsis) {
    out = Value::ellipsis();
  } else {
    out = foreign(object);
  }
  Py_LeaveRecursiveCall();
  return out;
}

} // namespace lanescope::python
