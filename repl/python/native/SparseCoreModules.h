// Runs modules of JAX's `tpu` dialect for SparseCores, as another compiler has made them.
#pragma once

#include "repl/python/native/PythonApi.h"

namespace lanescope::python {

/// run_sparsecore(name, module, lines, inputs, output_shapes, tiles, seed, fast, recorded, timeout): runs a module on
/// the emulator. `lines` holds, for each line of the module, the places in Python that made it (PythonPlaces.h).
/// `inputs` are arrays in the order of the operands; `output_shapes` has a tuple for each output; with `tiles`, arrays
/// have the memory layout that `use_tc_tiling_on_sc` asks for; `timeout` is in seconds.
///
/// Returns a dict: `outputs` (arrays, as the kernel left them), `operands` (for each output, the number of its operand
/// of the kernel), `findings`, `printed`. If `recorded`, the call is sent to the process that started this one
/// (Reporter.h).
PyObject *runSparseCore(PyObject *module, PyObject *arguments);

} // namespace lanescope::python
