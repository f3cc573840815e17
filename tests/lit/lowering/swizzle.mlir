// The swizzle XOR is computed once per thread; registers differ by constants.
// RUN: lanescope-opt --mosaic-gpu-layout-inference --mosaic-gpu-to-nvvm %s | FileCheck %s

// WGMMA at (64, 64): thread part, its three line bits moved down to the chunk bits, XOR; then one XOR per chunk.
// CHECK: llvm.func @swizzle
// CHECK: llvm.mlir.constant(112 : i32)
// CHECK-NEXT: %[[CHUNK:.*]] = llvm.and
// CHECK-NEXT: %[[BASE:.*]] = llvm.xor %{{.*}}, %[[CHUNK]]
// CHECK-COUNT-7: llvm.xor %[[BASE]], %{{.*}} : i32
// CHECK-NOT: llvm.lshr
module {
  func.func @swizzle(%out: memref<64x64xf16>) attributes {lanescope.smem_bytes = 8192 : i64} {
    %0 = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<64x64xf16, #gpu.address_space<workgroup>>
    %1 = "mosaic_gpu.with_transforms"(%0) <{transforms = [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128>]}> : (memref<64x64xf16, #gpu.address_space<workgroup>>) -> memref<64x64xf16, #gpu.address_space<workgroup>>
    %2 = "mosaic_gpu.vector_load"(%1) : (memref<64x64xf16, #gpu.address_space<workgroup>>) -> vector<64x64xf16>
    return
  }
}
