#include "repl/python/native/Convert.h"
#include "repl/python/native/Handle.h"
#include "repl/python/native/Support.h"

namespace lanescope::python {
namespace {

using repl::Value;

/// A tuple or list of the items. `make` and `set` are the functions of Python's API for the one or the other.
Ref sequence(const std::vector<Value> &items, PyObject *(*make)(Py_ssize_t),
             int (*set)(PyObject *, Py_ssize_t, PyObject *)) {
  Ref out(make(static_cast<Py_ssize_t>(items.size())));
  for (size_t i = 0; out && i < items.size(); ++i) {
    Ref item = toPython(items[i]);
    if (!item || set(out.get(), static_cast<Py_ssize_t>(i), item.release()) != 0)
      return {};
  }
  return out;
}

Ref dict(const repl::DictData &data) {
  Ref out(PyDict_New());
  for (const repl::DictData::Item &item : data.items()) {
    Ref key = toPython(item.key), value = toPython(item.value);
    if (!key || !value || PyDict_SetItem(out.get(), key.get(), value.get()) != 0)
      return {};
  }
  return out;
}

Ref range(const repl::RangeData &data, const Value &value) {
  auto start = data.start.integer(), stop = data.stop.integer(), step = data.step.integer();
  if (!start || !stop || !step)
    return makeHandle(value); // a range whose bounds are traced stays a `lanescope.Value`
  return Ref(PyObject_CallFunction(reinterpret_cast<PyObject *>(&PyRange_Type), "LLL", static_cast<long long>(*start),
                                   static_cast<long long>(*stop), static_cast<long long>(*step)));
}

Ref slice(const repl::SliceData &data) {
  Ref start = toPython(data.start), stop = toPython(data.stop), step = toPython(data.step);
  return start && stop && step ? Ref(PySlice_New(start.get(), stop.get(), step.get())) : Ref();
}

} // namespace

Ref toPython(const Value &value) {
  if (value.isNone())
    return Ref::borrowed(Py_None);
  if (const bool *b = value.asBool())
    return Ref(PyBool_FromLong(*b));
  if (const int64_t *n = value.asInt())
    return Ref(PyLong_FromLongLong(*n));
  if (const double *x = value.asFloat())
    return Ref(PyFloat_FromDouble(*x));
  if (const std::string *s = value.asStr())
    return Ref(PyUnicode_DecodeUTF8(s->data(), static_cast<Py_ssize_t>(s->size()), "surrogateescape"));
  if (const auto *tuple = value.asTuple())
    return sequence(*tuple, PyTuple_New, PyTuple_SetItem);
  if (const repl::ListData *list = value.asList())
    return sequence(list->items, PyList_New, PyList_SetItem);
  if (const repl::DictData *data = value.asDict())
    return dict(*data);
  if (const repl::RangeData *data = value.asRange())
    return range(*data, value);
  if (const repl::SliceData *data = value.asSlice())
    return slice(*data);
  if (value.isEllipsis())
    return Ref::borrowed(Py_Ellipsis);
  if (const auto *object = value.as<PythonObject>())
    return Ref::borrowed(object->object());
  Ref handle = makeHandle(value);
  if (handle && value.asArray()) // an array becomes NumPy's array over the value's own bytes
    return Ref(callSupport("array_of", std::move(handle)));
  return handle;
}

} // namespace lanescope::python
