// The lowering's errors about tensor memory, in the words of the snippet language.
// RUN: lanescope-opt %s --split-input-file --verify-diagnostics --mosaic-gpu-layout-inference --mosaic-gpu-to-nvvm

module @hopper attributes {mosaic_gpu.arch_major = 9 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @hopper(%out: memref<128x64xf32>) attributes {lanescope.arguments = [{kind = "out", name = "out"}], lanescope.grid = array<i64: 2, 1, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 65536 : i64} {
    %p = "mosaic_gpu.slice_smem"() <{offset = 65528 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
    // expected-error@+1 {{tensor memory is that of sm_100a, and this kernel is for sm_90a}}
    %t = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x128xi32, #mosaic_gpu.tmem>
    return
  }
}

// -----

module @alone attributes {mosaic_gpu.arch_major = 10 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @alone(%out: memref<128x64xf32>) attributes {lanescope.arguments = [{kind = "out", name = "out"}], lanescope.grid = array<i64: 2, 1, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 65536 : i64} {
    %p = "mosaic_gpu.slice_smem"() <{offset = 65528 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
    // expected-error@+1 {{clusters have 2 of them along x}}
    %t = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) {collective = true} -> memref<128x128xi32, #mosaic_gpu.tmem>
    return
  }
}

// -----

module @beyond attributes {mosaic_gpu.arch_major = 10 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @beyond(%out: memref<128x64xf32>) attributes {lanescope.arguments = [{kind = "out", name = "out"}], lanescope.grid = array<i64: 2, 1, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 65536 : i64} {
    %p = "mosaic_gpu.slice_smem"() <{offset = 65528 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
    %t = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x128xi32, #mosaic_gpu.tmem>
    // expected-error@+1 {{columns 100 to 164 are beyond the 128 that are allocated}}
    %ds = "mosaic_gpu.slice_tmem"(%t) <{offset = 100 : i32}> : (memref<128x128xi32, #mosaic_gpu.tmem>) -> memref<128x64xf32, #mosaic_gpu.tmem>
    %d = "mosaic_gpu.tmem_layout_cast"(%ds) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 1], [32, 1]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}> : (memref<128x64xf32, #mosaic_gpu.tmem>) -> memref<128x64xf32, #mosaic_gpu.tmem>
    return
  }
}

// -----

module @some_rows attributes {mosaic_gpu.arch_major = 10 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @some_rows(%out: memref<128x64xf32>) attributes {lanescope.arguments = [{kind = "out", name = "out"}], lanescope.grid = array<i64: 2, 1, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 65536 : i64} {
    %p = "mosaic_gpu.slice_smem"() <{offset = 65528 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
    %t = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x128xi32, #mosaic_gpu.tmem>
    %ds = "mosaic_gpu.slice_tmem"(%t) <{offset = 0 : i32}> : (memref<128x128xi32, #mosaic_gpu.tmem>) -> memref<128x64xf32, #mosaic_gpu.tmem>
    %d = "mosaic_gpu.tmem_layout_cast"(%ds) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 1], [32, 1]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}> : (memref<128x64xf32, #mosaic_gpu.tmem>) -> memref<128x64xf32, #mosaic_gpu.tmem>
    // expected-error@+1 {{a slice of tensor memory has all of its 128 rows}}
    %s = memref.subview %d[64, 0] [64, 64] [1, 1] : memref<128x64xf32, #mosaic_gpu.tmem> to memref<64x64xf32, strided<[64, 1], offset: 4096>, #mosaic_gpu.tmem>
    return
  }
}

// -----

module @odd_columns attributes {mosaic_gpu.arch_major = 10 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @odd_columns(%out: memref<128x64xf32>) attributes {lanescope.arguments = [{kind = "out", name = "out"}], lanescope.grid = array<i64: 2, 1, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 65536 : i64} {
    %p = "mosaic_gpu.slice_smem"() <{offset = 65528 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
    %t = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x128xi32, #mosaic_gpu.tmem>
    %ds = "mosaic_gpu.slice_tmem"(%t) <{offset = 0 : i32}> : (memref<128x128xi32, #mosaic_gpu.tmem>) -> memref<128x64xf16, #mosaic_gpu.tmem>
    %d = "mosaic_gpu.tmem_layout_cast"(%ds) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 2], [32, 2]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}> : (memref<128x64xf16, #mosaic_gpu.tmem>) -> memref<128x64xf16, #mosaic_gpu.tmem>
    // expected-error@+1 {{begins and ends at multiples of 2 columns}}
    %s = memref.subview %d[0, 3] [128, 8] [1, 1] : memref<128x64xf16, #mosaic_gpu.tmem> to memref<128x8xf16, strided<[64, 1], offset: 3>, #mosaic_gpu.tmem>
    return
  }
}

// -----

module @unknown_start attributes {mosaic_gpu.arch_major = 10 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @unknown_start(%out: memref<128x64xf32>) attributes {lanescope.arguments = [{kind = "out", name = "out"}], lanescope.grid = array<i64: 2, 1, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 65536 : i64} {
    %p = "mosaic_gpu.slice_smem"() <{offset = 65528 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
    %t = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x128xi32, #mosaic_gpu.tmem>
    %ds = "mosaic_gpu.slice_tmem"(%t) <{offset = 0 : i32}> : (memref<128x128xi32, #mosaic_gpu.tmem>) -> memref<128x64xf16, #mosaic_gpu.tmem>
    %d = "mosaic_gpu.tmem_layout_cast"(%ds) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 2], [32, 2]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}> : (memref<128x64xf16, #mosaic_gpu.tmem>) -> memref<128x64xf16, #mosaic_gpu.tmem>
    %i = lanescope.program_id {dim = 0 : i32}
    %j = arith.index_cast %i : i32 to index
    // expected-error@+1 {{the start is not known to be one (write a computed start as a product with 2)}}
    %s = memref.subview %d[0, %j] [128, 8] [1, 1] : memref<128x64xf16, #mosaic_gpu.tmem> to memref<128x8xf16, strided<[64, 1], offset: ?>, #mosaic_gpu.tmem>
    return
  }
}

// -----

module @index attributes {mosaic_gpu.arch_major = 10 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @index(%out: memref<128x64xf32>) attributes {lanescope.arguments = [{kind = "out", name = "out"}], lanescope.grid = array<i64: 2, 1, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 65536 : i64} {
    %p = "mosaic_gpu.slice_smem"() <{offset = 65528 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
    %t = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x128xi32, #mosaic_gpu.tmem>
    %ds = "mosaic_gpu.slice_tmem"(%t) <{offset = 0 : i32}> : (memref<128x128xi32, #mosaic_gpu.tmem>) -> memref<128x64xf32, #mosaic_gpu.tmem>
    %d = "mosaic_gpu.tmem_layout_cast"(%ds) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 1], [32, 1]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}> : (memref<128x64xf32, #mosaic_gpu.tmem>) -> memref<128x64xf32, #mosaic_gpu.tmem>
    // expected-error@+1 {{is sliced, not indexed}}
    %s = memref.subview %d[0, 0] [128, 1] [1, 1] : memref<128x64xf32, #mosaic_gpu.tmem> to memref<128xf32, strided<[64]>, #mosaic_gpu.tmem>
    return
  }
}

// -----

module @transposed attributes {mosaic_gpu.arch_major = 10 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @transposed(%out: memref<128x64xf32>) attributes {lanescope.arguments = [{kind = "out", name = "out"}], lanescope.grid = array<i64: 2, 1, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 65536 : i64} {
    %p = "mosaic_gpu.slice_smem"() <{offset = 65528 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
    %t = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x128xi32, #mosaic_gpu.tmem>
    %ds = "mosaic_gpu.slice_tmem"(%t) <{offset = 0 : i32}> : (memref<128x128xi32, #mosaic_gpu.tmem>) -> memref<128x64xf32, #mosaic_gpu.tmem>
    %d = "mosaic_gpu.tmem_layout_cast"(%ds) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 1], [32, 1]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}> : (memref<128x64xf32, #mosaic_gpu.tmem>) -> memref<128x64xf32, #mosaic_gpu.tmem>
    // expected-error@+1 {{cannot be transposed: its rows are lanes}}
    %s = memref.transpose %d (d0, d1) -> (d1, d0) : memref<128x64xf32, #mosaic_gpu.tmem> to memref<64x128xf32, strided<[1, 64]>, #mosaic_gpu.tmem>
    return
  }
}

// -----

module @reducing attributes {mosaic_gpu.arch_major = 10 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @reducing(%out: memref<128x64xf32>) attributes {lanescope.arguments = [{kind = "out", name = "out"}], lanescope.grid = array<i64: 2, 1, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 65536 : i64} {
    %p = "mosaic_gpu.slice_smem"() <{offset = 65528 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
    %t = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x128xi32, #mosaic_gpu.tmem>
    %ds = "mosaic_gpu.slice_tmem"(%t) <{offset = 0 : i32}> : (memref<128x128xi32, #mosaic_gpu.tmem>) -> memref<128x64xf32, #mosaic_gpu.tmem>
    %d = "mosaic_gpu.tmem_layout_cast"(%ds) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 1], [32, 1]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}> : (memref<128x64xf32, #mosaic_gpu.tmem>) -> memref<128x64xf32, #mosaic_gpu.tmem>
    // expected-error@+1 {{is an instruction of sm_103a, not of sm_100a}}
    %v:2 = "mosaic_gpu.async_load_tmem"(%d) <{reduce = 1 : i32}> : (memref<128x64xf32, #mosaic_gpu.tmem>) -> (vector<128x64xf32>, vector<128xf32>)
    return
  }
}

// -----

module @unswizzled attributes {mosaic_gpu.arch_major = 10 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @unswizzled(%out: memref<128x64xf32>) attributes {lanescope.arguments = [{kind = "out", name = "out"}], lanescope.grid = array<i64: 2, 1, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 65536 : i64} {
    %p = "mosaic_gpu.slice_smem"() <{offset = 65528 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
    %t = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x128xi32, #mosaic_gpu.tmem>
    %ds = "mosaic_gpu.slice_tmem"(%t) <{offset = 0 : i32}> : (memref<128x128xi32, #mosaic_gpu.tmem>) -> memref<128x64xf32, #mosaic_gpu.tmem>
    %d = "mosaic_gpu.tmem_layout_cast"(%ds) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 1], [32, 1]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}> : (memref<128x64xf32, #mosaic_gpu.tmem>) -> memref<128x64xf32, #mosaic_gpu.tmem>
    %a0 = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<128x64xf16, #gpu.address_space<workgroup>>
    %a = "mosaic_gpu.with_transforms"(%a0) <{transforms = [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128>]}> : (memref<128x64xf16, #gpu.address_space<workgroup>>) -> memref<128x64xf16, #gpu.address_space<workgroup>>
    %b0 = "mosaic_gpu.slice_smem"() <{offset = 32768 : i32}> : () -> memref<64x64xf16, #gpu.address_space<workgroup>>
    %b = "mosaic_gpu.with_transforms"(%b0) <{transforms = [#mosaic_gpu.tile<[8, 64]>]}> : (memref<64x64xf16, #gpu.address_space<workgroup>>) -> memref<64x64xf16, #gpu.address_space<workgroup>>
    %acc = arith.constant false
    // expected-error@+1 {{the right operand of `tcgen05_mma` is not swizzled}}
    "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x64xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>>, i1) -> ()
    return
  }
}

// -----

module @untiled attributes {mosaic_gpu.arch_major = 10 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @untiled(%out: memref<128x64xf32>) attributes {lanescope.arguments = [{kind = "out", name = "out"}], lanescope.grid = array<i64: 2, 1, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 65536 : i64} {
    %p = "mosaic_gpu.slice_smem"() <{offset = 65528 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
    %t = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x128xi32, #mosaic_gpu.tmem>
    %ds = "mosaic_gpu.slice_tmem"(%t) <{offset = 0 : i32}> : (memref<128x128xi32, #mosaic_gpu.tmem>) -> memref<128x64xf32, #mosaic_gpu.tmem>
    %d = "mosaic_gpu.tmem_layout_cast"(%ds) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 1], [32, 1]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}> : (memref<128x64xf32, #mosaic_gpu.tmem>) -> memref<128x64xf32, #mosaic_gpu.tmem>
    %a0 = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<128x64xf16, #gpu.address_space<workgroup>>
    %a = "mosaic_gpu.with_transforms"(%a0) <{transforms = [#mosaic_gpu.tile<[16, 64]>, #mosaic_gpu.swizzle<128>]}> : (memref<128x64xf16, #gpu.address_space<workgroup>>) -> memref<128x64xf16, #gpu.address_space<workgroup>>
    %b0 = "mosaic_gpu.slice_smem"() <{offset = 32768 : i32}> : () -> memref<64x64xf16, #gpu.address_space<workgroup>>
    %b = "mosaic_gpu.with_transforms"(%b0) <{transforms = [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128>]}> : (memref<64x64xf16, #gpu.address_space<workgroup>>) -> memref<64x64xf16, #gpu.address_space<workgroup>>
    %acc = arith.constant false
    // expected-error@+1 {{must be stored in tiles of (8, 64)}}
    "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x64xf32, #mosaic_gpu.tmem>, memref<128x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>>, i1) -> ()
    return
  }
}

// -----

module @shallow attributes {mosaic_gpu.arch_major = 10 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @shallow(%out: memref<128x64xf32>) attributes {lanescope.arguments = [{kind = "out", name = "out"}], lanescope.grid = array<i64: 2, 1, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 65536 : i64} {
    %p = "mosaic_gpu.slice_smem"() <{offset = 65528 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
    %t = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x128xi32, #mosaic_gpu.tmem>
    %ds = "mosaic_gpu.slice_tmem"(%t) <{offset = 0 : i32}> : (memref<128x128xi32, #mosaic_gpu.tmem>) -> memref<128x64xf32, #mosaic_gpu.tmem>
    %d = "mosaic_gpu.tmem_layout_cast"(%ds) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 1], [32, 1]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}> : (memref<128x64xf32, #mosaic_gpu.tmem>) -> memref<128x64xf32, #mosaic_gpu.tmem>
    %a0 = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<128x96xf16, #gpu.address_space<workgroup>>
    %a = "mosaic_gpu.with_transforms"(%a0) <{transforms = [#mosaic_gpu.tile<[8, 32]>, #mosaic_gpu.swizzle<64>]}> : (memref<128x96xf16, #gpu.address_space<workgroup>>) -> memref<128x96xf16, #gpu.address_space<workgroup>>
    %b0 = "mosaic_gpu.slice_smem"() <{offset = 32768 : i32}> : () -> memref<96x64xf16, #gpu.address_space<workgroup>>
    %b = "mosaic_gpu.with_transforms"(%b0) <{transforms = [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128>]}> : (memref<96x64xf16, #gpu.address_space<workgroup>>) -> memref<96x64xf16, #gpu.address_space<workgroup>>
    %acc = arith.constant false
    // expected-error@+1 {{needs a depth that is a multiple of 64, not 96}}
    "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x64xf32, #mosaic_gpu.tmem>, memref<128x96xf16, #gpu.address_space<workgroup>>, memref<96x64xf16, #gpu.address_space<workgroup>>, i1) -> ()
    return
  }
}

// -----

module @wide_swizzle attributes {mosaic_gpu.arch_major = 10 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @wide_swizzle(%out: memref<128x64xf32>) attributes {lanescope.arguments = [{kind = "out", name = "out"}], lanescope.grid = array<i64: 2, 1, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 65536 : i64} {
    %p = "mosaic_gpu.slice_smem"() <{offset = 65528 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
    %t = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x128xi32, #mosaic_gpu.tmem>
    %ds = "mosaic_gpu.slice_tmem"(%t) <{offset = 0 : i32}> : (memref<128x128xi32, #mosaic_gpu.tmem>) -> memref<64x64xf32, #mosaic_gpu.tmem>
    %d = "mosaic_gpu.tmem_layout_cast"(%ds) <{new_layout = #mosaic_gpu.TiledLayout<[[64, 64], [16, 32], [1]], warp_dims = [-5], lane_dims = [-4, -3], vector_dim = -1>}> : (memref<64x64xf32, #mosaic_gpu.tmem>) -> memref<64x64xf32, #mosaic_gpu.tmem>
    %a0 = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<64x64xf16, #gpu.address_space<workgroup>>
    %a = "mosaic_gpu.with_transforms"(%a0) <{transforms = [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128>]}> : (memref<64x64xf16, #gpu.address_space<workgroup>>) -> memref<64x64xf16, #gpu.address_space<workgroup>>
    %b0 = "mosaic_gpu.slice_smem"() <{offset = 32768 : i32}> : () -> memref<64x64xf16, #gpu.address_space<workgroup>>
    %b = "mosaic_gpu.with_transforms"(%b0) <{transforms = [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128>]}> : (memref<64x64xf16, #gpu.address_space<workgroup>>) -> memref<64x64xf16, #gpu.address_space<workgroup>>
    %acc = arith.constant false
    // expected-error@+1 {{is taken 32 columns at a time, but it is stored in tiles of 64; choose a narrower swizzle}}
    "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<64x64xf32, #mosaic_gpu.tmem>, memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16, #gpu.address_space<workgroup>>, i1) -> ()
    return
  }
}

// -----

module @copied_untiled attributes {mosaic_gpu.arch_major = 10 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @copied_untiled(%out: memref<128x64xf32>) attributes {lanescope.arguments = [{kind = "out", name = "out"}], lanescope.grid = array<i64: 2, 1, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 65536 : i64} {
    %p = "mosaic_gpu.slice_smem"() <{offset = 65528 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
    %t = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x128xi32, #mosaic_gpu.tmem>
    %ds = "mosaic_gpu.slice_tmem"(%t) <{offset = 0 : i32}> : (memref<128x128xi32, #mosaic_gpu.tmem>) -> memref<128x64xf16, #mosaic_gpu.tmem>
    %d = "mosaic_gpu.tmem_layout_cast"(%ds) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 2], [32, 2]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}> : (memref<128x64xf16, #mosaic_gpu.tmem>) -> memref<128x64xf16, #mosaic_gpu.tmem>
    %a0 = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<128x64xf16, #gpu.address_space<workgroup>>
    %a = "mosaic_gpu.with_transforms"(%a0) <{transforms = [#mosaic_gpu.tile<[16, 64]>, #mosaic_gpu.swizzle<128>]}> : (memref<128x64xf16, #gpu.address_space<workgroup>>) -> memref<128x64xf16, #gpu.address_space<workgroup>>
    // expected-error@+1 {{must be stored in tiles of (8, 64)}}
    "mosaic_gpu.async_store_smem_to_tmem"(%a, %d) : (memref<128x64xf16, #gpu.address_space<workgroup>>, memref<128x64xf16, #mosaic_gpu.tmem>) -> ()
    return
  }
}

// -----

module @many_scales attributes {mosaic_gpu.arch_major = 10 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @many_scales(%out: memref<128x64xf32>) attributes {lanescope.arguments = [{kind = "out", name = "out"}], lanescope.grid = array<i64: 2, 1, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 65536 : i64} {
    %p = "mosaic_gpu.slice_smem"() <{offset = 65528 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
    %t = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x128xi32, #mosaic_gpu.tmem>
    %ds = "mosaic_gpu.slice_tmem"(%t) <{offset = 0 : i32}> : (memref<128x128xi32, #mosaic_gpu.tmem>) -> memref<384x4xf8E8M0FNU, #mosaic_gpu.tmem>
    %d = "mosaic_gpu.tmem_layout_cast"(%ds) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 4], [32, 1]], warp_dims = [#mosaic_gpu.Replicated<times = 4>], lane_dims = [-2], vector_dim = -3>}> : (memref<384x4xf8E8M0FNU, #mosaic_gpu.tmem>) -> memref<384x4xf8E8M0FNU, #mosaic_gpu.tmem>
    %a0 = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<3x1x32x16xf8E8M0FNU, #gpu.address_space<workgroup>>
    %a = "mosaic_gpu.with_transforms"(%a0) <{transforms = []}> : (memref<3x1x32x16xf8E8M0FNU, #gpu.address_space<workgroup>>) -> memref<3x1x32x16xf8E8M0FNU, #gpu.address_space<workgroup>>
    // expected-error@+1 {{scales of at most 256 rows are copied at once, not of 384}}
    "mosaic_gpu.async_store_scales_smem_to_tmem"(%a, %d) : (memref<3x1x32x16xf8E8M0FNU, #gpu.address_space<workgroup>>, memref<384x4xf8E8M0FNU, #mosaic_gpu.tmem>) -> ()
    return
  }
}
