// RUN: lanescope-opt --split-input-file --verify-diagnostics --mosaic-gpu-layout-inference %s

#wgmma = #mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>
#tcgen05 = #mosaic_gpu.TiledLayout<[[128, 8], [32, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>
module {
  func.func @meeting(%x: memref<128x64xf32>) {
    %a = "mosaic_gpu.vector_load"(%x) : (memref<128x64xf32>) -> vector<128x64xf32>
    %b = "mosaic_gpu.vector_load"(%x) : (memref<128x64xf32>) -> vector<128x64xf32>
    // expected-note @+1 {{`WGMMA` comes from here}}
    %c = mosaic_gpu.layout_cast x(%a : vector<128x64xf32>) {new_layout = #wgmma}
    // expected-note @+1 {{`TCGEN05` comes from here}}
    %d = mosaic_gpu.layout_cast x(%b : vector<128x64xf32>) {new_layout = #tcgen05}
    // expected-error @+1 {{two arrays with different layouts meet here: `WGMMA` and `TCGEN05`; convert one of them with `layout_cast`}}
    %e = arith.addf %c, %d : vector<128x64xf32>
    return
  }
}

// -----

module {
  func.func @uneven(%x: memref<3x5xf32>) {
    // expected-error @+1 {{an array of shape (3, 5) cannot be dealt evenly to a warpgroup's 128 threads; pad it to a multiple of 128 elements, or read it with a layout that fits it}}
    %a = "mosaic_gpu.vector_load"(%x) : (memref<3x5xf32>) -> vector<3x5xf32>
    return
  }
}

// -----

module {
  func.func @small_tile() {
    %0 = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<32x64xf16, #gpu.address_space<workgroup>>
    %1 = "mosaic_gpu.with_transforms"(%0) <{transforms = [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128>]}> : (memref<32x64xf16, #gpu.address_space<workgroup>>) -> memref<32x64xf16, #gpu.address_space<workgroup>>
    // expected-error @+1 {{tiled shared memory is loaded as `WGMMA`, which needs multiples of (64, 8), but this has shape (32, 64); read it with a layout that fits}}
    %2 = "mosaic_gpu.vector_load"(%1) : (memref<32x64xf16, #gpu.address_space<workgroup>>) -> vector<32x64xf16>
    return
  }
}

// -----

#wgmma = #mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>
#transposed = #mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2, 2], [2, 1]], warp_dims = [-10], lane_dims = [-6, -3, -5], vector_dim = -2>
module {
  func.func @conversion(%x: memref<64x64xi8>) {
    %a = "mosaic_gpu.vector_load"(%x) : (memref<64x64xi8>) -> vector<64x64xi8>
    // expected-note @+1 {{`WGMMA` comes from here}}
    %b = mosaic_gpu.layout_cast x(%a : vector<64x64xi8>) {new_layout = #wgmma}
    // expected-error @+1 {{there is no conversion from `WGMMA` to `WGMMA_TRANSPOSED` for 8-bit elements; there are: }}
    %c = mosaic_gpu.layout_cast x(%b : vector<64x64xi8>) {new_layout = #transposed}
    return
  }
}

// -----

#transposed = #mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2, 2], [2, 1]], warp_dims = [-10], lane_dims = [-6, -3, -5], vector_dim = -2>
module {
  func.func @demanded(%x: memref<64x64xf16>) {
    %zero = arith.constant dense<0.0> : vector<64x128xf32>
    %b = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<64x128xf16, #gpu.address_space<workgroup>>
    %v = "mosaic_gpu.vector_load"(%x) : (memref<64x64xf16>) -> vector<64x64xf16>
    // expected-note @+1 {{`WGMMA_TRANSPOSED` comes from here}}
    %a = mosaic_gpu.layout_cast x(%v : vector<64x64xf16>) {new_layout = #transposed}
    // expected-error @+1 {{the left operand of `wgmma` is in registers as `WGMMA`, but this is in `WGMMA_TRANSPOSED`; convert it with `layout_cast`}}
    %r = mosaic_gpu.wgmma accumulator(%zero : vector<64x128xf32>) a(%a : vector<64x64xf16>) b(%b : memref<64x128xf16, #gpu.address_space<workgroup>>) -> vector<64x128xf32>
    return
  }
}

// -----

module {
  func.func @sliced(%x: memref<128x64xf32>) {
    // expected-note @+1 {{comes from here}}
    %a = "mosaic_gpu.vector_load"(%x) : (memref<128x64xf32>) -> vector<128x64xf32>
    // expected-error @+1 {{an array is sliced in whole tiles of its layout: the layouts are `WGStridedFragLayout}}
    %b = vector.extract_strided_slice %a {offsets = [0, 0], sizes = [128, 4], strides = [1, 1]} : vector<128x64xf32> to vector<128x4xf32>
    return
  }
}

// -----

module {
  func.func @repeated(%x: memref<128x64xf32>) {
    %a = "mosaic_gpu.vector_load"(%x) : (memref<128x64xf32>) -> vector<128x64xf32>
    // expected-error @+1 {{only a constant array can be here, but this one's elements differ}}
    %b = vector.broadcast %a : vector<128x64xf32> to vector<2x128x64xf32>
    return
  }
}

// -----

module {
  func.func @two() {
    %p = "mosaic_gpu.slice_smem"() <{offset = 20480 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
    %alloc = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x64xi32, #mosaic_gpu.tmem>
    %t = "mosaic_gpu.slice_tmem"(%alloc) <{offset = 0 : i32}> : (memref<128x64xi32, #mosaic_gpu.tmem>) -> memref<128x64xf16, #mosaic_gpu.tmem>
    // expected-note@+1 {{`tmem_default_layout(packing=2)` comes from here}}
    %c = "mosaic_gpu.tmem_layout_cast"(%t) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 2], [32, 2]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}> : (memref<128x64xf16, #mosaic_gpu.tmem>) -> memref<128x64xf16, #mosaic_gpu.tmem>
    // expected-error@+1 {{the result of `tmem_layout_cast` is in tensor memory as `tmem_default_layout}}
    %d = "mosaic_gpu.tmem_layout_cast"(%c) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 1], [32, 1]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}> : (memref<128x64xf16, #mosaic_gpu.tmem>) -> memref<128x64xf16, #mosaic_gpu.tmem>
    return
  }
}

// -----

module {
  func.func @pair(%x: memref<128x64xf32>) {
    %p = "mosaic_gpu.slice_smem"() <{offset = 20480 : i32}> : () -> memref<i32, #gpu.address_space<workgroup>>
    %alloc = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x64xi32, #mosaic_gpu.tmem>
    %t = "mosaic_gpu.slice_tmem"(%alloc) <{offset = 0 : i32}> : (memref<128x64xi32, #mosaic_gpu.tmem>) -> memref<128x64xf32, #mosaic_gpu.tmem>
    %u = "mosaic_gpu.tmem_layout_cast"(%t) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 1], [32, 1]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}> : (memref<128x64xf32, #mosaic_gpu.tmem>) -> memref<128x64xf32, #mosaic_gpu.tmem>
    %v = "mosaic_gpu.vector_load"(%x) : (memref<128x64xf32>) -> vector<128x64xf32>
    // expected-note@+1 {{`WGMMA` comes from here}}
    %c = mosaic_gpu.layout_cast x(%v : vector<128x64xf32>) {new_layout = #mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>}
    // expected-error@+1 {{an array in `WGMMA` with elements of 32 bits is not loaded from, or stored to, tensor memory laid out as `tmem_default_layout(packing=1)`; there it is `TCGEN05` or}}
    "mosaic_gpu.async_store_tmem"(%c, %u) : (vector<128x64xf32>, memref<128x64xf32, #mosaic_gpu.tmem>) -> ()
    return
  }
}

// -----

// The suggested fix, and its cost in both directions.
#wgmma = #mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>
#transposed = #mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2, 2], [2, 1]], warp_dims = [-10], lane_dims = [-6, -3, -5], vector_dim = -2>
module {
  func.func @cost(%x: memref<64x64xf32>) {
    %a = "mosaic_gpu.vector_load"(%x) : (memref<64x64xf32>) -> vector<64x64xf32>
    %b = "mosaic_gpu.vector_load"(%x) : (memref<64x64xf32>) -> vector<64x64xf32>
    // expected-note @+1 {{`WGMMA` comes from here}}
    %c = mosaic_gpu.layout_cast x(%a : vector<64x64xf32>) {new_layout = #wgmma}
    // expected-note @+1 {{`WGMMA_TRANSPOSED` comes from here}}
    %d = mosaic_gpu.layout_cast x(%b : vector<64x64xf32>) {new_layout = #transposed}
    // expected-error @+1 {{convert one of them with `layout_cast`; from `WGMMA` to `WGMMA_TRANSPOSED` that takes shuffles: 16 shuffles, 0 byte permutes, 48 selects per thread, from `WGMMA_TRANSPOSED` to `WGMMA` that takes shuffles: 16}}
    %e = arith.addf %c, %d : vector<64x64xf32>
    return
  }
}

// -----

module {
  func.func @stated(%x: memref<128x128xf32>) {
    // expected-note @+1 {{`WGStridedFragLayout(shape=(128, 128), vec_size=2)` comes from here}}
    %v = "mosaic_gpu.vector_load"(%x) {out_layouts = [#mosaic_gpu.WGStridedFragLayout<[128, 128], 2>]} : (memref<128x128xf32>) -> vector<128x128xf32>
    // expected-error @+1 {{a value is stated to be in `WGStridedFragLayout(shape=(128, 128), vec_size=4)` here, and in `WGStridedFragLayout(shape=(128, 128), vec_size=2)` elsewhere; one of the attributes is wrong}}
    "mosaic_gpu.vector_store"(%v, %x) {in_layouts = [#mosaic_gpu.WGStridedFragLayout<[128, 128], 4>]} : (vector<128x128xf32>, memref<128x128xf32>) -> ()
    return
  }
}
