// `lanescope.Value`: a value of the snippet language in Python. Layouts, dtypes, builtins, kernels, traced arrays and
// results all have this one type. The evaluator carries out its operators, attributes, items and calls.
//
//   Ref layout = makeHandle(Value(catalogue::wgmma()));
//   const repl::Value *inside = handleValue(layout.get());    // null for any other Python object
#pragma once

#include "repl/lang/values/Value.h"
#include "repl/python/native/PythonApi.h"

namespace lanescope::python {

/// Creates the type and adds it to the module as `Value`. Returns false with an exception set on failure.
bool addHandleType(PyObject *module);

/// The value as a Python object. Null with an exception set if memory runs out.
Ref makeHandle(repl::Value value);
/// The value in a `lanescope.Value`, null for other objects. The pointer is valid as long as the object lives.
const repl::Value *handleValue(PyObject *object);

} // namespace lanescope::python
