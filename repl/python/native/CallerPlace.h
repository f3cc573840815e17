// Finds the line of the user that calls the package: the place in the innermost Python frame outside the package.
#pragma once

#include "layouts/support/Source.h"
#include "repl/python/native/PythonApi.h"

#include <string>
#include <vector>

namespace lanescope::python {

/// The place of a call, and the places of the arguments in its text. A place is unknown (no source) if Python has no
/// text. Arguments that are not written one by one (`*args`) have the place of the call.
struct CallPlace {
  Span call;
  std::vector<Span> positional;
  std::vector<std::pair<std::string, Span>> keyword;
  Span at(size_t index) const { return index < positional.size() ? positional[index] : call; }
  Span at(std::string_view name) const;
};

CallPlace callPlace();

/// A file's text as an opaque object. `_support` keeps it between calls.
PyObject *makeSource(PyObject *module, PyObject *arguments);

} // namespace lanescope::python
