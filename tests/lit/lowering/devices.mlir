// Two devices: stores and copies to the other device and to both at once, loads that combine both, and semaphores of
// the other device and of both. The collective metadata, after the pointers to buffers, holds the devices' addresses.
// RUN: lanescope-opt %s | lanescope-opt | FileCheck %s --check-prefix=SAME
// RUN: lanescope-opt --mosaic-gpu-layout-inference --mosaic-gpu-to-nvvm %s | FileCheck %s

// SAME: lanescope.device_id
// SAME: lanescope.peer_ref %{{.*}}, %{{.*}} : memref<64x64xf16>
// SAME: "lanescope.semaphore_signal"(%{{.*}}) <{system}>
// SAME: lanescope.release_fence
// SAME: "lanescope.semaphore_signal"(%{{.*}}) <{relaxed, system}>
// SAME: lanescope.collective_metadata : memref<13xi64>
// SAME: lanescope.multicast_ref %{{.*}} : memref<1xi32>

// Three descriptors (device 0's, device 1's, both's), pointers to three buffers, and a pointer to the metadata.
// CHECK: llvm.byval = !llvm.array<416 x i8>
// CHECK: %[[PLACE:.*]] = llvm.getelementptr %arg0[408]
// CHECK: %[[META:.*]] = llvm.load %[[PLACE]]
// Word 0 is this device's number. The addresses of buffer 1 begin at word 4 + 2 * 1.
// CHECK: llvm.load %[[META]] invariant
// A computed number is checked, because the addresses of the next buffer follow those of this one.
// CHECK: setp.ge.u32 absent, $0, 2;\0A@absent trap;
// CHECK: llvm.getelementptr %[[META]][%
// CHECK: llvm.getelementptr %{{.*}}[48]
// CHECK: llvm.store {{.*}} !llvm.ptr<1>
// The multicast address of buffer 1 is word 4 + 2 * 3 + 1.
// CHECK: llvm.getelementptr %[[META]][88]
// CHECK: multimem.st.relaxed.sys.global.v2.f32
// CHECK: fence.proxy.alias
// CHECK: cp.async.bulk.tensor.3d.global.shared::cta.bulk_group
// CHECK: cp.async.bulk.tensor.3d.global.shared::cta.bulk_group
// CHECK: red.release.sys.global.add.u32
// CHECK: fence.acq_rel.sys
// CHECK-NOT: nvvm.barrier
// CHECK: red.relaxed.sys.global.add.u32
// CHECK: multimem.red.release.sys.global.add.u32
// CHECK: fence.proxy.alias
// CHECK: multimem.ld_reduce.relaxed.sys.global.add.acc::f32.v4.f16x2
// CHECK: multimem.red.relaxed.sys.global.add.v4.f16x2
// CHECK: atom.acquire.sys.global.cas.b32

module @k attributes {mosaic_gpu.arch_major = 9 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @k(%arg0: memref<64x64xf16>, %arg1: memref<64x64xf16>, %arg2: memref<1xi32>) attributes {lanescope.arguments = [{kind = "inout", name = "x"}, {kind = "out", name = "out"}, {kind = "scratch", name = "s"}], lanescope.devices = 2 : i64, lanescope.grid = array<i64: 1, 1, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 8192 : i64} {
    %0 = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<64x64xf16, #gpu.address_space<workgroup>>
    %1 = "mosaic_gpu.with_transforms"(%0) <{transforms = [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128 : i32>]}> : (memref<64x64xf16, #gpu.address_space<workgroup>>) -> memref<64x64xf16, #gpu.address_space<workgroup>>
    lanescope.init_done
    %me = lanescope.device_id
    %one = arith.constant 1 : i32
    %other = arith.subi %one, %me : i32
    %zero = arith.constant 0 : i32
    %there = lanescope.peer_ref %arg1, %other : memref<64x64xf16>
    %v = "mosaic_gpu.vector_load"(%arg0) : (memref<64x64xf16>) -> vector<64x64xf16>
    "mosaic_gpu.vector_store"(%v, %there) : (vector<64x64xf16>, memref<64x64xf16>) -> ()
    "mosaic_gpu.vector_store"(%v, %arg1) <{multimem = true}> : (vector<64x64xf16>, memref<64x64xf16>) -> ()
    "mosaic_gpu.async_store"(%1, %arg1, %zero, %zero, %other) <{is_global_broadcast = false, operandSegmentSizes = array<i32: 1, 1, 2, 0, 1>, slice_lengths = array<i64: 64, 64>}> : (memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16>, i32, i32, i32) -> ()
    "mosaic_gpu.async_store"(%1, %arg1, %zero, %zero) <{is_global_broadcast = true, operandSegmentSizes = array<i32: 1, 1, 2, 0, 0>, slice_lengths = array<i64: 64, 64>}> : (memref<64x64xf16, #gpu.address_space<workgroup>>, memref<64x64xf16>, i32, i32) -> ()
    %far = lanescope.peer_ref %arg2, %other : memref<1xi32>
    "lanescope.semaphore_signal"(%far, %zero, %one) <{system}> : (memref<1xi32>, i32, i32) -> ()
    lanescope.release_fence
    "lanescope.semaphore_signal"(%far, %zero, %one) <{system, relaxed}> : (memref<1xi32>, i32, i32) -> ()
    %words = lanescope.collective_metadata : memref<13xi64>
    %all = lanescope.multicast_ref %arg2 : memref<1xi32>
    "lanescope.semaphore_signal"(%all, %zero, %one) <{system}> : (memref<1xi32>, i32, i32) -> ()
    "lanescope.semaphore_wait"(%arg2, %zero, %one) <{decrement, system}> : (memref<1xi32>, i32, i32) -> ()
    %sum = "mosaic_gpu.multimem_load_reduce"(%arg0) <{reduction_type = 0 : i32}> : (memref<64x64xf16>) -> vector<64x64xf16>
    %w = mosaic_gpu.layout_cast x(%sum : vector<64x64xf16>) {new_layout = #mosaic_gpu.WGStridedFragLayout<[64, 64], 8>}
    "mosaic_gpu.vector_store"(%w, %arg1) <{atomic_type = 0 : i32, multimem = true}> : (vector<64x64xf16>, memref<64x64xf16>) -> ()
    return
  }
}
