// Casts of references: equal casts are folded, and are moved out of warp-level code if possible.
// inventory: DV contiguous_reinterpret_cast_of_slice_smem_is_folded, reinterpret_cast_of_reinterpret_cast_is_folded,
// reinterpret_cast_inside_warp_map_is_hoisted,
// reinterpret_cast_inside_warp_map_is_hoisted_when_all_consumers_are_identical_reinterpret_casts,
// reinterpret_cast_inside_warp_map_is_not_hoisted_when_consumers_have_different_types
// RUN: lanescope-opt %s --canonicalize --allow-unregistered-dialect | FileCheck %s

// CHECK-LABEL: @slice
// CHECK-NEXT: %[[S:.*]] = "mosaic_gpu.slice_smem"() <{alias_id = 3 : i64, offset = 64 : i32}> : () -> memref<32x16xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT: return %[[S]]
func.func @slice() -> memref<32x16xf32, #gpu.address_space<workgroup>> {
  %0 = "mosaic_gpu.slice_smem"() <{alias_id = 3 : i64, offset = 64 : i32}> : () -> memref<512xf32, #gpu.address_space<workgroup>>
  %1 = "mosaic_gpu.reinterpret_cast"(%0) : (memref<512xf32, #gpu.address_space<workgroup>>) -> memref<32x16xf32, #gpu.address_space<workgroup>>
  return %1 : memref<32x16xf32, #gpu.address_space<workgroup>>
}

// CHECK-LABEL: @twice
// CHECK-NEXT: %[[C:.*]] = "mosaic_gpu.reinterpret_cast"(%arg0) : (memref<512xf32>) -> memref<16x32xf32>
// CHECK-NEXT: return %[[C]]
func.func @twice(%0: memref<512xf32>) -> memref<16x32xf32> {
  %1 = "mosaic_gpu.reinterpret_cast"(%0) : (memref<512xf32>) -> memref<32x16xf32>
  %2 = "mosaic_gpu.reinterpret_cast"(%1) : (memref<32x16xf32>) -> memref<16x32xf32>
  return %2 : memref<16x32xf32>
}

// CHECK-LABEL: @there_and_back
// CHECK-NEXT: return %arg0
func.func @there_and_back(%0: memref<512xf32>) -> memref<512xf32> {
  %1 = "mosaic_gpu.reinterpret_cast"(%0) : (memref<512xf32>) -> memref<32x16xf32>
  %2 = "mosaic_gpu.reinterpret_cast"(%1) : (memref<32x16xf32>) -> memref<512xf32>
  return %2 : memref<512xf32>
}

// CHECK-LABEL: @hoisted
// CHECK-NEXT: %[[C:.*]] = "mosaic_gpu.reinterpret_cast"(%arg0) : (memref<512xf32>) -> memref<32x16xf32>
// CHECK-NEXT: "mosaic_gpu.warp_map"(%[[C]])
// CHECK-NEXT: ^bb0(%[[A:.*]]: memref<32x16xf32>)
// CHECK-NOT: reinterpret_cast
// CHECK: "test.user"(%[[A]], %[[A]])
func.func @hoisted(%0: memref<512xf32>) {
  "mosaic_gpu.warp_map"(%0) ({
  ^bb0(%r: memref<512xf32>):
    %1 = "mosaic_gpu.reinterpret_cast"(%r) : (memref<512xf32>) -> memref<32x16xf32>
    %2 = "mosaic_gpu.reinterpret_cast"(%r) : (memref<512xf32>) -> memref<32x16xf32>
    "test.user"(%1, %2) : (memref<32x16xf32>, memref<32x16xf32>) -> ()
  }) : (memref<512xf32>) -> ()
  return
}

// CHECK-LABEL: @different
// CHECK-NEXT: "mosaic_gpu.warp_map"(%arg0)
// CHECK-COUNT-2: "mosaic_gpu.reinterpret_cast"
func.func @different(%0: memref<512xf32>) {
  "mosaic_gpu.warp_map"(%0) ({
  ^bb0(%r: memref<512xf32>):
    %1 = "mosaic_gpu.reinterpret_cast"(%r) : (memref<512xf32>) -> memref<32x16xf32>
    %2 = "mosaic_gpu.reinterpret_cast"(%r) : (memref<512xf32>) -> memref<16x32xf32>
    "test.user"(%1, %2) : (memref<32x16xf32>, memref<16x32xf32>) -> ()
  }) : (memref<512xf32>) -> ()
  return
}
