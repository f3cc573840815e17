// A hash of everything that a compilation depends on: modules with equal fingerprints compile to equal kernels.
//
// If two modules differ only in source lines that no location names, a kernel compiled from the first is valid for the
// second after movedTo() has moved its places to the second's sources.
#pragma once

#include "core/gpu/codegen/Compiler.h"

#include <string>

namespace lanescope::core {

/// Hexadecimal SHA-256 of the IR with its locations (names of sources, lines, columns) and the options.
std::string placedFingerprint(const KernelModule &module, const CompileOptions &options);
/// A hash that also covers the texts of the sources. Modules with equal fingerprints have equal places, counted in
/// bytes.
std::string fingerprint(const KernelModule &module, const CompileOptions &options);

/// The compiled stages, moved to a module with the same placed fingerprint: to the same lines and columns of its
/// sources. Null if its sources have other names.
std::shared_ptr<const KernelStages> movedTo(const KernelModule &module, const KernelStages &stages);

} // namespace lanescope::core
