// Constant offsets in a large array: row 15 begins 60 GiB after the array's start, which no 32-bit integer holds.
// RUN: lanescope-opt --mosaic-gpu-layout-inference --mosaic-gpu-to-nvvm %s | FileCheck %s

// CHECK: llvm.func @far
// CHECK-DAG: %[[AT:.*]] = llvm.mlir.constant(64424509440 : i64) : i64
// CHECK: llvm.getelementptr %{{.*}}[%[[AT]]] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
module @far {
  func.func @far(%x: memref<16x1073741824xf32>, %out: memref<128xf32>)
      attributes {lanescope.grid = array<i64: 1, 1, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 0 : i64,
                  lanescope.arguments = [{name = "x", kind = "in"}, {name = "out", kind = "out"}]} {
    %xs = memref.subview %x[15, 0] [1, 128] [1, 1] : memref<16x1073741824xf32> to memref<128xf32, strided<[1], offset: 16106127360>>
    %v = "mosaic_gpu.vector_load"(%xs) : (memref<128xf32, strided<[1], offset: 16106127360>>) -> vector<128xf32>
    "mosaic_gpu.vector_store"(%v, %out) : (vector<128xf32>, memref<128xf32>) -> ()
    return
  }
}
