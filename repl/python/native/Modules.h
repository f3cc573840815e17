// Modules that another compiler made, run as they are: those of JAX's `tpu` dialect for SparseCores.
#pragma once

#include "repl/python/native/PythonApi.h"

namespace lanescope::python {

/// run_sparsecore(name, module, inputs, output_shapes, tiles, seed, fast, timeout): runs a module on the emulator.
/// `inputs`: arrays, in the order of the operands; `output_shapes`: a tuple for each output; `tiles`: arrays lie as
/// `use_tc_tiling_on_sc` asks for; `timeout` in seconds.
///
/// A dict: `outputs` (arrays, as the kernel left them), `operands` (for each output, which of the kernel's operands it
/// is), `findings`, `printed`.
PyObject *runSparseCore(PyObject *module, PyObject *arguments);

} // namespace lanescope::python
