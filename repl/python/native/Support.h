// Calls the package's Python side (lanescope/_support.py) for work that is shorter in Python or needs other packages.
#pragma once

#include "layouts/support/Diagnostic.h"
#include "repl/python/native/PythonApi.h"

namespace lanescope::python {

/// Calls a function of `lanescope._support` with one argument, or with none if `argument` is null and no exception is
/// set. Returns null with an exception set on failure.
PyObject *callSupport(const char *name, Ref argument = Ref());

/// The diagnostic as a dict with severity, kind, message, place (`path`, `line`, `column`, `end_line`, `end_column`,
/// from 1; None if it is unknown), `notes`, and the rendered text.
Ref toPython(const Diagnostic &diagnostic);

/// Raises the exception for a failed call. It is the exception that a Python function raised inside the call,
/// KeyboardInterrupt if the call was interrupted, otherwise an error of the package. Always returns null.
PyObject *raise(const Diagnostics &diagnostics);

} // namespace lanescope::python
