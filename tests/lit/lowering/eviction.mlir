// A load with an eviction policy has a cache hint for the L2 cache, and is as wide as the layout allows.
// RUN: lanescope-opt --mosaic-gpu-layout-inference --mosaic-gpu-to-nvvm %s | FileCheck %s

// CHECK: llvm.func @copy
// CHECK: %[[HINT:.*]] = llvm.inline_asm asm_dialect = att "createpolicy.fractional.L2::evict_first.b64 $0, 1.0;", "=l" : () -> i64
// CHECK: llvm.inline_asm has_side_effects asm_dialect = att "ld.global.L2::cache_hint.v2.b32 {$0, $1}, [$2], $3;", "=r,=r,l,l,~{memory}" %{{.*}}, %[[HINT]]
// CHECK-NOT: llvm.load
module @copy {
  func.func @copy(%x: memref<128x128xf32>, %out: memref<128x128xf32>)
      attributes {lanescope.grid = array<i64: 1, 1, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 0 : i64,
                  lanescope.arguments = [{name = "x", kind = "in"}, {name = "out", kind = "out"}]} {
    %v = "mosaic_gpu.vector_load"(%x) <{eviction_policy = "evict_first"}> : (memref<128x128xf32>) -> vector<128x128xf32>
    "mosaic_gpu.vector_store"(%v, %out) : (vector<128x128xf32>, memref<128x128xf32>) -> ()
    return
  }
}
