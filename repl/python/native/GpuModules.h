// Compiles modules of JAX's Mosaic GPU once, and runs them again and again on the emulator in this process.
//
//   module, info = _native.gpu_module("k.mlir", text, lines)
//   answer = _native.run_gpu_module(module, [(data, "f16", (128, 128)), …], seed, strict, fast, recorded, timeout)
#pragma once

#include "repl/python/native/PythonApi.h"

namespace lanescope::python {

/// gpu_module(name, text, lines): compiles a module for the architecture that it names. `lines` holds, for each line of
/// the text, the places in Python that made it (PythonPlaces.h), or nothing. Returns a pair: an object for
/// run_gpu_module, and a dict of `ptx`, `launch` (docs/launch.md), `kernel`, `arch` and `outputs`, the numbers of the
/// buffers that the kernel writes. Raises lanescope.Error if the module cannot be compiled.
PyObject *gpuModule(PyObject *module, PyObject *arguments);

/// run_gpu_module(module, buffers, seed, strict, fast, recorded, timeout): `buffers` has a tuple (C-contiguous data,
/// dtype, shape) for each of the launch's buffers; an element of less than a byte takes one byte. `timeout` is in
/// seconds.
///
/// Returns a dict: `outputs` (arrays, in the order of `info["outputs"]`; none if the run did not end), `findings`,
/// `printed`. If `recorded`, the call is sent to the process that started this one, as every kernel call is
/// (Reporter.h).
PyObject *runGpuModule(PyObject *module, PyObject *arguments);

} // namespace lanescope::python
