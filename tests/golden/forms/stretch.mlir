// An array with a dimension of size 1 is repeated along it, and along a new one.
module @stretch attributes {mosaic_gpu.arch_major = 9 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @stretch(%arg0: memref<1x128xf32>, %arg1: memref<2x4x128xf32>) attributes {lanescope.arguments = [{kind = "in", name = "x"}, {kind = "out", name = "out"}], lanescope.grid = array<i64: 1, 1, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 0 : i64} {
    lanescope.init_done
    %0 = "mosaic_gpu.vector_load"(%arg0) : (memref<1x128xf32>) -> vector<1x128xf32>
    %1 = mosaic_gpu.layout_cast x(%0 : vector<1x128xf32>) {new_layout = #mosaic_gpu.WGStridedFragLayout<[1, 128], 1>}
    %3 = mosaic_gpu.broadcast_in_dim(%1 : vector<1x128xf32>) {broadcast_dimensions = array<i64: 1, 2>} -> vector<2x4x128xf32>
    "mosaic_gpu.vector_store"(%3, %arg1) <{multimem = false}> : (vector<2x4x128xf32>, memref<2x4x128xf32>) -> ()
    return
  }
}
