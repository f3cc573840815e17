// What a compilation depends on, as a short name: modules of equal fingerprints compile to equal kernels.
#pragma once

#include "core/gpu/codegen/Compiler.h"

#include <string>

namespace lanescope::core {

/// Hexadecimal SHA-256 of the IR with its locations, the texts that these point into, and the options.
std::string fingerprint(const KernelModule &module, const CompileOptions &options);

} // namespace lanescope::core
