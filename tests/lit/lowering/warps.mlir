// Warp-level code: one lane of a warp issues, and arrives for 128 threads. Also a barrier of selected warpgroups, a
// check, and operations on other kernels.
// RUN: lanescope-opt %s | lanescope-opt | FileCheck %s --check-prefix=SAME
// RUN: lanescope-opt --mosaic-gpu-layout-inference --mosaic-gpu-to-nvvm %s | FileCheck %s

// SAME: lanescope.warps {
// SAME: lanescope.warp_id
// SAME: lanescope.named_barrier 2, 256
// SAME: lanescope.check %{{.*}}, "no"
// SAME: lanescope.grid_dependency {launch}

// CHECK: bar.warp.sync 0xffffffff
// CHECK: mbarrier.expect_tx.relaxed.cta.shared::cta.b64
// CHECK: mbarrier.arrive.release.cta.shared::cta.b64 _, [$1], $2;
// CHECK: bar.warp.sync 0xffffffff
// CHECK: cp.async.bulk.tensor.3d
// CHECK: barrier.cta.sync $0, $1;
// CHECK-DAG: trap;
// CHECK-DAG: griddepcontrol.launch_dependents;
module @k attributes {mosaic_gpu.arch_major = 9 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @k(%arg0: memref<128x64xf16>) attributes {lanescope.arguments = [{kind = "in", name = "x"}], lanescope.grid = array<i64: 1, 1, 1>, lanescope.num_warpgroups = 2 : i64, lanescope.smem_bytes = 8200 : i64} {
    %0 = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<64x64xf16, #gpu.address_space<workgroup>>
    %1 = "mosaic_gpu.with_transforms"(%0) <{transforms = [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128 : i32>]}> : (memref<64x64xf16, #gpu.address_space<workgroup>>) -> memref<64x64xf16, #gpu.address_space<workgroup>>
    %2 = "mosaic_gpu.slice_smem"() <{offset = 8192 : i32}> : () -> memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
    %3 = builtin.unrealized_conversion_cast %2 : memref<1x!mosaic_gpu.barrier, #gpu.address_space<workgroup>> to !llvm.ptr<3>
    "mosaic_gpu.initialize_barrier"(%3) <{arrival_count = 1 : i64, num_barriers = 1 : i32, orders_tensor_core = false}> : (!llvm.ptr<3>) -> ()
    lanescope.init_done
    %c1 = arith.constant 1 : i32
    lanescope.warps {
      %w = lanescope.warp_id
      %mine = arith.cmpi eq, %w, %c1 : i32
      scf.if %mine {
        %c0 = arith.constant 0 : i32
        %bytes = arith.constant 8192 : i32
        %b = builtin.unrealized_conversion_cast %3 : !llvm.ptr<3> to memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>
        mosaic_gpu.arrive_expect_tx barrier(%b : memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>) %bytes
        "mosaic_gpu.async_load"(%arg0, %1, %b, %c0, %c0) <{collective = [], oob_fill_mode = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 2, 0, 0>, slice_lengths = array<i64: 64, 64>}> : (memref<128x64xf16>, memref<64x64xf16, #gpu.address_space<workgroup>>, memref<!mosaic_gpu.barrier, #gpu.address_space<workgroup>>, i32, i32) -> ()
      }
    }
    lanescope.named_barrier 2, 256
    %g = lanescope.warpgroup_id
    %first = arith.cmpi eq, %g, %c1 : i32
    lanescope.check %first, "no"
    lanescope.grid_dependency {launch}
    return
  }
}
