// Without layouts nothing is lowered, because the owners of the elements are not known.
// inventory: DL lowering_vector_op_without_layout_fails
// RUN: lanescope-opt --verify-diagnostics --mosaic-gpu-to-nvvm %s

module {
  func.func @carried(%x: memref<3x4xf32>) attributes {lanescope.grid = array<i64: 1, 1, 1>, lanescope.num_warpgroups = 1 : i64} {
    %c = arith.constant dense<0.0> : vector<3x4xf32>
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    // expected-error@+1 {{an array passes through this statement without a layout; run layout inference first}}
    %r = scf.for %i = %zero to %one step %one iter_args(%a = %c) -> (vector<3x4xf32>) : i32 {
      scf.yield %a : vector<3x4xf32>
    }
    return
  }
}
