// `mma` with block scales on sm_120a: the form of the instruction, and the selectors by which it names its scales.
// RUN: lanescope-opt --split-input-file --mosaic-gpu-layout-inference --mosaic-gpu-to-nvvm %s | FileCheck %s

// A lane holds the scales of four steps along K. Of each four lanes, two hold row tile 0 and two hold row tile 1, and
// each holds one of four column tiles.
// CHECK-LABEL: llvm.func @mxfp8(
// CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> vector<4xi8>
// CHECK: kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e5m2.f32.ue8m0 {$0,$1,$2,$3}, {$4,$5,$6,$7}, {$8,$9}, {$10,$11,$12,$13}, $14, {0,0}, $15, {0,0};
// CHECK-SAME: "=f,=f,=f,=f,r,r,r,r,r,r,f,f,f,f,r,r,
// CHECK: $14, {0,0}, $15, {0,1};
// CHECK: $14, {0,0}, $15, {0,2};
// CHECK: $14, {0,0}, $15, {0,3};
// CHECK: $14, {0,1}, $15, {0,0};
// CHECK: $14, {1,0}, $15, {1,0};
// CHECK: $14, {3,1}, $15, {3,3};
// CHECK-NOT: mma.sync
module attributes {mosaic_gpu.arch_major = 12 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @mxfp8(%x: memref<128x128xf8E4M3FN>, %y: memref<128x32xf8E5M2>, %s: memref<128x4xf8E8M0FNU>, %t: memref<32x4xf8E8M0FNU>, %out: memref<128x32xf32>) attributes {lanescope.arguments = [{dtype = "f8e4m3fn", kind = "in", name = "x"}, {dtype = "f8e5m2", kind = "in", name = "y"}, {dtype = "f8e8m0fnu", kind = "in", name = "s"}, {dtype = "f8e8m0fnu", kind = "in", name = "t"}, {kind = "out", name = "out"}],
      lanescope.grid = array<i64: 1, 1, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 0 : i64} {
    %zero = arith.constant dense<0.0> : vector<128x32xf32>
    %a = "mosaic_gpu.vector_load"(%x) : (memref<128x128xf8E4M3FN>) -> vector<128x128xf8E4M3FN>
    %b = "mosaic_gpu.vector_load"(%y) : (memref<128x32xf8E5M2>) -> vector<128x32xf8E5M2>
    %as = "mosaic_gpu.vector_load"(%s) : (memref<128x4xf8E8M0FNU>) -> vector<128x4xf8E8M0FNU>
    %bs = "mosaic_gpu.vector_load"(%t) : (memref<32x4xf8E8M0FNU>) -> vector<32x4xf8E8M0FNU>
    %r = mosaic_gpu.mma accumulator(%zero : vector<128x32xf32>) a(%a : vector<128x128xf8E4M3FN>) b(%b : vector<128x32xf8E5M2>) scales(%as, %bs : vector<128x4xf8E8M0FNU>, vector<32x4xf8E8M0FNU>) -> vector<128x32xf32>
    "mosaic_gpu.vector_store"(%r, %out) : (vector<128x32xf32>, memref<128x32xf32>) -> ()
    return
  }
}

// -----

// A step takes all four bytes of a word; 16 bytes are loaded at once. Each warp has one tile of rows, so both pairs of
// lanes hold the same.
// CHECK-LABEL: llvm.func @nvfp4(
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<16xi8>
// CHECK: m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3 {{.*}} $14, {0,0}, $15, {0,0};
// CHECK: $14, {0,0}, $15, {0,1};
// CHECK: $14, {0,0}, $15, {0,0};
// CHECK-NOT: {{[{]1,[0-9][}]}}
module attributes {mosaic_gpu.arch_major = 12 : i32, mosaic_gpu.arch_minor = 1 : i32} {
  func.func @nvfp4(%x: memref<64x256xf4E2M1FN>, %y: memref<16x256xf4E2M1FN>, %s: memref<64x16xf8E4M3FN>, %t: memref<16x16xf8E4M3FN>, %out: memref<64x16xf32>) attributes {lanescope.arguments = [{dtype = "f4e2m1fn", kind = "in", name = "x"}, {dtype = "f4e2m1fn", kind = "in", name = "y"}, {dtype = "f8e4m3fn", kind = "in", name = "s"}, {dtype = "f8e4m3fn", kind = "in", name = "t"}, {kind = "out", name = "out"}],
      lanescope.grid = array<i64: 1, 1, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 0 : i64} {
    %zero = arith.constant dense<0.0> : vector<64x16xf32>
    %a = "mosaic_gpu.vector_load"(%x) : (memref<64x256xf4E2M1FN>) -> vector<64x256xf4E2M1FN>
    %turned = memref.transpose %y (d0, d1) -> (d1, d0) : memref<16x256xf4E2M1FN> to memref<256x16xf4E2M1FN, strided<[1, 256]>>
    %b = "mosaic_gpu.vector_load"(%turned) : (memref<256x16xf4E2M1FN, strided<[1, 256]>>) -> vector<256x16xf4E2M1FN>
    %as = "mosaic_gpu.vector_load"(%s) : (memref<64x16xf8E4M3FN>) -> vector<64x16xf8E4M3FN>
    %bs = "mosaic_gpu.vector_load"(%t) : (memref<16x16xf8E4M3FN>) -> vector<16x16xf8E4M3FN>
    %r = mosaic_gpu.mma accumulator(%zero : vector<64x16xf32>) a(%a : vector<64x256xf4E2M1FN>) b(%b : vector<256x16xf4E2M1FN>) scales(%as, %bs : vector<64x16xf8E4M3FN>, vector<16x16xf8E4M3FN>) -> vector<64x16xf32>
    "mosaic_gpu.vector_store"(%r, %out) : (vector<64x16xf32>, memref<64x16xf32>) -> ()
    return
  }
}

