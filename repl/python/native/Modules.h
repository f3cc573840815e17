// Modules that another compiler made, run as they are: those of JAX's `tpu` dialect for SparseCores.
#pragma once

#include "repl/python/native/PythonApi.h"

namespace lanescope::python {

/// run_sparsecore(name, module, lines, inputs, output_shapes, tiles, seed, fast, recorded, timeout): runs a module on
/// the emulator. `lines`: for each line of the module the places in Python that made it (PythonPlaces.h). `inputs`:
/// arrays, in the order of the operands; `output_shapes`: a tuple for each output; `tiles`: arrays lie as
/// `use_tc_tiling_on_sc` asks for; `timeout` in seconds.
///
/// A dict: `outputs` (arrays, as the kernel left them), `operands` (for each output, which of the kernel's operands it
/// is), `findings`, `printed`. Where `recorded`, the call goes to whoever started this process (Reporter.h).
PyObject *runSparseCore(PyObject *module, PyObject *arguments);

} // namespace lanescope::python
