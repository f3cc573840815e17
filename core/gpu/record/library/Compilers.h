// Compilers and linkers that a program loads: NVRTC and nvJitLink give it machine code, and the recorder keeps the PTX
// that belongs to the code. Programs look up their functions with dlsym().
#pragma once

namespace lanescope::core::record {

/// Returns the function to give to a program that looked up `symbol` in the library `handle` and found `found`. For
/// functions that are not watched, this is `found` itself.
void *compilerFunction(void *handle, const char *symbol, void *found);

} // namespace lanescope::core::record
