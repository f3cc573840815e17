#include "repl/lang/evaluate/Evaluator.h"
#include "repl/python/native/Convert.h"
#include "repl/python/native/PythonHost.h"

namespace lanescope::python {
namespace {

using repl::Arg;
using repl::Context;
using repl::Value;

std::string textOf(PyObject *owned) {
  Ref object(owned);
  const char *text = object ? PyUnicode_AsUTF8AndSize(object.get(), nullptr) : nullptr;
  if (!text)
    PyErr_Clear();
  return text ? text : "?";
}

/// The result of a call of Python as a value. If it is null, the exception becomes a failure of the evaluator, whose
/// caller gets the exception back.
Result<Value> valueOf(const Context &context, Ref result) {
  auto value = result ? fromPython(result.get()) : std::nullopt;
  if (!value)
    return Host::get().failWithRaised(context.span);
  return *std::move(value);
}

Ref tupleOf(const std::vector<Arg> &arguments) {
  Ref out(PyTuple_New(static_cast<Py_ssize_t>(arguments.size())));
  for (size_t i = 0; out && i < arguments.size(); ++i) {
    Ref item = toPython(arguments[i].value);
    if (!item || PyTuple_SetItem(out.get(), static_cast<Py_ssize_t>(i), item.release()) != 0)
      return {};
  }
  return out;
}

Ref dictOf(const std::vector<repl::KeywordArg> &arguments) {
  Ref out(PyDict_New());
  for (const repl::KeywordArg &argument : arguments) {
    Ref item = toPython(argument.value);
    if (!item || PyDict_SetItemString(out.get(), argument.name.c_str(), item.get()) != 0)
      return {};
  }
  return out;
}

} // namespace

PythonObject::~PythonObject() {
  if (!Py_IsInitialized()) { // the process is ending
    object_.release();
    return;
  }
  WithLock locked;
  object_ = Ref();
}

std::string PythonObject::typeName() const {
  WithLock locked;
  return textOf(PyType_GetName(Py_TYPE(object_.get())));
}

std::string PythonObject::repr() const {
  WithLock locked;
  return textOf(PyObject_Repr(object_.get()));
}

Result<Value> PythonObject::attribute(Context &context, const std::string &name) {
  WithLock locked;
  return valueOf(context, Ref(PyObject_GetAttrString(object_.get(), name.c_str())));
}

Result<Value> PythonObject::getItem(Context &context, const Arg &index) {
  WithLock locked;
  Ref key = toPython(index.value);
  return valueOf(context, Ref(key ? PyObject_GetItem(object_.get(), key.get()) : nullptr));
}

Result<Value> PythonObject::call(Context &context, const repl::Arguments &arguments) {
  WithLock locked;
  Ref positional = tupleOf(arguments.positional), named = dictOf(arguments.keyword);
  return valueOf(context,
                 Ref(positional && named ? PyObject_Call(object_.get(), positional.get(), named.get()) : nullptr));
}

Result<bool> PythonObject::truth(Context &context) {
  WithLock locked;
  int truth = PyObject_IsTrue(object_.get());
  if (truth < 0)
    return Host::get().failWithRaised(context.span);
  return truth != 0;
}

} // namespace lanescope::python
