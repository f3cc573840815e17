// The choices tried after the first choice leads to a contradiction: tiles for an array that is strided by default.
// RUN: lanescope-opt --split-input-file --mosaic-gpu-layout-inference %s | FileCheck %s

// Rows of 24 are not whole chunks of a strided layout, so that layout cannot be reduced.
// CHECK-LABEL: func.func @reduced
// CHECK: vector_load{{.*}} {out_layouts = [#mosaic_gpu.TiledLayout<{{\[\[}}64, 8], [16, 8], [8, 8], [2]]
// CHECK: vector.multi_reduction{{.*}}out_layouts = [#mosaic_gpu.TiledLayout<{{\[\[}}64], [16], [8], [1]]
module {
  func.func @reduced(%x: memref<64x24xf32>) {
    %zero = arith.constant dense<0.0> : vector<64xf32>
    %v = "mosaic_gpu.vector_load"(%x) : (memref<64x24xf32>) -> vector<64x24xf32>
    %r = vector.multi_reduction <add>, %v, %zero [1] : vector<64x24xf32> to vector<64xf32>
    return
  }
}

// -----

// Layouts that attributes state are kept, and the layouts that depend on them follow.
// CHECK-LABEL: func.func @stated
// CHECK: vector_load{{.*}} {out_layouts = [#mosaic_gpu.WGStridedFragLayout<[128, 128], 4>]}
// CHECK: arith.addf {{.*}} {in_layouts = [#mosaic_gpu.WGStridedFragLayout<[128, 128], 4>, #mosaic_gpu.WGStridedFragLayout<[128, 128], 4>], out_layouts = [#mosaic_gpu.WGStridedFragLayout<[128, 128], 4>]}
module {
  func.func @stated(%x: memref<128x128xf32>) {
    %v = "mosaic_gpu.vector_load"(%x) {out_layouts = [#mosaic_gpu.WGStridedFragLayout<[128, 128], 4>]} : (memref<128x128xf32>) -> vector<128x128xf32>
    %w = arith.addf %v, %v : vector<128x128xf32>
    return
  }
}
