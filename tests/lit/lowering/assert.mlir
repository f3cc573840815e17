// `cf.assert` prints its message once and ends the kernel.
// RUN: lanescope-opt --mosaic-gpu-layout-inference --mosaic-gpu-to-nvvm %s | FileCheck %s

// CHECK: not the first
// CHECK: nvvm.read.ptx.sreg.ctaid.x
// CHECK: %[[FIRST:.*]] = llvm.icmp "eq"
// CHECK: %[[FAILS:.*]] = llvm.xor %[[FIRST]]
// CHECK: llvm.cond_br %[[FAILS]], ^[[THEN:bb[0-9]+]]
// CHECK: llvm.call @vprintf
// CHECK: nvvm.barrier id
// CHECK-NEXT: "trap;"
module @k attributes {mosaic_gpu.arch_major = 9 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @k(%out: memref<2xi32>) attributes {lanescope.arguments = [{kind = "out", name = "out"}], lanescope.grid = array<i64: 2, 1, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 0 : i64} {
    lanescope.init_done
    %c0 = arith.constant 0 : index
    %five = arith.constant 5 : i32
    %x = gpu.block_id x
    %first = arith.cmpi eq, %x, %c0 : index
    cf.assert %first, "not the first"
    memref.store %five, %out[%c0] : memref<2xi32>
    return
  }
}
