// Whether the layouts that arrays have got are what the rules ask for, and the words where they are not.
#pragma once

#include "core/gpu/inference/Groups.h"
#include "core/gpu/inference/Rules.h"
#include "core/gpu/inference/TensorLayouts.h"

namespace lanescope::core {

/// Every array that is no constant has its layout, and every reference to tensor memory. Errors: a conversion that does
/// not exist, a layout that an instruction does not take, an array that tensor memory cannot give or take as it is, a
/// reduction, broadcast, slice or reshape that moves elements between threads.
mlir::LogicalResult checkLayouts(const ModuleRules &module, Groups &groups, TensorLayouts &tensors);

} // namespace lanescope::core