// -----

// A 6-bit float takes a byte in memory and in registers; nothing is moved within it. A 4-bit float beside it is shifted
// to the bits 2 to 5 of a byte.
// CHECK-LABEL: llvm.func @mxfp6(
// CHECK: m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e2m3.e3m2.f32.ue8m0
// CHECK-LABEL: llvm.func @sixByFour(
// CHECK: llvm.shl
// CHECK: m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e2m1.f32
module attributes {mosaic_gpu.arch_major = 12 : i32, mosaic_gpu.arch_minor = 1 : i32} {
  func.func @mxfp6(%x: memref<64x32xf6E2M3FN>, %y: memref<32x8xf6E3M2FN>, %s: memref<64x1xf8E8M0FNU>, %t: memref<8x1xf8E8M0FNU>, %out: memref<64x8xf32>) attributes {lanescope.arguments = [{dtype = "f6e2m3fn", kind = "in", name = "x"}, {dtype = "f6e3m2fn", kind = "in", name = "y"}, {dtype = "f8e8m0fnu", kind = "in", name = "s"}, {dtype = "f8e8m0fnu", kind = "in", name = "t"}, {kind = "out", name = "out"}],
      lanescope.grid = array<i64: 1, 1, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 0 : i64} {
    %zero = arith.constant dense<0.0> : vector<64x8xf32>
    %a = "mosaic_gpu.vector_load"(%x) : (memref<64x32xf6E2M3FN>) -> vector<64x32xf6E2M3FN>
    %b = "mosaic_gpu.vector_load"(%y) : (memref<32x8xf6E3M2FN>) -> vector<32x8xf6E3M2FN>
    %as = "mosaic_gpu.vector_load"(%s) : (memref<64x1xf8E8M0FNU>) -> vector<64x1xf8E8M0FNU>
    %bs = "mosaic_gpu.vector_load"(%t) : (memref<8x1xf8E8M0FNU>) -> vector<8x1xf8E8M0FNU>
    %r = mosaic_gpu.mma accumulator(%zero : vector<64x8xf32>) a(%a : vector<64x32xf6E2M3FN>) b(%b : vector<32x8xf6E3M2FN>) scales(%as, %bs : vector<64x1xf8E8M0FNU>, vector<8x1xf8E8M0FNU>) -> vector<64x8xf32>
    "mosaic_gpu.vector_store"(%r, %out) : (vector<64x8xf32>, memref<64x8xf32>) -> ()
    return
  }
}

// -----

module attributes {mosaic_gpu.arch_major = 12 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @sixByFour(%x: memref<64x32xf6E3M2FN>, %y: memref<8x32xf4E2M1FN>, %out: memref<64x8xf32>) attributes {lanescope.arguments = [{dtype = "f6e3m2fn", kind = "in", name = "x"}, {dtype = "f4e2m1fn", kind = "in", name = "y"}, {kind = "out", name = "out"}],
      lanescope.grid = array<i64: 1, 1, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 0 : i64} {
    %zero = arith.constant dense<0.0> : vector<64x8xf32>
    %a = "mosaic_gpu.vector_load"(%x) : (memref<64x32xf6E3M2FN>) -> vector<64x32xf6E3M2FN>
    %turned = memref.transpose %y (d0, d1) -> (d1, d0) : memref<8x32xf4E2M1FN> to memref<32x8xf4E2M1FN, strided<[1, 32]>>
    %b = "mosaic_gpu.vector_load"(%turned) : (memref<32x8xf4E2M1FN, strided<[1, 32]>>) -> vector<32x8xf4E2M1FN>
    %r = mosaic_gpu.mma accumulator(%zero : vector<64x8xf32>) a(%a : vector<64x32xf6E3M2FN>) b(%b : vector<32x8xf4E2M1FN>) -> vector<64x8xf32>
    "mosaic_gpu.vector_store"(%r, %out) : (vector<64x8xf32>, memref<64x8xf32>) -> ()
    return
  }
}
