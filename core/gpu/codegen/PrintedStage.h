// A module's text with the origin of each line, recorded while printing.
#pragma once

#include "core/gpu/codegen/SourcePlaces.h"

namespace llvm {
class Module;
}
namespace mlir {
class ModuleOp;
}

namespace lanescope::core {

class KernelModule;

/// The stage's text is named `name` plus the kind's suffix.
Stage printed(const StageKind &kind, const std::string &name, mlir::ModuleOp module, const SourcePlaces &places);
Stage printed(const StageKind &kind, const std::string &name, const llvm::Module &module, const SourcePlaces &places);
/// Prints a module in its target's notation (moduleText()). `head` is the place of the kernel's name in the source.
Stage printed(const StageKind &kind, const std::string &name, const KernelModule &module, const Span &head);

} // namespace lanescope::core
