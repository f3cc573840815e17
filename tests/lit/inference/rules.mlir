// RUN: lanescope-opt --split-input-file --mosaic-gpu-layout-inference %s | FileCheck %s

// Global memory: the type gives a strided layout. The constant gets the layout of its use.
// CHECK-LABEL: func.func @strided
// CHECK: arith.constant {out_layouts = [#mosaic_gpu.WGSplatFragLayout<[128, 128]>]}
// CHECK: vector_load{{.*}} {out_layouts = [#mosaic_gpu.WGStridedFragLayout<[128, 128], 2>]}
// CHECK: arith.addf {{.*}} {in_layouts = [#mosaic_gpu.WGStridedFragLayout<[128, 128], 2>, #mosaic_gpu.WGStridedFragLayout<[128, 128], 2>], out_layouts = [#mosaic_gpu.WGStridedFragLayout<[128, 128], 2>]}
// CHECK: vector_store{{.*}} {in_layouts = [#mosaic_gpu.WGStridedFragLayout<[128, 128], 2>]}
module {
  func.func @strided(%x: memref<128x128xf32>) {
    %c = arith.constant dense<1.0> : vector<128x128xf32>
    %v = "mosaic_gpu.vector_load"(%x) : (memref<128x128xf32>) -> vector<128x128xf32>
    %w = arith.addf %v, %c : vector<128x128xf32>
    "mosaic_gpu.vector_store"(%w, %x) : (vector<128x128xf32>, memref<128x128xf32>) -> ()
    return
  }
}

// -----

