// The swizzle XOR is computed once per thread; registers differ by constants.
// RUN: lanescope-opt --mosaic-gpu-layout-inference --mosaic-gpu-to-nvvm %s --split-input-file | FileCheck %s

// WGMMA at (64, 64): the thread's part, with its three line bits moved down to the chunk bits and XORed. Then one XOR
// per pair of chunks, which one ldmatrix reads for both halves of the rows.
// CHECK: llvm.func @swizzle
// CHECK: llvm.mlir.constant(112 : i32)
// CHECK-NEXT: %[[CHUNK:.*]] = llvm.and
// CHECK-NEXT: %[[BASE:.*]] = llvm.xor %{{.*}}, %[[CHUNK]]
// CHECK-COUNT-3: llvm.xor %[[BASE]], %{{.*}} : i32
// CHECK-NOT: llvm.lshr
// CHECK-COUNT-4: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-NOT: ldmatrix
module {
  func.func @swizzle(%out: memref<64x64xf16>) attributes {lanescope.smem_bytes = 8192 : i64} {
    %0 = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<64x64xf16, #gpu.address_space<workgroup>>
    %1 = "mosaic_gpu.with_transforms"(%0) <{transforms = [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128>]}> : (memref<64x64xf16, #gpu.address_space<workgroup>>) -> memref<64x64xf16, #gpu.address_space<workgroup>>
    %2 = "mosaic_gpu.vector_load"(%1) : (memref<64x64xf16, #gpu.address_space<workgroup>>) -> vector<64x64xf16>
    return
  }
}

// -----

// In f32 its eight 64-bit loads would conflict in banks, so every second pair of lanes begins two chunks further. There
// are four places, for both halves of the rows, and each register is selected from two loaded ones.
// CHECK: llvm.func @staggered
// CHECK: %[[ODD:.*]] = llvm.icmp "ne"
// CHECK-COUNT-4: llvm.select %[[ODD]], %{{.*}}, %{{.*}} : i1, !llvm.ptr<3>
// CHECK-NOT: llvm.select {{.*}} !llvm.ptr<3>
// CHECK-COUNT-8: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<2xf32>
// CHECK-COUNT-8: llvm.select %[[ODD]], %{{.*}}, %{{.*}} : i1, vector<2xi32>
module {
  func.func @staggered(%out: memref<64x32xf32>) attributes {lanescope.smem_bytes = 8192 : i64} {
    %0 = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<64x32xf32, #gpu.address_space<workgroup>>
    %1 = "mosaic_gpu.with_transforms"(%0) <{transforms = [#mosaic_gpu.tile<[8, 32]>, #mosaic_gpu.swizzle<128>]}> : (memref<64x32xf32, #gpu.address_space<workgroup>>) -> memref<64x32xf32, #gpu.address_space<workgroup>>
    %2 = "mosaic_gpu.vector_load"(%1) <{optimized = true}> : (memref<64x32xf32, #gpu.address_space<workgroup>>) -> vector<64x32xf32>
    return
  }
}
