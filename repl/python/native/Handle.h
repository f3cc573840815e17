// `lanescope.Value`: a value of the snippet language in Python. Layouts, dtypes, builtins, kernels, traced arrays and
// results are all of this one type, whose operators, attributes, items and calls are the evaluator's.
//
//   Ref layout = makeHandle(Value(catalogue::wgmma()));
//   const repl::Value *inside = handleValue(layout.get());    // null for any other Python object
#pragma once

#include "repl/lang/values/Value.h"
#include "repl/python/native/PythonApi.h"

namespace lanescope::python {

/// Creates the type and adds it to the module as `Value`. False with an exception set.
bool addHandleType(PyObject *module);

/// Null with an exception set when memory runs out.
Ref makeHandle(repl::Value value);
/// Valid as long as the object is.
const repl::Value *handleValue(PyObject *object);

} // namespace lanescope::python
