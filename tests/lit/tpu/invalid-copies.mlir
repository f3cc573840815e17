// One case per rule that the verifiers of semaphores, copies, regions and logs check.
// RUN: lanescope-opt %s --split-input-file --verify-diagnostics

!sems = memref<2x!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
func.func @wait_rank(%s: !sems, %n: i32) {
  // expected-error@+1 {{takes one semaphore, of rank 0}}
  tpu.sem_wait %s, %n : !sems
  return
}

// -----

func.func @barrier_rank() {
  // expected-error@+1 {{takes one semaphore, of rank 0}}
  %0 = tpu.sem_barrier : memref<2x!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
  return
}

// -----

!sems = memref<2x!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
func.func @signal_rank(%s: !sems, %n: i32) {
  // expected-error@+1 {{takes one semaphore, of rank 0}}
  tpu.sem_signal %s, %n : !sems
  return
}

// -----

!sem = memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem, sc_scalar_subcore>>
func.func @signal_core(%s: !sem, %n: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error@+1 {{signals a semaphore of `sc_scalar_subcore` from `sc_vector_subcore`}}
  tpu.sem_signal %s, %n : !sem
  return
}

// -----

!sem = memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
func.func @signal_subcore(%s: !sem, %n: i32) attributes {tpu.core_type = #tpu.core_type<sc_scalar_subcore>} {
  // expected-error@+1 {{has a `subcore_id` for a semaphore of `sc_scalar_subcore`}}
  tpu.sem_signal %s, %n core_id %n subcore_id %n : !sem
  return
}

// -----

!hbm = memref<16xi32, #tpu.memory_space<hbm>>
func.func @no_semaphore(%x: !hbm) {
  // expected-error@+1 {{needs a target semaphore}}
  tpu.enqueue_dma source(%x : !hbm) target(%x : !hbm)
  return
}

// -----

!hbm = memref<16xi32, #tpu.memory_space<hbm>>
!sems = memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
func.func @target_semaphore_rank(%x: !hbm, %s: !sems) {
  // expected-error@+1 {{takes one target semaphore, of rank 0}}
  tpu.enqueue_dma source(%x : !hbm) target(%x : !hbm) target_semaphore(%s : !sems)
  return
}

// -----

!hbm = memref<16xi32, #tpu.memory_space<hbm>>
!sem = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
!sems = memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
func.func @source_semaphore_rank(%x: !hbm, %s: !sem, %t: !sems, %d: i32) {
  // expected-error@+1 {{takes one source semaphore, of rank 0}}
  tpu.enqueue_dma source(%x : !hbm) target(%x : !hbm) source_semaphore(%t : !sems) target_semaphore(%s : !sem) device_id(%d)
  return
}

// -----

!hbm = memref<16xi32, #tpu.memory_space<hbm>>
!sem = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
!other = memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
func.func @semaphore_types(%x: !hbm, %s: !sem, %t: !other, %d: i32) {
  // expected-error@+1 {{has semaphores of different types}}
  tpu.enqueue_dma source(%x : !hbm) target(%x : !hbm) source_semaphore(%t : !other) target_semaphore(%s : !sem) device_id(%d)
  return
}

// -----

!hbm = memref<16xi32, #tpu.memory_space<hbm>>
!vmem = memref<16xf32, #tpu.memory_space<vmem>>
!sem = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
func.func @dma_types(%x: !hbm, %y: !vmem, %s: !sem) {
  // expected-error@+1 {{copies between element types}}
  tpu.enqueue_dma source(%x : !hbm) target(%y : !vmem) target_semaphore(%s : !sem)
  return
}

// -----

!hbm = memref<16xi32, #tpu.memory_space<hbm>>
!vmem = memref<8xi32, #tpu.memory_space<vmem>>
!sem = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
func.func @dma_shapes(%x: !hbm, %y: !vmem, %s: !sem) {
  // expected-error@+1 {{expected the same shape}}
  tpu.enqueue_dma source(%x : !hbm) target(%y : !vmem) target_semaphore(%s : !sem)
  return
}

// -----

!hbm = memref<16xi32, #tpu.memory_space<hbm>>
!sem = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
func.func @dma_remote(%x: !hbm, %s: !sem, %d: i32) {
  // expected-error@+1 {{goes to another device or core and needs a source semaphore}}
  tpu.enqueue_dma source(%x : !hbm) target(%x : !hbm) target_semaphore(%s : !sem) device_id(%d)
  return
}

