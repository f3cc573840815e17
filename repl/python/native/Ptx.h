// `lanescope.ptx(text).launch(…)`: runs PTX of any origin on the emulator.
#pragma once

#include "repl/python/native/PythonApi.h"

namespace lanescope::python {

/// launch_ptx(path, text, entry, grid, block, cluster, dynamic_smem, cooperative, arguments): runs an entry. Arguments
/// are arrays, numbers, and bytes for structs passed by value. Returns a dict with `arrays` (the array arguments as the
/// kernel left them), `findings` and `note`.
PyObject *launchPtx(PyObject *module, PyObject *arguments);

} // namespace lanescope::python
