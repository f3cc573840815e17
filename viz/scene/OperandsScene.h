// All operands of an instruction or a tiled MMA in one picture, arranged like a product on paper: A is at the left of
// the result, B is above it, and scales and metadata are outside of them. For loads and copies, the two sides are next
// to each other.
//
//   operandsScene(*operandSet(Source::make("layout", "mma.m16n8k16.f16")), {})
//
//                   B (K, N)
//        A (M, K)   D (M, N)            cells that one thread holds light up together, in all of them
//
// The colours are those of the picture of an array (warp, lane, register, vector).
#pragma once

#include "layouts/notation/OperandSets.h"
#include "viz/scene/LayoutScene.h"

namespace lanescope::viz {

/// Errors: an operand that does not apply to its own shape, or colours by bank or by class.
Result<Scene> operandsScene(const layouts::OperandSet &set, const LayoutSceneOptions &options);

} // namespace lanescope::viz