// Swizzled shared memory is read as WGMMA, and decides the layout of the global load that is added to it.
// CHECK-LABEL: func.func @swizzled
// CHECK: slice_smem{{.*}} {out_transforms = {{\[\[}}]]}
// CHECK: with_transforms{{.*}} {in_transforms = {{\[\[}}]], out_transforms = {{\[\[}}#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128 : i32>]]}
// CHECK: vector_load{{.*}} {out_layouts = [#mosaic_gpu.TiledLayout<{{\[\[}}64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>]}
// CHECK: vector_load{{.*}} {in_transforms = {{.*}}, out_layouts = [#mosaic_gpu.TiledLayout<{{\[\[}}64, 8], [16, 8], [8, 8], [2]]
module {
  func.func @swizzled(%x: memref<64x64xf16>) {
    %0 = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<64x64xf16, #gpu.address_space<workgroup>>
    %1 = "mosaic_gpu.with_transforms"(%0) <{transforms = [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128>]}> : (memref<64x64xf16, #gpu.address_space<workgroup>>) -> memref<64x64xf16, #gpu.address_space<workgroup>>
    %a = "mosaic_gpu.vector_load"(%x) : (memref<64x64xf16>) -> vector<64x64xf16>
    %b = "mosaic_gpu.vector_load"(%1) : (memref<64x64xf16, #gpu.address_space<workgroup>>) -> vector<64x64xf16>
    %c = arith.addf %a, %b : vector<64x64xf16>
    return
  }
}

// -----

// A transposed view permutes the tile, and is read down its columns.
// CHECK-LABEL: func.func @transposed
// CHECK: memref.transpose{{.*}}out_transforms = {{\[\[}}#mosaic_gpu.tile<[64, 8]>
// CHECK: vector_load{{.*}}[2, 2], [2, 1]], warp_dims = [-10], lane_dims = [-6, -3, -5], vector_dim = -2>]}
module {
  func.func @transposed() {
    %0 = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<64x64xf16, #gpu.address_space<workgroup>>
    %1 = "mosaic_gpu.with_transforms"(%0) <{transforms = [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128>]}> : (memref<64x64xf16, #gpu.address_space<workgroup>>) -> memref<64x64xf16, #gpu.address_space<workgroup>>
    %2 = memref.transpose %1 (d0, d1) -> (d1, d0) : memref<64x64xf16, #gpu.address_space<workgroup>> to memref<64x64xf16, strided<[1, 64]>, #gpu.address_space<workgroup>>
    %3 = "mosaic_gpu.vector_load"(%2) : (memref<64x64xf16, strided<[1, 64]>, #gpu.address_space<workgroup>>) -> vector<64x64xf16>
    return
  }
}

// -----

// The source of a cast takes the cast's layout. A loop's arrays agree, and its constant start is spread out.
// CHECK-LABEL: func.func @loop
// CHECK: vector_load{{.*}} {out_layouts = [#mosaic_gpu.TiledLayout<{{\[\[}}128, 8]
// CHECK: scf.for
// CHECK: } {in_layouts = [#mosaic_gpu.TiledLayout<{{\[\[}}128, 8]{{.*}}, out_layouts = [#mosaic_gpu.TiledLayout<{{\[\[}}128, 8]
module {
  func.func @loop(%x: memref<128x128xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant dense<0.0> : vector<128x128xf32>
    %v = "mosaic_gpu.vector_load"(%x) : (memref<128x128xf32>) -> vector<128x128xf32>
    %w = mosaic_gpu.layout_cast x(%v : vector<128x128xf32>) {new_layout = #mosaic_gpu.TiledLayout<[[128, 8], [32, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>}
    %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%s = %zero) -> (vector<128x128xf32>) {
      %n = arith.addf %s, %w : vector<128x128xf32>
      scf.yield %n : vector<128x128xf32>
    }
    return
  }
}

// -----

// The operand of a broadcast has the reduced layout of the result.
// CHECK-LABEL: func.func @broadcast
// CHECK: vector_load{{.*}} {out_layouts = [#mosaic_gpu.TiledLayout<{{\[\[}}64], [16], [8], [1]], warp_dims = [-4], lane_dims = [-2, #mosaic_gpu.Replicated<times = 4>], vector_dim = -1>]}
module {
  func.func @broadcast(%x: memref<64xf32>) {
    %v = "mosaic_gpu.vector_load"(%x) : (memref<64xf32>) -> vector<64xf32>
    %b = mosaic_gpu.broadcast_in_dim(%v : vector<64xf32>) {broadcast_dimensions = array<i64: 0>} -> vector<64x64xf32>
    %c = mosaic_gpu.layout_cast x(%b : vector<64x64xf32>) {new_layout = #mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>}
    return
  }
}

// -----

// An instruction's demands: the constant accumulator is made as WGMMA, 8-bit register operands as WGMMA_8BIT.
// CHECK-LABEL: func.func @wgmma
// CHECK: vector_load{{.*}} {out_layouts = [#mosaic_gpu.TiledLayout<{{\[\[}}64, 16], [16, 16], [8, 16], [4]]
// CHECK: mosaic_gpu.wgmma{{.*}} {in_layouts = [#mosaic_gpu.TiledLayout<{{\[\[}}64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>, #mosaic_gpu.TiledLayout<{{\[\[}}64, 16]
module {
  func.func @wgmma(%x: memref<64x64xf8E4M3FN>) {
    %zero = arith.constant dense<0.0> : vector<64x128xf32>
    %b = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<64x128xf8E4M3FN, #gpu.address_space<workgroup>>
    %a = "mosaic_gpu.vector_load"(%x) : (memref<64x64xf8E4M3FN>) -> vector<64x64xf8E4M3FN>
    %r = mosaic_gpu.wgmma accumulator(%zero : vector<64x128xf32>) a(%a : vector<64x64xf8E4M3FN>) b(%b : memref<64x128xf8E4M3FN, #gpu.address_space<workgroup>>) -> vector<64x128xf32>
    return
  }
}

// -----

// A reduction has its source's layout without a dimension. A constant start value stays constant.
// CHECK-LABEL: func.func @reduction
// CHECK: vector.multi_reduction{{.*}} {in_layouts = [#mosaic_gpu.TiledLayout<{{\[\[}}64, 8]{{.*}}>, #mosaic_gpu.WGSplatFragLayout<[64]>], out_layouts = [#mosaic_gpu.TiledLayout<{{\[\[}}64], [16], [8], [1]]
module {
  func.func @reduction(%x: memref<64x64xf32>) {
    %zero = arith.constant dense<0.0> : vector<64xf32>
    %v = "mosaic_gpu.vector_load"(%x) : (memref<64x64xf32>) -> vector<64x64xf32>
    %a = mosaic_gpu.layout_cast x(%v : vector<64x64xf32>) {new_layout = #mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>}
    %r = vector.multi_reduction <add>, %a, %zero [1] : vector<64x64xf32> to vector<64xf32>
    return
  }
}

// -----

// Arrays joined into a strided one are its chunks. Arrays joined side by side need tiles, and so does a slice.
// CHECK-LABEL: func.func @parts
// CHECK: vector_load{{.*}} {out_layouts = [#mosaic_gpu.WGStridedFragLayout<[64, 64], 2>]}
// CHECK: vector_concat{{.*}} {dimension = 0 : i32, in_layouts = [#mosaic_gpu.WGStridedFragLayout<[64, 64], 2>, #mosaic_gpu.WGStridedFragLayout<[64, 64], 2>], out_layouts = [#mosaic_gpu.WGStridedFragLayout<[128, 64], 2>]}
// CHECK: vector.shape_cast{{.*}}out_layouts = [#mosaic_gpu.WGStridedFragLayout<[8192], 2>]
// CHECK: vector_load{{.*}} {out_layouts = [#mosaic_gpu.TiledLayout<{{\[\[}}64, 8]
// CHECK: vector.extract_strided_slice{{.*}}out_layouts = [#mosaic_gpu.TiledLayout<{{\[\[}}64, 8]
module {
  func.func @parts(%x: memref<64x64xf32>) {
    %a = "mosaic_gpu.vector_load"(%x) : (memref<64x64xf32>) -> vector<64x64xf32>
    %c = arith.constant dense<1.0> : vector<64x64xf32>
    %b = "mosaic_gpu.vector_concat"(%a, %c) <{dimension = 0 : i32}> : (vector<64x64xf32>, vector<64x64xf32>) -> vector<128x64xf32>
    %f = vector.shape_cast %b : vector<128x64xf32> to vector<8192xf32>
    %d = "mosaic_gpu.vector_load"(%x) : (memref<64x64xf32>) -> vector<64x64xf32>
    %e = vector.extract_strided_slice %d {offsets = [0, 8], sizes = [64, 8], strides = [1, 1]} : vector<64x64xf32> to vector<64x8xf32>
    return
  }
}

// -----

// A variable of the warpgroup has one layout, which its loads and stores share.
// CHECK-LABEL: func.func @variable
// CHECK: memref.alloca() {out_layouts = [#mosaic_gpu.WGStridedFragLayout<[128, 128], 2>]}
// CHECK: memref.store {{.*}} {in_layouts = [#mosaic_gpu.WGStridedFragLayout<[128, 128], 2>]}
// CHECK: scf.while
// CHECK: memref.load {{.*}} {out_layouts = [#mosaic_gpu.WGStridedFragLayout<[128, 128], 2>]}
module {
  func.func @variable(%go: memref<1xi1>, %x: memref<128x128xf32>) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant dense<0.0> : vector<128x128xf32>
    %v = memref.alloca() : memref<vector<128x128xf32>>
    memref.store %zero, %v[] : memref<vector<128x128xf32>>
    scf.while : () -> () {
      %again = memref.load %go[%c0] : memref<1xi1>
      scf.condition(%again)
    } do {
      %a = memref.load %v[] : memref<vector<128x128xf32>>
      %b = "mosaic_gpu.vector_load"(%x) : (memref<128x128xf32>) -> vector<128x128xf32>
      %c = arith.addf %a, %b : vector<128x128xf32>
      memref.store %c, %v[] : memref<vector<128x128xf32>>
      scf.yield
    }
    return
  }
}

// -----

// The rows that a copy selects: all warps share 16 of them, or each warp has all 4.
// CHECK-LABEL: func.func @rows
// CHECK: vector_load{{.*}} {out_layouts = [#mosaic_gpu.TiledLayout<{{\[\[}}16], [4]], {{.*}}vector<16xi32>
// CHECK: vector_load{{.*}} {out_layouts = [#mosaic_gpu.TiledLayout<{{\[\[}}4]], {{.*}}vector<4xi32>
module {
  func.func @rows(%x: memref<128x64xf16>, %i: memref<16xi32>, %j: memref<4xi32>) {
    %c0 = arith.constant 0 : i32
    %s = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<16x64xf16, #gpu.address_space<workgroup>>
    %t = "mosaic_gpu.slice_smem"() <{offset = 2048 : i32}> : () -> memref<4x64xf16, #gpu.address_space<workgroup>>
    %a = "mosaic_gpu.vector_load"(%i) : (memref<16xi32>) -> vector<16xi32>
    %b = "mosaic_gpu.vector_load"(%j) : (memref<4xi32>) -> vector<4xi32>
    "mosaic_gpu.async_store"(%s, %x, %a, %c0) <{operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, slice_lengths = array<i64: 16, 64>}> : (memref<16x64xf16, #gpu.address_space<workgroup>>, memref<128x64xf16>, vector<16xi32>, i32) -> ()
    "mosaic_gpu.async_store"(%t, %x, %b, %c0) <{operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, slice_lengths = array<i64: 4, 64>}> : (memref<4x64xf16, #gpu.address_space<workgroup>>, memref<128x64xf16>, vector<4xi32>, i32) -> ()
    return
  }
}
