// Pictures of the operations in a dump.
#pragma once

#include "core/gpu/ir/Dump.h"
#include "viz/scene/Scene.h"
#include "viz/scene/ViewText.h"

namespace lanescope::viz {

/// The value to draw: the first result in registers with a known layout. If there is none, the first such operand; null
/// if there is none of these either.
const core::DumpValue *drawnValue(const core::DumpOp &op);
/// The picture of that value's layout. Error "no-layout": there is no such value, or its elements cannot be drawn.
Result<Scene> dumpOpScene(const core::DumpOp &op);

/// A request for the picture of a value's layout or transforms. Nothing if the value has neither, or if its elements
/// cannot be drawn.
std::optional<ViewSpec> dumpValueView(const core::DumpValue &value);

} // namespace lanescope::viz
