// Operations on tensor memory in their printed forms read back as themselves.
// RUN: lanescope-opt %s --verify-roundtrip | FileCheck %s

!tmem = memref<128x64xf32, #mosaic_gpu.tmem>
!barrier = memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>

// CHECK-LABEL: func.func @allocation
func.func @allocation(%p: memref<i32, #gpu.address_space<workgroup>>) {
  // CHECK: mosaic_gpu.tmem_alloc smem_ptr(%{{.*}} : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x96xi32, #mosaic_gpu.tmem>
  %0 = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) -> memref<128x96xi32, #mosaic_gpu.tmem>
  // CHECK: mosaic_gpu.tmem_alloc {{.*}} {collective = true, packing = 2 : i32} -> memref<128x96xf16, #mosaic_gpu.tmem>
  %1 = mosaic_gpu.tmem_alloc smem_ptr(%p : memref<i32, #gpu.address_space<workgroup>>) {collective = true, packing = 2 : i32} -> memref<128x96xf16, #mosaic_gpu.tmem>
  // CHECK: "mosaic_gpu.tmem_relinquish_alloc_permit"() <{collective = false}> : () -> ()
  "mosaic_gpu.tmem_relinquish_alloc_permit"() <{collective = false}> : () -> ()
  // CHECK: "mosaic_gpu.slice_tmem"(%{{.*}}) <{alias_id = 1 : i64, offset = 32 : i32}> : (memref<128x96xi32, #mosaic_gpu.tmem>) -> memref<128x64xf32, #mosaic_gpu.tmem>
  %2 = "mosaic_gpu.slice_tmem"(%0) <{alias_id = 1 : i64, offset = 32 : i32}> : (memref<128x96xi32, #mosaic_gpu.tmem>) -> !tmem
  // CHECK: "mosaic_gpu.tmem_layout_cast"(%{{.*}}) <{new_layout = #mosaic_gpu.TiledLayout<{{\[\[}}128, 1], [32, 1]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}>
  %3 = "mosaic_gpu.tmem_layout_cast"(%2) <{new_layout = #mosaic_gpu.TiledLayout<[[128, 1], [32, 1]], warp_dims = [-4], lane_dims = [-2], vector_dim = -1>}> : (!tmem) -> !tmem
  // CHECK: mosaic_gpu.tmem_dealloc tmem_ref(%{{.*}} : memref<128x96xi32, #mosaic_gpu.tmem>)
  mosaic_gpu.tmem_dealloc tmem_ref(%0 : memref<128x96xi32, #mosaic_gpu.tmem>)
  mosaic_gpu.tmem_dealloc tmem_ref(%1 : memref<128x96xf16, #mosaic_gpu.tmem>)
  return
}

// CHECK-LABEL: func.func @transfers
func.func @transfers(%t: !tmem, %v: vector<128x64xf32>) {
  // CHECK: "mosaic_gpu.async_load_tmem"(%{{.*}}) : (memref<128x64xf32, #mosaic_gpu.tmem>) -> vector<128x64xf32>
  %0 = "mosaic_gpu.async_load_tmem"(%t) : (!tmem) -> vector<128x64xf32>
  // CHECK: "mosaic_gpu.async_load_tmem"(%{{.*}}) <{reduce = 3 : i32}> : (memref<128x64xf32, #mosaic_gpu.tmem>) -> (vector<128x64xf32>, vector<128xf32>)
  %1:2 = "mosaic_gpu.async_load_tmem"(%t) <{reduce = 3 : i32}> : (!tmem) -> (vector<128x64xf32>, vector<128xf32>)
  // CHECK: "mosaic_gpu.async_store_tmem"(%{{.*}}, %{{.*}}) : (vector<128x64xf32>, memref<128x64xf32, #mosaic_gpu.tmem>) -> ()
  "mosaic_gpu.async_store_tmem"(%v, %t) : (vector<128x64xf32>, !tmem) -> ()
  // CHECK: lanescope.wait_load_tmem
  lanescope.wait_load_tmem
  // CHECK: lanescope.commit_tmem
  lanescope.commit_tmem
  // CHECK: lanescope.tcgen05_shift %{{.*}} {collective} : memref<128x64xf32, #mosaic_gpu.tmem>
  lanescope.tcgen05_shift %t {collective} : !tmem
  return
}

// CHECK-LABEL: func.func @copies
func.func @copies(%s: memref<128x64xf32, #gpu.address_space<workgroup>>, %t: !tmem,
                  %a: memref<1x1x32x16xf8E8M0FNU, #gpu.address_space<workgroup>>, %b: memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>,
                  %c: memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, %d: memref<128x64xi2, #mosaic_gpu.tmem>) {
  // CHECK: "mosaic_gpu.async_store_smem_to_tmem"(%{{.*}}, %{{.*}}) <{collective = false}>
  "mosaic_gpu.async_store_smem_to_tmem"(%s, %t) <{collective = false}> : (memref<128x64xf32, #gpu.address_space<workgroup>>, !tmem) -> ()
  // CHECK: "mosaic_gpu.async_store_scales_smem_to_tmem"(%{{.*}}, %{{.*}}) <{collective = true}>
  "mosaic_gpu.async_store_scales_smem_to_tmem"(%a, %b) <{collective = true}> : (memref<1x1x32x16xf8E8M0FNU, #gpu.address_space<workgroup>>, memref<128x4xf8E8M0FNU, #mosaic_gpu.tmem>) -> ()
  // CHECK: "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%{{.*}}, %{{.*}}) <{collective = false}>
  "mosaic_gpu.async_store_sparse_metadata_smem_to_tmem"(%c, %d) <{collective = false}> : (memref<1x1x128x64xi2, #gpu.address_space<workgroup>>, memref<128x64xi2, #mosaic_gpu.tmem>) -> ()
  return
}

// CHECK-LABEL: func.func @products
func.func @products(%d: !tmem, %a: memref<128x64xbf16, #gpu.address_space<workgroup>>, %b: memref<64x64xbf16, #gpu.address_space<workgroup>>, %acc: i1, %bar: !barrier) {
  // CHECK: "mosaic_gpu.tcgen05_mma"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (memref<128x64xf32, #mosaic_gpu.tmem>, memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, i1) -> ()
  "mosaic_gpu.tcgen05_mma"(%d, %a, %b, %acc) <{collective = false, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0>}> : (!tmem, memref<128x64xbf16, #gpu.address_space<workgroup>>, memref<64x64xbf16, #gpu.address_space<workgroup>>, i1) -> ()
  // CHECK: "mosaic_gpu.tcgen05_commit_arrive"(%{{.*}}) <{collective = false}> : (memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>) -> ()
  "mosaic_gpu.tcgen05_commit_arrive"(%bar) <{collective = false}> : (!barrier) -> ()
  return
}

// CHECK-LABEL: func.func @control
func.func @control(%r: memref<16xi8, #gpu.address_space<workgroup>>, %bar: !barrier, %p: i1) {
  // CHECK: "mosaic_gpu.try_cluster_cancel"(%{{.*}}, %{{.*}}, %{{.*}}) : (memref<16xi8, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier<orders_tensor_core = true>, #gpu.address_space<workgroup>>, i1) -> ()
  "mosaic_gpu.try_cluster_cancel"(%r, %bar, %p) : (memref<16xi8, #gpu.address_space<workgroup>>, !barrier, i1) -> ()
  // CHECK: "mosaic_gpu.query_cluster_cancel"(%{{.*}}) : (memref<16xi8, #gpu.address_space<workgroup>>) -> (i32, i32, i32, i1)
  %x, %y, %z, %ok = "mosaic_gpu.query_cluster_cancel"(%r) : (memref<16xi8, #gpu.address_space<workgroup>>) -> (i32, i32, i32, i1)
  return
}
