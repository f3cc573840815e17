// The declarations that operations need for the interface of LayoutRules.td, through which they state their demands on
// layouts. The rules themselves are in LayoutRules.h.
#pragma once

#include "mlir/IR/OpDefinition.h"

namespace lanescope::core {
class LayoutRules;
} // namespace lanescope::core

#include "core/gpu/ir/LayoutRulesInterface.h.inc"
