// A module's text, and where each of its lines comes from: recorded while it is printed.
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

/// Named `name` and the kind's suffix.
Stage printed(const StageKind &kind, const std::string &name, mlir::ModuleOp module, const SourcePlaces &places);
Stage printed(const StageKind &kind, const std::string &name, const llvm::Module &module, const SourcePlaces &places);
/// The same of a module as its targets write it, moduleText(); `head`: the kernel's name in the source.
Stage printed(const StageKind &kind, const std::string &name, const KernelModule &module, const Span &head);

} // namespace lanescope::core
