// Registers the pipeline's MLIR passes by name, for lanescope-opt and lit tests.
//
//   lanescope-opt --mosaic-gpu-layout-inference --mosaic-gpu-to-nvvm kernel.mlir
#pragma once

namespace lanescope::core {

void registerLanescopePasses();

} // namespace lanescope::core
