// What does not hold of a kernel's layouts, in words, with a mend.
#pragma once

#include "core/gpu/inference/Groups.h"

namespace lanescope::core {

/// Errors: an array whose elements differ where only a constant can be.
mlir::LogicalResult checkConstants(const ModuleRules &module, Groups &groups);

/// An error at the rule's operation: the layouts of its groups, all of which have some, are not as it demands.
void emitFault(const LayoutRules::Entry &entry, Groups &groups);

} // namespace lanescope::core
