// Reports violated rules about a kernel's layouts in words, with a fix.
#pragma once

#include "core/gpu/inference/Groups.h"

namespace lanescope::core {

/// Errors: an array that must be a constant has different elements.
mlir::LogicalResult checkConstants(const ModuleRules &module, Groups &groups);

/// Reports, at the rule's operation, that the known layouts of its groups violate the rule.
void emitFault(const LayoutRules::Entry &entry, Groups &groups);

} // namespace lanescope::core