// -----

!hbm = memref<16xi32, #tpu.memory_space<hbm>>
!sem = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
func.func @dma_local(%x: !hbm, %s: !sem) {
  // expected-error@+1 {{has a source semaphore, which is for copies with}}
  tpu.enqueue_dma source(%x : !hbm) target(%x : !hbm) source_semaphore(%s : !sem) target_semaphore(%s : !sem)
  return
}

// -----

!hbm = memref<16xi32, #tpu.memory_space<hbm>>
!sem = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
func.func @dma_priority(%x: !hbm, %s: !sem) {
  // expected-error@+1 {{has the priority 2, expected 0 or 1}}
  tpu.enqueue_dma source(%x : !hbm) target(%x : !hbm) target_semaphore(%s : !sem) {priority = 2 : i32}
  return
}

// -----

!hbm = memref<16xi32, #tpu.memory_space<hbm>>
!sem = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
func.func @dma_remote_priority(%x: !hbm, %s: !sem, %d: i32) {
  // expected-error@+1 {{for which only priority 0 is implemented}}
  tpu.enqueue_dma source(%x : !hbm) target(%x : !hbm) source_semaphore(%s : !sem) target_semaphore(%s : !sem) device_id(%d) {priority = 1 : i32}
  return
}

// -----

!hbm = memref<16xi32, #tpu.memory_space<hbm>>
!sem = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
!theirs = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem, sc_scalar_subcore>>
func.func @dma_source_core(%x: !hbm, %s: !sem, %t: !theirs, %d: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error@+1 {{has a source semaphore of another core}}
  tpu.enqueue_dma source(%x : !hbm) target(%x : !hbm) source_semaphore(%t : !theirs) target_semaphore(%s : !sem) device_id(%d)
  return
}

// -----

!hbm = memref<16xi32, #tpu.memory_space<hbm>>
!theirs = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem, sc_scalar_subcore>>
func.func @dma_target_core(%x: !hbm, %t: !theirs) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error@+1 {{and needs a `core_id`}}
  tpu.enqueue_dma source(%x : !hbm) target(%x : !hbm) target_semaphore(%t : !theirs)
  return
}

// -----

!hbm = memref<16xi32, #tpu.memory_space<hbm>>
!sem = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
func.func @dma_ordering(%x: !hbm, %s: !sem) {
  // expected-error@+1 {{has strict ordering, which only SparseCores have}}
  tpu.enqueue_dma source(%x : !hbm) target(%x : !hbm) target_semaphore(%s : !sem) {strict_ordering = true}
  return
}

// -----

!hbm = memref<16xi32, #tpu.memory_space<hbm>>
!smem = memref<16xi32, #tpu.memory_space<smem, tc>>
!sem = memref<!tpu.semaphore, #tpu.memory_space<semaphore_mem>>
func.func @dma_smem(%x: !hbm, %y: !smem, %s: !sem) {
  // expected-error@+1 {{copies a TensorCore's SMEM, which takes DMA semaphores}}
  tpu.enqueue_dma source(%x : !hbm) target(%y : !smem) target_semaphore(%s : !sem)
  return
}

// -----

!hbm = memref<16xi32, #tpu.memory_space<hbm>>
!sem = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
func.func @dma_subcore(%x: !hbm, %s: !sem, %d: i32) attributes {tpu.core_type = #tpu.core_type<sc_scalar_subcore>} {
  // expected-error@+1 {{only vector subcores are numbered}}
  tpu.enqueue_dma source(%x : !hbm) target(%x : !hbm) source_semaphore(%s : !sem) target_semaphore(%s : !sem) core_id(%d) subcore_id(%d)
  return
}

// -----

!hbm = memref<16xi32, #tpu.memory_space<hbm>>
!sems = memref<2x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
func.func @wait_dma_rank(%x: !hbm, %s: !sems) {
  // expected-error@+1 {{takes one semaphore, of rank 0}}
  tpu.wait_dma2 semaphore(%s : !sems) src(%x : !hbm) dst(%x : !hbm)
  return
}

// -----

!hbm = memref<16xi32, #tpu.memory_space<hbm>>
!theirs = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem, sc_scalar_subcore>>
func.func @wait_dma_core(%x: !hbm, %s: !theirs) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error@+1 {{waits for a semaphore of another core}}
  tpu.wait_dma2 semaphore(%s : !theirs) src(%x : !hbm) dst(%x : !hbm)
  return
}

