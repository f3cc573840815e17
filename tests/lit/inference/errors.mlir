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
    // expected-error @+1 {{an array of shape (3, 5) cannot be dealt evenly to a warpgroup's 128 threads; name a layout that fits with `layout=`}}
    %a = "mosaic_gpu.vector_load"(%x) : (memref<3x5xf32>) -> vector<3x5xf32>
    return
  }
}

// -----

module {
  func.func @small_tile() {
    %0 = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<32x64xf16, #gpu.address_space<workgroup>>
    %1 = "mosaic_gpu.with_transforms"(%0) <{transforms = [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128>]}> : (memref<32x64xf16, #gpu.address_space<workgroup>>) -> memref<32x64xf16, #gpu.address_space<workgroup>>
    // expected-error @+1 {{tiled shared memory is loaded as `WGMMA`, which needs multiples of (64, 8), but this has shape (32, 64); name a layout that fits with `layout=`}}
    %2 = "mosaic_gpu.vector_load"(%1) : (memref<32x64xf16, #gpu.address_space<workgroup>>) -> vector<32x64xf16>
    return
  }
}
