// All operands of an instruction or a tiled MMA in one picture, arranged like a written product: A at the left of the
// result, B above it, scales and metadata outside of them. Loads and copies have their two sides next to each other.
//
//   operandsScene(*operandSet(Source::make("layout", "mma.m16n8k16.f16")), {})
//
//                   B (K, N)
//        A (M, K)   D (M, N)            cells that one thread holds light up together, in all of them
//
// The colours are those of the array's picture (warp, lane, register, vector).
#pragma once

#include "layouts/notation/Operands.h"
#include "viz/scene/LayoutScene.h"

namespace lanescope::viz {

/// Errors: an operand that does not apply to its own shape; colours by bank or by class.
Result<Scene> operandsScene(const layouts::OperandSet &set, const LayoutSceneOptions &options);

} // namespace lanescope::viz
