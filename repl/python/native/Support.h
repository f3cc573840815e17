// The package's Python side (lanescope/_support.py), called from here: what is shorter there, or needs other packages.
#pragma once

#include "layouts/support/Diagnostic.h"
#include "repl/python/native/PythonApi.h"

namespace lanescope::python {

/// Calls a function of `lanescope._support` with one argument, or with none where it is null and no exception is set.
/// Null with an exception set on failure.
PyObject *callSupport(const char *name, Ref argument = Ref());

/// A dict with severity, kind, message, place (`path`, `line`, `column`, `end_line`, `end_column`, from 1; None where
/// unknown), `notes`, and the rendered text.
Ref toPython(const Diagnostic &diagnostic);

/// Raises the exception for a failed call: the one that Python's own function raised, KeyboardInterrupt where the call
/// was interrupted, else an error of the package. Always null.
PyObject *raise(const Diagnostics &diagnostics);

} // namespace lanescope::python
