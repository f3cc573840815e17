// RUN: lanescope-opt --split-input-file --verify-diagnostics --mosaic-gpu-layout-inference %s | FileCheck %s

// Memory without stated transforms: the operands of a product get the widest tiles that fit, the same for both.
// The tiles of the memory for the result are limited by the slice that is copied out.
// CHECK-LABEL: func.func @product
// CHECK: slice_smem{{.*}}offset = 0 {{.*}}out_transforms = {{\[\[}}#mosaic_gpu.tile<[8, 32]>, #mosaic_gpu.swizzle<64 : i32>]]
// CHECK: slice_smem{{.*}}offset = 8192 {{.*}}out_transforms = {{\[\[}}#mosaic_gpu.tile<[8, 32]>, #mosaic_gpu.swizzle<64 : i32>]]
// CHECK: slice_smem{{.*}}offset = 16384 {{.*}}out_transforms = {{\[\[}}#mosaic_gpu.tile<[4, 32]>, #mosaic_gpu.swizzle<128 : i32>]]
// CHECK: slice_smem{{.*}}offset = 32768 {{.*}}out_transforms = {{\[\[}}]]
!smem = memref<64x32xf16, #gpu.address_space<workgroup>>
module {
  func.func @product(%x: memref<64x32xf32>) {
    %a = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<2x64x32xf16, #gpu.address_space<workgroup>>
    %b = "mosaic_gpu.slice_smem"() <{offset = 8192 : i32}> : () -> !smem
    %o = "mosaic_gpu.slice_smem"() <{offset = 16384 : i32}> : () -> memref<64x32xf32, #gpu.address_space<workgroup>>
    %p = "mosaic_gpu.slice_smem"() <{offset = 32768 : i32}> : () -> memref<64x32xf32, #gpu.address_space<workgroup>>
    %a0 = memref.subview %a[1, 0, 0] [1, 64, 32] [1, 1, 1] : memref<2x64x32xf16, #gpu.address_space<workgroup>> to memref<64x32xf16, strided<[32, 1], offset: 2048>, #gpu.address_space<workgroup>>
    %bt = memref.subview %b[0, 0] [32, 32] [1, 1] : !smem to memref<32x32xf16, strided<[32, 1]>, #gpu.address_space<workgroup>>
    %zero = arith.constant dense<0.0> : vector<64x32xf32>
    %acc = "mosaic_gpu.wgmma"(%zero, %a0, %bt) : (vector<64x32xf32>, memref<64x32xf16, strided<[32, 1], offset: 2048>, #gpu.address_space<workgroup>>, memref<32x32xf16, strided<[32, 1]>, #gpu.address_space<workgroup>>) -> vector<64x32xf32>
    "mosaic_gpu.vector_store"(%acc, %o) : (vector<64x32xf32>, memref<64x32xf32, #gpu.address_space<workgroup>>) -> ()
    %rows = memref.subview %o[12, 0] [4, 32] [1, 1] : memref<64x32xf32, #gpu.address_space<workgroup>> to memref<4x32xf32, strided<[32, 1], offset: 384>, #gpu.address_space<workgroup>>
    %plain = "mosaic_gpu.vector_load"(%p) : (memref<64x32xf32, #gpu.address_space<workgroup>>) -> vector<64x32xf32>
    "mosaic_gpu.vector_store"(%plain, %x) : (vector<64x32xf32>, memref<64x32xf32>) -> ()
    return
  }
}

// -----

// No tile fits: the error says which operation demands what.
module {
  func.func @none() {
    %a = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<64x32xf16, #gpu.address_space<workgroup>>
    %b = "mosaic_gpu.slice_smem"() <{offset = 8192 : i32}> : () -> memref<32x40xf16, #gpu.address_space<workgroup>>
    %zero = arith.constant dense<0.0> : vector<64x40xf32>
    // expected-error @below {{there are no layouts for all operations}}
    %acc = "mosaic_gpu.wgmma"(%zero, %a, %b) : (vector<64x40xf32>, memref<64x32xf16, #gpu.address_space<workgroup>>, memref<32x40xf16, #gpu.address_space<workgroup>>) -> vector<64x40xf32>
    return
  }
}
