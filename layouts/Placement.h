// What a layout of any language means for an array: who holds what, as one of three maps.
//
//   Placement p = *placement(layout, {64, 64}, 16);
//   std::get<ElementMap>(p).owners(74)
//
// The one way from a Layout to its maps; views, builtins, comparisons and printers go through it.
#pragma once

#include "layouts/AddressMap.h"
#include "layouts/ElementMap.h"
#include "layouts/TmemMap.h"

#include <optional>
#include <variant>

namespace lanescope::layouts {

using Placement = std::variant<ElementMap, AddressMap, TmemMap>;

/// `memory`: which of the layout's memories is meant; by default as Reading.h reads it. `bitwidth` matters to shared
/// and tensor memory. Errors: the layout does not apply to the shape; it says nothing about that memory.
Result<Placement> placement(const Layout &layout, const Shape &shape, int bitwidth,
                            std::optional<Memory> memory = std::nullopt);
/// Which memory a placement is of.
Memory memoryOf(const Placement &placement);
/// The register map of any layout; error where it has none.
Result<ElementMap> elementMapOf(const Layout &layout, const Shape &shape);

} // namespace lanescope::layouts
