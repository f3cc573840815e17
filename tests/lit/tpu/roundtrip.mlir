// Every operation of the `tpu` dialect in its printed form reads back as itself.
// RUN: lanescope-opt %s --verify-roundtrip | FileCheck %s

#map = affine_map<(d0, d1) -> (0, 0)>
module {
  // CHECK-LABEL: func.func @kernel
  func.func @kernel(%arg0: i32, %arg1: i32, %arg2: memref<64x8xf32, #tpu.memory_space<hbm>>, %arg3: memref<16x8xf32, #tpu.memory_space<vmem>>, %arg4: memref<16xi32, #tpu.memory_space<vmem>>, %arg5: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>, %arg6: memref<2x!tpu.semaphore, #tpu.memory_space<semaphore_mem>>, %arg7: memref<4xi32, #tpu.memory_space<smem>>, %arg8: memref<64x8xf32, #tpu.memory_space<vmem_shared>>, %arg9: memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem, sc_scalar_subcore>>) attributes {dimension_semantics = [#tpu.dimension_semantics<core_parallel>, #tpu.dimension_semantics<subcore_parallel>], iteration_bounds = array<i64: 2, 16>, scalar_prefetch = 0 : i64, scratch_operands = 8 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>, window_params = [{transform_indices = #map}]} {
    %c0 = arith.constant 0 : index
    %c1_i32 = arith.constant 1 : i32
    // CHECK: "tpu.trace_start"() <{level = 10 : i32, message = "gather"}> : () -> ()
    "tpu.trace_start"() <{level = 10 : i32, message = "gather"}> : () -> ()
    // CHECK: tpu.enqueue_indirect_dma source(%{{.*}} : memref<64x8xf32, #tpu.memory_space<hbm>>) target(%{{.*}} : memref<16x8xf32, #tpu.memory_space<vmem>>) offsets(%{{.*}} : memref<16xi32, #tpu.memory_space<vmem>>) offset_filter(%{{.*}}) semaphore(%{{.*}} : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {add = true}
    tpu.enqueue_indirect_dma source(%arg2 : memref<64x8xf32, #tpu.memory_space<hbm>>) target(%arg3 : memref<16x8xf32, #tpu.memory_space<vmem>>) offsets(%arg4 : memref<16xi32, #tpu.memory_space<vmem>>) offset_filter(%c1_i32) semaphore(%arg5 : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {add = true}
    // CHECK: tpu.wait_indirect_dma semaphore(%{{.*}} : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%{{.*}} : memref<64x8xf32, #tpu.memory_space<hbm>>) dst(%{{.*}} : memref<16x8xf32, #tpu.memory_space<vmem>>)
    tpu.wait_indirect_dma semaphore(%arg5 : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%arg2 : memref<64x8xf32, #tpu.memory_space<hbm>>) dst(%arg3 : memref<16x8xf32, #tpu.memory_space<vmem>>)
    // CHECK: "tpu.trace_stop"() : () -> ()
    "tpu.trace_stop"() : () -> ()
    // CHECK: tpu.enqueue_dma source(%{{.*}} : memref<64x8xf32, #tpu.memory_space<hbm>>) target(%{{.*}} : memref<64x8xf32, #tpu.memory_space<vmem_shared>>) target_semaphore(%{{.*}} : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {priority = 1 : i32}
    tpu.enqueue_dma source(%arg2 : memref<64x8xf32, #tpu.memory_space<hbm>>) target(%arg8 : memref<64x8xf32, #tpu.memory_space<vmem_shared>>) target_semaphore(%arg5 : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) {priority = 1 : i32}
    // CHECK: tpu.wait_dma2 semaphore(%{{.*}} : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%{{.*}} : memref<64x8xf32, #tpu.memory_space<hbm>>) dst(%{{.*}} : memref<64x8xf32, #tpu.memory_space<vmem_shared>>)
    tpu.wait_dma2 semaphore(%arg5 : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%arg2 : memref<64x8xf32, #tpu.memory_space<hbm>>) dst(%arg8 : memref<64x8xf32, #tpu.memory_space<vmem_shared>>)
    // CHECK: tpu.enqueue_dma source(%{{.*}} : memref<64x8xf32, #tpu.memory_space<hbm>>) target(%{{.*}} : memref<64x8xf32, #tpu.memory_space<hbm>>) source_semaphore(%{{.*}} : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) target_semaphore(%{{.*}} : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) device_id(%{{.*}}) core_id(%{{.*}}) subcore_id(%{{.*}})
    tpu.enqueue_dma source(%arg2 : memref<64x8xf32, #tpu.memory_space<hbm>>) target(%arg2 : memref<64x8xf32, #tpu.memory_space<hbm>>) source_semaphore(%arg5 : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) target_semaphore(%arg5 : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) device_id(%arg0) core_id(%arg1) subcore_id(%c1_i32)
    // CHECK: tpu.wait_dma2 semaphore(%{{.*}} : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%{{.*}} : memref<64x8xf32, #tpu.memory_space<hbm>>) dst(%{{.*}} : memref<64x8xf32, #tpu.memory_space<hbm>>) device_id(%{{.*}}) core_id(%{{.*}})
    tpu.wait_dma2 semaphore(%arg5 : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%arg2 : memref<64x8xf32, #tpu.memory_space<hbm>>) dst(%arg2 : memref<64x8xf32, #tpu.memory_space<hbm>>) device_id(%arg0) core_id(%arg1)
    // CHECK: tpu.memref_slice %{{.*}}[%{{.*}}] : memref<2x!tpu.semaphore, #tpu.memory_space<semaphore_mem>> -> memref<1x!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
    %0 = tpu.memref_slice %arg6[%c1_i32] : memref<2x!tpu.semaphore, #tpu.memory_space<semaphore_mem>> -> memref<1x!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
    // CHECK: tpu.memref_squeeze %{{.*}} : memref<1x!tpu.semaphore, #tpu.memory_space<semaphore_mem>> -> memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
    %1 = tpu.memref_squeeze %0 : memref<1x!tpu.semaphore, #tpu.memory_space<semaphore_mem>> -> memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
    // CHECK: tpu.sem_signal %{{.*}}, %{{.*}} : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
    tpu.sem_signal %1, %c1_i32 : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
    // CHECK: tpu.sem_signal %{{.*}}, %{{.*}} device_id %{{.*}} core_id %{{.*}} : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem, sc_scalar_subcore>>
    tpu.sem_signal %arg9, %c1_i32 device_id %arg0 core_id %arg1 : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem, sc_scalar_subcore>>
    // CHECK: tpu.sem_wait %{{.*}}, %{{.*}} : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
    tpu.sem_wait %1, %c1_i32 : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
    // CHECK: tpu.sem_read %{{.*}} : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>> -> i32
    %2 = tpu.sem_read %1 : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>> -> i32
    // CHECK: tpu.sem_barrier : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
    %3 = tpu.sem_barrier : memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
    // CHECK: tpu.barrier barrier_id(%{{.*}})
    tpu.barrier barrier_id(%c0)
    // CHECK: "tpu.region"() ({
    %4 = "tpu.region"() ({
      // CHECK: memref.alloca() : memref<5x16x256xf32, #tpu.tiled<(8,128),[4,2,1]>, #tpu.memory_space<vmem>>
      %alloca = memref.alloca() : memref<5x16x256xf32, #tpu.tiled<(8,128),[4,2,1]>, #tpu.memory_space<vmem>>
      // CHECK: memref.alloca() : memref<16x256xbf16, #tpu.tiled<(8,128)(2,1),[2,1]>, #tpu.memory_space<vmem>>
      %alloca_0 = memref.alloca() : memref<16x256xbf16, #tpu.tiled<(8,128)(2,1),[2,1]>, #tpu.memory_space<vmem>>
      // CHECK: tpu.sem_alloc : memref<4x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
      %28 = tpu.sem_alloc : memref<4x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
      // CHECK: tpu.iota {dimensions = array<i32: 0>} : vector<16xi32>
      %29 = tpu.iota {dimensions = array<i32: 0>} : vector<16xi32>
      // CHECK: tpu.yield %{{.*}} : vector<16xi32>
      tpu.yield %29 : vector<16xi32>
    }) : () -> vector<16xi32>
    // CHECK: tpu.vector_load %{{.*}}[%{{.*}}] {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
    %5 = tpu.vector_load %arg4[%c0] {strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>,
    %6 = arith.cmpi sgt, %5, %4 : vector<16xi32>
    // CHECK: tpu.vector_store %{{.*}}[%{{.*}}], %{{.*}} masked %{{.*}} {add = true, strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>, vector<16xi1>
    tpu.vector_store %arg4[%c0], %5 masked %6 {add = true, strides = array<i32>} : memref<16xi32, #tpu.memory_space<vmem>>, vector<16xi32>, vector<16xi1>
    // CHECK: tpu.vector_load_idx %{{.*}}[%{{.*}}, %{{.*}}] masked %{{.*}} : memref<16x8xf32, #tpu.memory_space<vmem>>[vector<16xi32>, vector<16xi32>], vector<16xf32>, vector<16xi1>
    %7 = tpu.vector_load_idx %arg3[%4, %5] masked %6 : memref<16x8xf32, #tpu.memory_space<vmem>>[vector<16xi32>, vector<16xi32>], vector<16xf32>, vector<16xi1>
    // CHECK: tpu.vector_store_idx %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} {add = true} : memref<16x8xf32, #tpu.memory_space<vmem>>[vector<16xi32>, vector<16xi32>], vector<16xf32>,
    tpu.vector_store_idx %arg3[%4, %5], %7 {add = true} : memref<16x8xf32, #tpu.memory_space<vmem>>[vector<16xi32>, vector<16xi32>], vector<16xf32>,
    // CHECK: tpu.fetch_and_add_sync %{{.*}}[%{{.*}}], %{{.*}}, %{{.*}} : memref<4xi32, #tpu.memory_space<smem>>, i32 -> i32
    %8 = tpu.fetch_and_add_sync %arg7[%c1_i32], %c1_i32, %arg1 : memref<4xi32, #tpu.memory_space<smem>>, i32 -> i32
    // CHECK: tpu.scan <max>, %{{.*}} masked %{{.*}} {dimension = 0 : i64} : vector<16xi32>, vector<16xi1> -> vector<16xi32>
    %9 = tpu.scan <max>, %5 masked %6 {dimension = 0 : i64} : vector<16xi32>, vector<16xi1> -> vector<16xi32>
    // CHECK: tpu.scan <sum>, %{{.*}} : vector<16xi1>,  -> vector<16xi32>
    %10 = tpu.scan <sum>, %6 : vector<16xi1>, -> vector<16xi32>
    // CHECK: tpu.scan_count mask(%{{.*}} : vector<16xi1>) value(%{{.*}} : vector<16xi32>) : vector<16xi1>, vector<16xi32>
    %out_mask, %counts = tpu.scan_count mask(%6 : vector<16xi1>) value(%5 : vector<16xi32>) : vector<16xi1>, vector<16xi32>
    // CHECK: tpu.sort %{{.*}}, %{{.*}} masked %{{.*}} {descending = true} : (vector<16xi32>, vector<16xf32>, vector<16xi1>) -> (vector<16xi1>, vector<16xi32>, vector<16xf32>)
    %output_mask, %sorted_keys, %sorted_values = tpu.sort %5, %7 masked %6 {descending = true} : (vector<16xi32>, vector<16xf32>, vector<16xi1>) -> (vector<16xi1>, vector<16xi32>, vector<16xf32>)
    // CHECK: tpu.dynamic_gather %{{.*}}[%{{.*}}] in [0] : vector<16xf32>, vector<16xi32> -> vector<16xf32>
    %11 = tpu.dynamic_gather %7[%5] in [0] : vector<16xf32>, vector<16xi32> -> vector<16xf32>
    // CHECK: tpu.all_reduce %{{.*}} {dim = 0 : i64, kind = #tpu.reduction_kind<find_first_set>} : vector<16xi1> -> vector<16xi32>
    %12 = tpu.all_reduce %6 {dim = 0 : i64, kind = #tpu.reduction_kind<find_first_set>} : vector<16xi1> -> vector<16xi32>
    // CHECK: tpu.pack_subelements %{{.*}}, %{{.*}} {pack_format = #tpu.pack_format<interleaved>, positions = array<i32: 0, 1>} : vector<16xf32>, vector<16xf32> -> vector<32xbf16>
    %13 = tpu.pack_subelements %7, %11 {pack_format = #tpu.pack_format<interleaved>, positions = array<i32: 0, 1>} : vector<16xf32>, vector<16xf32> -> vector<32xbf16>
    // CHECK: tpu.unpack_subelements %{{.*}}, 1 {pack_format = #tpu.pack_format<interleaved>} : vector<32xbf16> -> vector<16xf32>
    %14 = tpu.unpack_subelements %13, 1 {pack_format = #tpu.pack_format<interleaved>} : vector<32xbf16> -> vector<16xf32>
    // CHECK: tpu.bitcast %{{.*}} : vector<16xi32> -> vector<16xf32>
    %15 = tpu.bitcast %5 : vector<16xi32> -> vector<16xf32>
    // CHECK: tpu.concatenate %{{.*}}, %{{.*}} in 0 : vector<16xf32>, vector<16xf32> -> vector<32xf32>
    %16 = tpu.concatenate %7, %11 in 0 : vector<16xf32>, vector<16xf32> -> vector<32xf32>
    // CHECK: tpu.assume_multiple %{{.*}}, 8 : i32
    %17 = tpu.assume_multiple %arg0, 8 : i32
    // CHECK: tpu.device_id : i32
    %18 = tpu.device_id : i32
    // CHECK: tpu.memref_slice %{{.*}}[%{{.*}}, %{{.*}}] : memref<64x8xf32, #tpu.memory_space<hbm>> -> memref<1x4xf32, strided<[8, 1], offset: ?>, #tpu.memory_space<hbm>>
    %19 = tpu.memref_slice %arg2[%arg0, %c1_i32] : memref<64x8xf32, #tpu.memory_space<hbm>> -> memref<1x4xf32, strided<[8, 1], offset: ?>, #tpu.memory_space<hbm>>
    // CHECK: tpu.memref_squeeze %{{.*}} : memref<1x4xf32, strided<[8, 1], offset: ?>, #tpu.memory_space<hbm>> -> memref<4xf32, strided<[1], offset: ?>, #tpu.memory_space<hbm>>
    %20 = tpu.memref_squeeze %19 : memref<1x4xf32, strided<[8, 1], offset: ?>, #tpu.memory_space<hbm>> -> memref<4xf32, strided<[1], offset: ?>, #tpu.memory_space<hbm>>
    // CHECK: tpu.memref_slice %{{.*}}[%{{.*}}] <%{{.*}}> : memref<16xi32, #tpu.memory_space<vmem>> -> memref<?xi32, strided<[1], offset: 1>, #tpu.memory_space<vmem>>
    %21 = tpu.memref_slice %arg4[%c1_i32] <%2> : memref<16xi32, #tpu.memory_space<vmem>> -> memref<?xi32, strided<[1], offset: 1>, #tpu.memory_space<vmem>>
    // CHECK: tpu.memref_reshape %{{.*}} : memref<64x8xf32, #tpu.memory_space<hbm>> -> memref<8x64xf32, #tpu.memory_space<hbm>>
    %22 = tpu.memref_reshape %arg2 : memref<64x8xf32, #tpu.memory_space<hbm>> -> memref<8x64xf32, #tpu.memory_space<hbm>>
    // CHECK: tpu.memref_bitcast %{{.*}} : memref<16x8xf32, #tpu.memory_space<vmem>> -> memref<32x8xbf16, #tpu.memory_space<vmem>>
    %23 = tpu.memref_bitcast %arg3 : memref<16x8xf32, #tpu.memory_space<vmem>> -> memref<32x8xbf16, #tpu.memory_space<vmem>>
    // CHECK: tpu.erase_memref_layout %{{.*}} : memref<16x8xf32, #tpu.tiled<(8,128),[1,1]>, #tpu.memory_space<vmem>> -> memref<16x8xf32, #tpu.memory_space<vmem>>
    %tiled = memref.alloca() : memref<16x8xf32, #tpu.tiled<(8,128),[1,1]>, #tpu.memory_space<vmem>>
    %25 = tpu.erase_memref_layout %tiled : memref<16x8xf32, #tpu.tiled<(8,128),[1,1]>, #tpu.memory_space<vmem>> -> memref<16x8xf32, #tpu.memory_space<vmem>>
    // CHECK: vector.extract_strided_slice %{{.*}} {offsets = [2], sizes = [1], strides = [1]} : vector<16xi32> to vector<1xi32>
    %24 = vector.extract_strided_slice %5 offsets = [2], sizes = [1], strides = [1] : vector<16xi32> to vector<1xi32>
    // CHECK: tpu.log "count" : [%{{.*}}] : i32
    tpu.log "count" : [%2] : i32
    // CHECK: tpu.log "here"
    tpu.log "here"
    // CHECK: tpu.log_buffer "offsets" {shape = array<i64: 16>} : %{{.*}} : memref<16xi32, #tpu.memory_space<vmem>>
    tpu.log_buffer "offsets" {shape = array<i64: 16>} : %arg4 : memref<16xi32, #tpu.memory_space<vmem>>
    return
  }
  // CHECK-LABEL: func.func @scalar
  func.func @scalar() attributes {tpu.core_type = #tpu.core_type<sc_scalar_subcore>} {
    // CHECK: tpu.core_id : i32
    %0 = tpu.core_id : i32
    // CHECK: tpu.subcore_id : i32
    %1 = tpu.subcore_id : i32
    return
  }
}
