// `lanescope.ptx(text).launch(…)`: PTX of any origin on the emulator.
#pragma once

#include "repl/python/native/PythonApi.h"

namespace lanescope::python {

/// launch_ptx(path, text, entry, grid, block, cluster, dynamic_smem, cooperative, arguments): a dict with `arrays` (of
/// the arguments that are arrays, as the kernel left them), `findings` and `note`. Arguments are arrays, numbers, and
/// bytes for structs passed by value.
PyObject *launchPtx(PyObject *module, PyObject *arguments);

} // namespace lanescope::python
