// The interface by which operations say what they demand of layouts (LayoutRules.td): what their declarations need of
// it. The rules themselves are in LayoutRules.h.
#pragma once

#include "mlir/IR/OpDefinition.h"

namespace lanescope::core {
class LayoutRules;
} // namespace lanescope::core

#include "core/gpu/ir/LayoutRulesInterface.h.inc"
