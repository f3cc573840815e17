// Reports violated rules about a kernel's layouts in words, with a fix.
#pragma once

#include "core/gpu/inference/Groups.h"

namespace lanescope::core {

/// Errors: an array that must be a constant has different elements.
mlir::LogicalResult checkConstants(const ModuleRules &module, Groups &groups);

/// Reports at the rule's operation that its groups' layouts, all of which are known, violate it.
void emitFault(const LayoutRules::Entry &entry, Groups &groups);

} // namespace lanescope::core
