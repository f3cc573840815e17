// Launches a compiled kernel again and again with arguments in the caller's memory. Triton's driver uses this.
//
//   kernel = _native.kernel(path, text)            # an opaque object; decoded once
//   _native.launch(kernel, launch_json, [(address, bytes, pad, dtype, shape, writable), …], [], fast)
#pragma once

#include "repl/python/native/PythonApi.h"

namespace lanescope::python {

/// kernel(path, text): makes an object for launch() out of PTX.
PyObject *kernelOf(PyObject *module, PyObject *arguments);

/// launch(kernel, description, memory, descriptors, fast): runs a launch description (docs/launch.md) on the emulator.
///
/// `memory` has a tuple for each buffer of the description: the address of the caller's bytes, their number, the number
/// of bytes in front of them that belong to the buffer too (so that the buffer begins at a multiple of 16; these bytes
/// are only read), the buffer's dtype and shape, and whether the kernel may change it.
///
/// `descriptors` has a tuple for each TMA descriptor, with the parts that docs/launch.md defines: the number of its
/// `bytes` parameter, the number of the buffer, the byte at which the array begins, dtype, shape, strides in bytes of
/// all dimensions but the innermost, box, swizzle, and whether elements outside are NaN. It may cover any part of any
/// buffer.
///
/// `fast` runs without checks.
///
/// Returns a dict: `faults` (the errors that ended the run), `printed`, `microseconds` (by the cost model), `changed`
/// (the numbers of buffers that the kernel changed although it may not). Hazards and notes become warnings. The
/// caller's bytes are changed unless there is a fault.
PyObject *launch(PyObject *module, PyObject *arguments);

} // namespace lanescope::python
