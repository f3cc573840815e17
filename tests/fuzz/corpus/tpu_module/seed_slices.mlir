module {
  func.func @main(%arg0: i32, %arg1: memref<4x64xi32, #tpu.memory_space<hbm>>, %arg2: memref<16xi32, #tpu.memory_space<vmem>>, %arg3: memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) attributes {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 1>, scratch_operands = 1 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>, window_params = [{transform_indices = @transform_0, window_bounds = array<i64: 4, 64>}]} {
    %c1_i32 = arith.constant 1 : i32
    %0 = tpu.memref_slice %arg1[%arg0, %c1_i32] : memref<4x64xi32, #tpu.memory_space<hbm>> -> memref<1x16xi32, strided<[64, 1], offset: ?>, #tpu.memory_space<hbm>>
    %1 = tpu.memref_squeeze %0 : memref<1x16xi32, strided<[64, 1], offset: ?>, #tpu.memory_space<hbm>> -> memref<16xi32, strided<[1], offset: ?>, #tpu.memory_space<hbm>>
    tpu.enqueue_dma source(%1 : memref<16xi32, strided<[1], offset: ?>, #tpu.memory_space<hbm>>) target(%arg2 : memref<16xi32, #tpu.memory_space<vmem>>) target_semaphore(%arg3 : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
    tpu.wait_dma2 semaphore(%arg3 : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%1 : memref<16xi32, strided<[1], offset: ?>, #tpu.memory_space<hbm>>) dst(%arg2 : memref<16xi32, #tpu.memory_space<vmem>>)
    return
  }
  func.func @transform_0(%arg0: i32) -> (i32, i32) {
    %c0_i32 = arith.constant 0 : i32
    return %arg0, %c0_i32 : i32, i32
  }
}
