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

/// Named `name` and the kind's suffix.
Stage printed(const StageKind &kind, const std::string &name, mlir::ModuleOp module, const SourcePlaces &places);
Stage printed(const StageKind &kind, const std::string &name, const llvm::Module &module, const SourcePlaces &places);

} // namespace lanescope::core
