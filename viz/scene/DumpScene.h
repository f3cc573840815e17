// Pictures of a dump's operations.
#pragma once

#include "core/gpu/ir/Dump.h"
#include "viz/scene/Scene.h"
#include "viz/scene/ViewText.h"

namespace lanescope::viz {

/// The value to draw: the first result in registers whose layout is known, or else the first operand; null: none.
const core::DumpValue *drawnValue(const core::DumpOp &op);
/// Its layout. Error "no-layout": there is none, or its elements can't be drawn.
Result<Scene> dumpOpScene(const core::DumpOp &op);

/// The picture of a value's layout or transforms as a request; nothing where it has none, or its elements can't be
/// drawn.
std::optional<ViewSpec> dumpValueView(const core::DumpValue &value);

} // namespace lanescope::viz
