// The map of a layout of any language for an array: one of three kinds.
//
//   Placement p = *placement(layout, {64, 64}, 16);
//   std::get<ElementMap>(p).owners(74)
//
// This is the only way from a Layout to its maps; views, builtins, comparisons and printers use it.
#pragma once

#include "layouts/AddressMap.h"
#include "layouts/ElementMap.h"
#include "layouts/TmemMap.h"

#include <optional>
#include <variant>

namespace lanescope::layouts {

using Placement = std::variant<ElementMap, AddressMap, TmemMap>;

/// `memory` selects one of the layout's memories; the default is given in Reading.h. `bitwidth` matters to shared and
/// tensor memory. Errors: the layout does not apply to the shape, or has no map for that memory.
Result<Placement> placement(const Layout &layout, const Shape &shape, int bitwidth,
                            std::optional<Memory> memory = std::nullopt);
/// The memory that a placement describes.
Memory memoryOf(const Placement &placement);
/// The register map of any layout; an error if it has none.
Result<ElementMap> elementMapOf(const Layout &layout, const Shape &shape);

} // namespace lanescope::layouts
