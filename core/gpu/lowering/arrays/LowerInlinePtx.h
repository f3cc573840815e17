// PTX text given in the snippet: `inline_ptx("lg2.approx.ftz.f32 $0, $1;", x, dtype=f32)`.
#pragma once

#include "core/gpu/lowering/thread/KernelLowering.h"

namespace lanescope::core {

void addInlinePtx(HandlerTable &table);

} // namespace lanescope::core
