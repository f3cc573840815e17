// A compiled kernel that is launched again and again, its arguments in the memory of the caller: what Triton's driver
// is made of.
//
//   kernel = _native.kernel(path, text)            # an opaque object; decoded once
//   _native.launch(kernel, launch_json, [(address, bytes, pad, dtype, shape, writable), …], [], fast)
#pragma once

#include "repl/python/native/PythonApi.h"

namespace lanescope::python {

/// kernel(path, text): PTX, as an object for launch().
PyObject *kernelOf(PyObject *module, PyObject *arguments);

/// launch(kernel, description, memory, descriptors, fast): runs what docs/launch.md describes on the emulator. `memory`
/// has, for each buffer of the description, the address of the caller's bytes, how many they are, how many bytes in
/// front of them are the buffer's too (so that it begins at a multiple of 16; they are only read), the buffer's dtype
/// and shape, and whether the kernel may change it. `descriptors` are TMA descriptors, which may be over any part of
/// any buffer: (number of the `bytes` parameter that it is, number of the buffer, byte at which the array begins,
/// dtype, shape, strides in bytes of all dimensions but the innermost, box, swizzle, whether elements outside are NaN),
/// as docs/launch.md has them. `fast`: without checks.
///
/// A dict: `faults` (the errors that ended the run), `printed`, `microseconds` (by the cost model), `changed` (the
/// numbers of buffers that may not be changed, and were). Hazards and notes become warnings. The caller's bytes are
/// changed unless there is a fault.
PyObject *launch(PyObject *module, PyObject *arguments);

} // namespace lanescope::python
