// Compilers and linkers that a program loads: NVRTC and nvJitLink give it machine code, and the recorder keeps the PTX
// that belongs to the code. Programs look up their functions with dlsym().
#pragma once

namespace lanescope::core::record {

/// A program looked up `symbol` in the library `handle`, and `found` is the library's function. Returns the function
/// that the program gets instead; `found` itself if the recorder does not watch the function.
void *compilerFunction(void *handle, const char *symbol, void *found);

} // namespace lanescope::core::record
