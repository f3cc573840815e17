// Finds the user's line that calls the package: the place in the innermost Python frame outside of the package.
#pragma once

#include "layouts/support/Source.h"
#include "repl/python/native/PythonApi.h"

#include <string>
#include <vector>

namespace lanescope::python {

/// The place of a call, and of its arguments as they are written there. Places are unknown (no source) where Python has
/// no text, and arguments that are not written one by one (`*args`) stand at the call.
struct CallPlace {
  Span call;
  std::vector<Span> positional;
  std::vector<std::pair<std::string, Span>> keyword;
  Span at(size_t index) const { return index < positional.size() ? positional[index] : call; }
  Span at(std::string_view name) const;
};

CallPlace callPlace();

/// A file's text as Python keeps it between calls: an opaque object for `_support`.
PyObject *makeSource(PyObject *module, PyObject *arguments);

} // namespace lanescope::python
