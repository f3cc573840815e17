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

// -----

// A sum that a loop carries has no layout of its own before the array that it sums. The strided layout does not fit, and
// the array's layouts decide.
// CHECK-LABEL: func.func @carried
// CHECK: vector_load{{.*}} {out_layouts = [#mosaic_gpu.WGStridedFragLayout<[128, 128], 2>]}
// CHECK: arith.addf {{.*}} {in_layouts = [#mosaic_gpu.TiledLayout<{{\[\[}}2], [1]], warp_dims = [-2, #mosaic_gpu.Replicated<times = 2>]
module {
  func.func @carried(%x: memref<128x128xf32>, %out: memref<128xf32>) {
    %zero = arith.constant dense<0.0> : vector<128xf32>
    %begin = arith.constant 0 : index
    %end = arith.constant 4 : index
    %step = arith.constant 1 : index
    %sum = scf.for %i = %begin to %end step %step iter_args(%total = %zero) -> (vector<128xf32>) {
      %v = "mosaic_gpu.vector_load"(%x) : (memref<128x128xf32>) -> vector<128x128xf32>
      %r = vector.multi_reduction <add>, %v, %zero [1] : vector<128x128xf32> to vector<128xf32>
      %next = arith.addf %total, %r : vector<128xf32>
      scf.yield %next : vector<128xf32>
    }
    "mosaic_gpu.vector_store"(%sum, %out) : (vector<128xf32>, memref<128xf32>) -> ()
    return
  }
}