// -----

!hbm = memref<64x8xi32, #tpu.memory_space<hbm>>
!vmem = memref<16x8xi32, #tpu.memory_space<vmem>>
!offsets = memref<16xi32, #tpu.memory_space<vmem>>
!sem = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
func.func @indirect_core(%x: !hbm, %y: !vmem, %o: !offsets, %s: !sem) attributes {tpu.core_type = #tpu.core_type<sc_scalar_subcore>} {
  // expected-error@+1 {{is for vector subcores only}}
  tpu.enqueue_indirect_dma source(%x : !hbm) target(%y : !vmem) offsets(%o : !offsets) semaphore(%s : !sem)
  return
}

// -----

!hbm = memref<64x8xf32, #tpu.memory_space<hbm>>
!vmem = memref<16x8xi32, #tpu.memory_space<vmem>>
!offsets = memref<16xi32, #tpu.memory_space<vmem>>
!sem = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
func.func @indirect_types(%x: !hbm, %y: !vmem, %o: !offsets, %s: !sem) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error@+1 {{copies between element types}}
  tpu.enqueue_indirect_dma source(%x : !hbm) target(%y : !vmem) offsets(%o : !offsets) semaphore(%s : !sem)
  return
}

// -----

!hbm = memref<64x8xi32, #tpu.memory_space<hbm>>
!offsets = memref<16xi32, #tpu.memory_space<vmem>>
!sem = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
func.func @indirect_memories(%x: !hbm, %o: !offsets, %s: !sem) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error@+1 {{goes between HBM and VMEM, or VMEM_SHARED and VMEM}}
  tpu.enqueue_indirect_dma source(%x : !hbm) target(%x : !hbm) offsets(%o : !offsets) semaphore(%s : !sem)
  return
}

// -----

!hbm = memref<64x8xi32, #tpu.memory_space<hbm>>
!vmem = memref<16x8xi32, #tpu.memory_space<vmem>>
!offsets = memref<16xi32, #tpu.memory_space<smem>>
!sem = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
func.func @indirect_offsets(%x: !hbm, %y: !vmem, %o: !offsets, %s: !sem) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error@+1 {{expects its offsets in VMEM}}
  tpu.enqueue_indirect_dma source(%x : !hbm) target(%y : !vmem) offsets(%o : !offsets) semaphore(%s : !sem)
  return
}

// -----

!hbm = memref<64x8xi32, #tpu.memory_space<hbm>>
!vmem = memref<16x8xi32, #tpu.memory_space<vmem>>
!offsets = memref<16xi16, #tpu.memory_space<vmem>>
!sem = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
func.func @indirect_offset_type(%x: !hbm, %y: !vmem, %o: !offsets, %s: !sem) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error@+1 {{must be memref of 32-bit signless integer values or vector of 32-bit signless integer values of ranks 1}}
  tpu.enqueue_indirect_dma source(%x : !hbm) target(%y : !vmem) offsets(%o : !offsets) semaphore(%s : !sem)
  return
}

// -----

!hbm = memref<64x8xi32, #tpu.memory_space<hbm>>
!vmem = memref<16x8xi32, #tpu.memory_space<vmem>>
!offsets = memref<16xi32, #tpu.memory_space<vmem>>
!sems = memref<1x!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
func.func @indirect_semaphore(%x: !hbm, %y: !vmem, %o: !offsets, %s: !sems) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error@+1 {{takes one semaphore, of rank 0}}
  tpu.enqueue_indirect_dma source(%x : !hbm) target(%y : !vmem) offsets(%o : !offsets) semaphore(%s : !sems)
  return
}

// -----

!hbm = memref<64x8xi32, #tpu.memory_space<hbm>>
!vmem = memref<2x8x8xi32, #tpu.memory_space<vmem>>
!offsets = memref<2x8xi32, #tpu.memory_space<vmem>>
!sem = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
func.func @indirect_2d(%x: !hbm, %y: !vmem, %o: !offsets, %s: !sem) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error@+1 {{has offsets of shape (2, 8), expected (N,) or (1, N)}}
  tpu.enqueue_indirect_dma source(%x : !hbm) target(%y : !vmem) offsets(%o : !offsets) semaphore(%s : !sem)
  return
}

// -----

