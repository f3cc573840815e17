// Conversions between Python's objects and values of the snippet language.
//
//   None, bool, int, float, str, tuple, list, dict, slice, range, ...      both ways, by content
//   arrays                        in: NumPy's, or any object with a buffer, DLPack or __array__; out: NumPy's
//   any other Python object       a value that keeps the object: it can be called, has attributes, compares by identity
//   any other value               `lanescope.Value`
//
// A list or dict is copied, so that changing the copy does not change the original.
#pragma once

#include "repl/lang/values/Value.h"
#include "repl/python/native/PythonApi.h"

namespace lanescope::python {

/// The value as a Python object. Null with an exception set if NumPy is missing and the value is an array, or if memory
/// runs out.
Ref toPython(const repl::Value &value);
/// The object as a value. Nothing with an exception set if an int needs more than 64 bits, if Lanescope lacks an
/// array's dtype, or if an array is on a GPU.
std::optional<repl::Value> fromPython(PyObject *object);
/// Makes an array from the tuple (C-contiguous buffer, dtype's name, shape). Nothing with an exception set on failure.
std::optional<core::Array> arrayFromParts(PyObject *parts);

/// A Python object as a value of the language.
class PythonObject final : public repl::Object {
public:
  explicit PythonObject(PyObject *object) : object_(Ref::borrowed(object)) {}
  ~PythonObject() override;
  PyObject *object() const { return object_.get(); }

  std::string typeName() const override;
  std::string repr() const override;
  Result<repl::Value> attribute(repl::Context &context, const std::string &name) override;
  Result<repl::Value> getItem(repl::Context &context, const repl::Arg &index) override;
  bool callable() const override { return callable_; }
  Result<repl::Value> call(repl::Context &context, const repl::Arguments &arguments) override;
  Result<bool> truth(repl::Context &context) override;

private:
  Ref object_;
  bool callable_ = PyCallable_Check(object_.get()) != 0;
};

} // namespace lanescope::python
