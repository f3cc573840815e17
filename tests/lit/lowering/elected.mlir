// Code of one elected thread has no barrier of the warpgroup, because the other threads do not reach it.
// RUN: lanescope-opt --mosaic-gpu-layout-inference --mosaic-gpu-to-nvvm %s | FileCheck %s

// CHECK: nvvm.fence.mbarrier.init
// CHECK: %[[ELECTED:.*]] = nvvm.elect.sync
// CHECK: %[[ALONE:.*]] = llvm.and %{{.*}}, %[[ELECTED]] : i1
// CHECK: llvm.cond_br %[[ALONE]], ^[[THEN:bb[0-9]+]], ^[[AFTER:bb[0-9]+]]
// CHECK: ^[[THEN]]:
// CHECK-NOT: nvvm.barrier
// CHECK: llvm.store %{{.*}}, %{{.*}} : i32, !llvm.ptr<1>
// CHECK-NOT: nvvm.barrier
// CHECK: ^[[AFTER]]:
// The same code in all threads has one.
// CHECK: nvvm.barrier id
// CHECK: llvm.store %{{.*}}, %{{.*}} : i32, !llvm.ptr<1>
module @k attributes {mosaic_gpu.arch_major = 9 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @k(%out: memref<2xi32>) attributes {lanescope.arguments = [{kind = "out", name = "out"}], lanescope.grid = array<i64: 1, 1, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 0 : i64} {
    lanescope.init_done
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %five = arith.constant 5 : i32
    %x = gpu.block_id x
    %first = arith.cmpi eq, %x, %c0 : index
    %e = nvvm.elect.sync -> i1
    %alone = arith.andi %first, %e : i1
    scf.if %alone {
      memref.store %five, %out[%c0] : memref<2xi32>
    }
    memref.store %five, %out[%c1] : memref<2xi32>
    return
  }
}
