// Rows of a table in HBM, chosen by 16 indices, through the memory of a vector subcore: what JAX lowers a gather to.
module {
  func.func @gather(%arg0: i32, %arg1: memref<1024x128xf32, #tpu.memory_space<hbm>>, %arg2: memref<16xi32, #tpu.memory_space<hbm>>, %arg3: memref<16x128xf32, #tpu.memory_space<hbm>>) attributes {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], iteration_bounds = array<i64: 1>, scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
    "tpu.region"() ({
      %alloca = memref.alloca() : memref<16xi32, #tpu.memory_space<vmem>>
      %alloca_0 = memref.alloca() : memref<16x128xf32, #tpu.memory_space<vmem>>
      %0 = tpu.sem_alloc : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
      tpu.enqueue_dma source(%arg2 : memref<16xi32, #tpu.memory_space<hbm>>) target(%alloca : memref<16xi32, #tpu.memory_space<vmem>>) target_semaphore(%0 : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
      tpu.wait_dma2 semaphore(%0 : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%arg2 : memref<16xi32, #tpu.memory_space<hbm>>) dst(%alloca : memref<16xi32, #tpu.memory_space<vmem>>)
      tpu.enqueue_indirect_dma source(%arg1 : memref<1024x128xf32, #tpu.memory_space<hbm>>) target(%alloca_0 : memref<16x128xf32, #tpu.memory_space<vmem>>) offsets(%alloca : memref<16xi32, #tpu.memory_space<vmem>>) semaphore(%0 : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
      tpu.wait_indirect_dma semaphore(%0 : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%arg1 : memref<1024x128xf32, #tpu.memory_space<hbm>>) dst(%alloca_0 : memref<16x128xf32, #tpu.memory_space<vmem>>)
      tpu.enqueue_dma source(%alloca_0 : memref<16x128xf32, #tpu.memory_space<vmem>>) target(%arg3 : memref<16x128xf32, #tpu.memory_space<hbm>>) target_semaphore(%0 : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>)
      tpu.wait_dma2 semaphore(%0 : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>) src(%alloca_0 : memref<16x128xf32, #tpu.memory_space<vmem>>) dst(%arg3 : memref<16x128xf32, #tpu.memory_space<hbm>>)
      tpu.yield
    }) : () -> ()
    return
  }
}
