// Layouts, places and demands in words, for explanations.
#pragma once

#include "core/gpu/inference/constraints/Constraints.h"
#include "core/gpu/ir/LayoutRules.h"

namespace lanescope::core {

/// "`WGMMA`", "`[TileTransform(tiling=(8, 64))]`", "without transforms".
std::string inWords(const constraints::Constant &constant);
/// As its operation counts it: "operand 1", "its result".
std::string nameOf(const LayoutSite &site);
/// What an operation demands by a constraint; empty for what says nothing by itself.
std::string inWords(const constraints::Constraint &constraint);

} // namespace lanescope::core
