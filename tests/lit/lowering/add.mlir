// Global memory only: the widest accesses that the strided layout allows, 8 bytes of f32, from computed slices.
// RUN: lanescope-opt --mosaic-gpu-layout-inference --mosaic-gpu-to-nvvm %s | FileCheck %s

// CHECK: llvm.func @add
// CHECK-COUNT-64: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<1> -> vector<2xf32>
// CHECK-COUNT-64: llvm.fadd
// CHECK-COUNT-64: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>
module @add {
  func.func @add(%x: memref<256x256xf32>, %out: memref<256x256xf32>)
      attributes {lanescope.grid = array<i64: 2, 2, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 0 : i64,
                  lanescope.arguments = [{name = "x", kind = "in"}, {name = "out", kind = "out"}]} {
    %i = lanescope.program_id {dim = 0 : i32}
    %j = lanescope.program_id {dim = 1 : i32}
    %c128 = arith.constant 128 : i32
    %ri = arith.muli %i, %c128 : i32
    %rj = arith.muli %j, %c128 : i32
    %a = arith.index_cast %ri : i32 to index
    %b = arith.index_cast %rj : i32 to index
    %xs = memref.subview %x[%a, %b] [128, 128] [1, 1] : memref<256x256xf32> to memref<128x128xf32, strided<[256, 1], offset: ?>>
    %os = memref.subview %out[%a, %b] [128, 128] [1, 1] : memref<256x256xf32> to memref<128x128xf32, strided<[256, 1], offset: ?>>
    %v = "mosaic_gpu.vector_load"(%xs) : (memref<128x128xf32, strided<[256, 1], offset: ?>>) -> vector<128x128xf32>
    %one = arith.constant dense<1.0> : vector<128x128xf32>
    %w = arith.addf %v, %one : vector<128x128xf32>
    "mosaic_gpu.vector_store"(%w, %os) : (vector<128x128xf32>, memref<128x128xf32, strided<[256, 1], offset: ?>>) -> ()
    return
  }
}
