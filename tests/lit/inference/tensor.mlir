// References to tensor memory, and arrays that are loaded from it and stored to it.
// RUN: lanescope-opt --split-input-file --mosaic-gpu-layout-inference %s | FileCheck %s

!tmem = memref<128x64xf32, #mosaic_gpu.tmem>
!half = memref<64x32xf32, #mosaic_gpu.tmem>

// A cast's layout holds for its operand and for slices. An allocation has the plain layout. Loads try TCGEN05 first.
// CHECK-LABEL: func.func @cast
// CHECK: tmem_alloc {{.*}}out_tmem_layouts = [#mosaic_gpu.TiledLayout<{{\[\[}}128, 1], [32, 1]]
// CHECK: slice_tmem{{.*}}in_tmem_layouts = [#mosaic_gpu.TiledLayout<{{\[\[}}128, 1], [32, 1]]{{.*}}out_tmem_layouts = [#mosaic_gpu.TiledLayout<{{\[\[}}128, 2], [32, 2]]
// CHECK: subview{{.*}}out_tmem_layouts = [#mosaic_gpu.TiledLayout<{{\[\[}}128, 2], [32, 2]]
// CHECK: async_load_tmem{{.*}}out_layouts = [#mosaic_gpu.TiledLayout<{{\[\[}}128, 8], [32, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>]
// CHECK: tmem_dealloc {{.*}}in_tmem_layouts
module {
  func.func @cast(%out: memref<128x32xf16>) {
    %p = "mosaic_gpu.slice_smem"() <{offset = 20480 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
    %a = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x64xi32, #mosaic_gpu.tmem>
    %t = "mosaic_gpu.slice_tmem"(%a) <{offset = 0 : i32}> : (memref<128x64xi32, #mosaic_gpu.tmem>) -> memref<128x64xf16, #mosaic_gpu.tmem>
    %c = "mosaic_gpu.tmem_layout_cast"(%t) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 2], [32, 2]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}> : (memref<128x64xf16, #mosaic_gpu.tmem>) -> memref<128x64xf16, #mosaic_gpu.tmem>
    %s = memref.subview %c[0, 32] [128, 32] [1, 1] : memref<128x64xf16, #mosaic_gpu.tmem> to memref<128x32xf16, strided<[64, 1], offset: 32>, #mosaic_gpu.tmem>
    %v = "mosaic_gpu.async_load_tmem"(%s) : (memref<128x32xf16, strided<[64, 1], offset: 32>, #mosaic_gpu.tmem>) -> vector<128x32xf16>
    "mosaic_gpu.vector_store"(%v, %out) : (vector<128x32xf16>, memref<128x32xf16>) -> ()
    mosaic_gpu.tmem_dealloc tmem_ref(%a : memref<128x64xi32, #mosaic_gpu.tmem>)
    return
  }
}

// -----

// A product determines its operands' layouts: 64 rows in half of the lanes. The load keeps that layout.
!half = memref<64x32xf32, #mosaic_gpu.tmem>
// CHECK-LABEL: func.func @product
// CHECK: tcgen05_mma{{.*}}in_tmem_layouts = [#mosaic_gpu.TiledLayout<{{\[\[}}64, 32], [16, 16], [1]], warp_dims = [-5], lane_dims = [-4, -3], vector_dim = -1>], in_transforms
// CHECK: async_load_tmem{{.*}}out_layouts = [#mosaic_gpu.TiledLayout<{{\[\[}}64, 32], [16, 16], [1]], warp_dims = [-5], lane_dims = [-4, -3], vector_dim = -1>]
module {
  func.func @product(%acc: i1, %out: memref<64x32xf32>) {
    %p = "mosaic_gpu.slice_smem"() <{offset = 20480 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
    %alloc = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x64xi32, #mosaic_gpu.tmem>
    %d = "mosaic_gpu.slice_tmem"(%alloc) <{offset = 0 : i32}> : (memref<128x64xi32, #mosaic_gpu.tmem>) -> !half
    %0 = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<64x64xf16, #gpu.address_space<workgroup>>
    %a = "mosaic_gpu.with_transforms"(%0) <{transforms = [#mosaic_gpu.tile<[8, 16]>, #mosaic_gpu.swizzle<32>]}> : (memref<64x64xf16, #gpu.address_space<workgroup>>) -> memref<64x64xf16, #gpu.address_space<workgroup>>
    %1 = "mosaic_gpu.slice_smem"() <{offset = 8192 : i32}> : () -> memref<64x32xf16, #gpu.address_space<workgroup>>
    %b = "mosaic_gpu.with_transforms"(%1) <{transforms = [#mosaic_gpu.tile<[8, 16]>, #mosaic_gpu.swizzle<32>]}> : (memref<64x32xf16, #gpu.address_space<workgroup>>) -> memref<64x32xf16, #gpu.address_space<workgroup>>
    "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (!half, memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x32xf16, #gpu.address_space<workgroup>>, i1) -> ()
    %v = "mosaic_gpu.async_load_tmem"(%d) : (!half) -> vector<64x32xf32>
    "mosaic_gpu.vector_store"(%v, %out) : (vector<64x32xf32>, memref<64x32xf32>) -> ()
    return
  }
}

// -----

// Without another constraint, an array's layout determines that of tensor memory; the packed one is tried first.
// CHECK-LABEL: func.func @learnt
// CHECK: async_store_tmem{{.*}}in_tmem_layouts = [#mosaic_gpu.TiledLayout<{{\[\[}}128, 2], [32, 2]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>]
module {
  func.func @learnt(%x: memref<128x32xf16>) {
    %p = "mosaic_gpu.slice_smem"() <{offset = 20480 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
    %alloc = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x64xi32, #mosaic_gpu.tmem>
    %t = "mosaic_gpu.slice_tmem"(%alloc) <{offset = 0 : i32}> : (memref<128x64xi32, #mosaic_gpu.tmem>) -> memref<128x32xf16, #mosaic_gpu.tmem>
    %v = "mosaic_gpu.vector_load"(%x) : (memref<128x32xf16>) -> vector<128x32xf16>
    %c = mosaic_gpu.layout_cast x(%v : vector<128x32xf16>) {new_layout = #mosaic_gpu.TiledLayout<[[128, 8], [32, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>}
    "mosaic_gpu.async_store_tmem"(%c, %t) : (vector<128x32xf16>, memref<128x32xf16, #mosaic_gpu.tmem>) -> ()
    return
  }
}

// -----

// A load takes the layout of its cast if tensor memory allows it; unconstrained references get the plain layout.
// CHECK-LABEL: func.func @hint
// CHECK: async_load_tmem{{.*}}in_tmem_layouts = [#mosaic_gpu.TiledLayout<{{\[\[}}128, 1], [32, 1]]{{.*}}out_layouts = [#mosaic_gpu.TiledLayout<{{\[\[}}128, 2], [32, 2]]
// A stored constant is made in a layout that fits.
// CHECK: async_store_tmem{{.*}}in_layouts = [#mosaic_gpu.TiledLayout<{{\[\[}}128, 8], [32, 8], [8, 8], [2]]
module {
  func.func @hint(%out: memref<128x32xf32>) {
    %p = "mosaic_gpu.slice_smem"() <{offset = 20480 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
    %alloc = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x64xi32, #mosaic_gpu.tmem>
    %t = "mosaic_gpu.slice_tmem"(%alloc) <{offset = 0 : i32}> : (memref<128x64xi32, #mosaic_gpu.tmem>) -> memref<128x32xf32, #mosaic_gpu.tmem>
    %v = "mosaic_gpu.async_load_tmem"(%t) : (memref<128x32xf32, #mosaic_gpu.tmem>) -> vector<128x32xf32>
    %c = mosaic_gpu.layout_cast x(%v : vector<128x32xf32>) {new_layout = #mosaic_gpu.TiledLayout<[[128, 2], [32, 2]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}
    "mosaic_gpu.vector_store"(%c, %out) : (vector<128x32xf32>, memref<128x32xf32>) -> ()
    %one = arith.constant dense<1.0> : vector<128x32xf32>
    "mosaic_gpu.async_store_tmem"(%one, %t) : (vector<128x32xf32>, memref<128x32xf32, #mosaic_gpu.tmem>) -> ()
    return
  }
}