!hbm = memref<64x8xi32, #tpu.memory_space<hbm>>
!vmem = memref<8x8xi32, #tpu.memory_space<vmem>>
!offsets = memref<16xi32, #tpu.memory_space<vmem>>
!sem = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
func.func @indirect_count(%x: !hbm, %y: !vmem, %o: !offsets, %s: !sem) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error@+1 {{in VMEM, which must begin with it}}
  tpu.enqueue_indirect_dma source(%x : !hbm) target(%y : !vmem) offsets(%o : !offsets) semaphore(%s : !sem)
  return
}

// -----

!hbm = memref<4x64x8xi32, #tpu.memory_space<hbm>>
!vmem = memref<16x8xi32, #tpu.memory_space<vmem>>
!offsets = memref<16xi32, #tpu.memory_space<vmem>>
!sem = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
func.func @indirect_rank(%x: !hbm, %y: !vmem, %o: !offsets, %s: !sem) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error@+1 {{chooses among (4, 64, 8) with offsets of shape (16,)}}
  tpu.enqueue_indirect_dma source(%x : !hbm) target(%y : !vmem) offsets(%o : !offsets) semaphore(%s : !sem)
  return
}

// -----

!vmem = memref<16x8xi32, #tpu.memory_space<vmem>>
!shared = memref<64x16xi32, #tpu.memory_space<vmem_shared>>
!sem = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
func.func @indirect_rows(%x: !vmem, %y: !shared, %o: vector<16xi32>, %s: !sem) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error@+1 {{has rows of shape (16,) and (8,), expected equal ones}}
  tpu.enqueue_indirect_dma source(%x : !vmem) target(%y : !shared) offsets(%o : vector<16xi32>) semaphore(%s : !sem)
  return
}

// -----

!hbm = memref<64x8xi32, #tpu.memory_space<hbm>>
!sem = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
func.func @wait_indirect_memories(%x: !hbm, %s: !sem) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error@+1 {{goes between HBM and VMEM, or VMEM_SHARED and VMEM}}
  tpu.wait_indirect_dma semaphore(%s : !sem) src(%x : !hbm) dst(%x : !hbm)
  return
}

// -----

!hbm = memref<64x8xi32, #tpu.memory_space<hbm>>
!vmem = memref<16x8xi32, #tpu.memory_space<vmem>>
!sem = memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
func.func @wait_indirect_core(%x: !hbm, %y: !vmem, %s: !sem) {
  // expected-error@+1 {{is for vector subcores only}}
  tpu.wait_indirect_dma semaphore(%s : !sem) src(%x : !hbm) dst(%y : !vmem)
  return
}

// -----

!vmem = memref<16xi32, #tpu.memory_space<vmem>>
func.func @region_reference() {
  // expected-error@+1 {{gives numbers and vectors, not}}
  %0 = "tpu.region"() ({
    %a = memref.alloca() : !vmem
    tpu.yield %a : !vmem
  }) : () -> !vmem
  return
}

// -----

func.func @region_types(%x: i32) {
  %0 = "tpu.region"() ({
    // expected-error@+1 {{gives other types than the region around it}}
    tpu.yield %x : i32
  }) : () -> f32
  return
}

// -----

func.func @log_format(%x: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error@+1 {{has a format, which SparseCores do not write}}
  tpu.log "x" {formatted = true} : [%x] : i32
  return
}

// -----

func.func @log_two(%x: i32) attributes {tpu.core_type = #tpu.core_type<sc_vector_subcore>} {
  // expected-error@+1 {{has 2 values; a SparseCore writes one at most}}
  tpu.log "x" : [%x, %x] : i32, i32
  return
}

// -----

func.func @log_vector(%x: vector<16xi32>) attributes {tpu.core_type = #tpu.core_type<sc_scalar_subcore>} {
  // expected-error@+1 {{writes a vector, which a scalar subcore does not}}
  tpu.log "x" : [%x] : vector<16xi32>
  return
}

// -----

!hbm = memref<64x8xi32, #tpu.memory_space<hbm>>
func.func @log_shape(%x: !hbm) {
  // expected-error@+1 {{has a shape of 1 sizes for}}
  tpu.log_buffer "x" {shape = array<i64: 64>} : %x : !hbm
  return
}

// -----

func.func @region_empty() {
  // expected-error@+1 {{has no body}}
  "tpu.region"() ({}) : () -> ()
  return
}
