// What a compilation depends on, as a short name: modules of equal fingerprints compile to equal kernels.
//
// Lines of a source that no location names may change from one module to the next of that name: then what the first one
// was compiled to is the second one's as well, once its places are in the second one's sources (movedTo).
#pragma once

#include "core/gpu/codegen/Compiler.h"

#include <string>

namespace lanescope::core {

/// Hexadecimal SHA-256 of the IR with its locations (names of sources, lines, columns) and the options.
std::string placedFingerprint(const KernelModule &module, const CompileOptions &options);
/// The same of the texts of the sources, too: equal ones have equal places in bytes.
std::string fingerprint(const KernelModule &module, const CompileOptions &options);

/// What a module was compiled to, for a module with the same placed fingerprint: the same lines and columns of that
/// one's sources. Null where these have other names.
std::shared_ptr<const KernelStages> movedTo(const KernelModule &module, const KernelStages &stages);

} // namespace lanescope::core
