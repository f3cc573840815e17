// Elements of 4 bits, one by one: at places that are known, and at others.
module @nibbles attributes {mosaic_gpu.arch_major = 9 : i32, mosaic_gpu.arch_minor = 0 : i32} {
  func.func @nibbles(%x: memref<4x8xi4>, %out: memref<3x32xi32>) attributes {lanescope.arguments = [{dtype = "i4", kind = "in", name = "x"}, {kind = "out", name = "out"}], lanescope.grid = array<i64: 1, 1, 1>, lanescope.num_warpgroups = 1 : i64, lanescope.smem_bytes = 0 : i64} {
    lanescope.init_done
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c7 = arith.constant 7 : index
    %c8 = arith.constant 8 : index
    %c32 = arith.constant 32 : index
    %five = arith.constant 5 : i4
    scf.for %i = %c0 to %c32 step %c1 {
      %row = arith.divui %i, %c8 : index
      %column = arith.remui %i, %c8 : index
      %n = memref.load %x[%row, %column] : memref<4x8xi4>
      %signed = arith.extsi %n : i4 to i32
      %unsigned = arith.extui %n : i4 to i32
      %less = arith.cmpi ult, %n, %five : i4
      %truth = arith.extui %less : i1 to i32
      memref.store %signed, %out[%c0, %i] : memref<3x32xi32>
      memref.store %unsigned, %out[%c1, %i] : memref<3x32xi32>
      memref.store %truth, %out[%c2, %i] : memref<3x32xi32>
    }
    %last = memref.load %x[%c3, %c7] : memref<4x8xi4>
    %wide = arith.extsi %last : i4 to i32
    memref.store %wide, %out[%c0, %c0] : memref<3x32xi32>
    return
  }
}
