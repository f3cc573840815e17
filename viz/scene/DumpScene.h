// Pictures of a dump's operations.
#pragma once

#include "core/gpu/ir/Dump.h"
#include "viz/scene/Scene.h"
#include "viz/scene/ViewText.h"

namespace lanescope::viz {

/// The value to draw: the first result in registers with a known layout, else such an operand; null if there is none.
const core::DumpValue *drawnValue(const core::DumpOp &op);
/// The picture of that value's layout. Error "no-layout": there is none, or its elements cannot be drawn.
Result<Scene> dumpOpScene(const core::DumpOp &op);

/// The picture of a value's layout or transforms, as a request; nothing if it has none, or if its elements cannot be
/// drawn.
std::optional<ViewSpec> dumpValueView(const core::DumpValue &value);

} // namespace lanescope::viz
