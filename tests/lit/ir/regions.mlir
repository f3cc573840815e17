// Operations with a region: they read back as they were, and there is one case per rule of their verifiers.
// RUN: lanescope-opt %s --split-input-file --verify-diagnostics --verify-roundtrip

func.func @good(%p: memref<i32, #gpu.address_space<workgroup>>, %v: vector<64x8xf32>) {
  "mosaic_gpu.warp_map"(%p) ({
  ^bb0(%q: memref<i32, #gpu.address_space<workgroup>>):
    lanescope.init_done
  }) : (memref<i32, #gpu.address_space<workgroup>>) -> ()
  %0 = "mosaic_gpu.custom_primitive"(%p, %v) <{in_layouts = [#mosaic_gpu.WGStridedFragLayout<[64, 8], 2>], in_transforms = [[]], out_layouts = [#mosaic_gpu.WGStridedFragLayout<[64, 8], 2>]}> ({
  ^bb0(%q: memref<i32, #gpu.address_space<workgroup>>, %w: vector<64x8xf32>):
    mosaic_gpu.return %w : vector<64x8xf32>
  }) : (memref<i32, #gpu.address_space<workgroup>>, vector<64x8xf32>) -> vector<64x8xf32>
  return
}

// -----

func.func @arrays(%v: vector<64x8xf32>) {
  // expected-error@+1 {{has no arrays: they belong to the warpgroup}}
  "mosaic_gpu.warp_map"(%v) ({
  ^bb0(%w: vector<64x8xf32>):
    lanescope.init_done
  }) : (vector<64x8xf32>) -> ()
  return
}

// -----

func.func @arguments(%i: i32) {
  // expected-error@+1 {{has a body whose arguments differ from its operands}}
  "mosaic_gpu.warp_map"(%i) ({
  ^bb0(%j: i64):
    lanescope.init_done
  }) : (i32) -> ()
  return
}

// -----

func.func @in_layouts(%v: vector<64x8xf32>) {
  // expected-error@+1 {{has 0 layouts for 1 arrays}}
  "mosaic_gpu.custom_primitive"(%v) <{in_layouts = [], in_transforms = [], out_layouts = []}> ({
  ^bb0(%w: vector<64x8xf32>):
    mosaic_gpu.return
  }) : (vector<64x8xf32>) -> ()
  return
}

// -----

func.func @transforms(%p: memref<i32, #gpu.address_space<workgroup>>) {
  // expected-error@+1 {{has 0 transforms for 1 references in shared memory}}
  "mosaic_gpu.custom_primitive"(%p) <{in_layouts = [], in_transforms = [], out_layouts = []}> ({
  ^bb0(%q: memref<i32, #gpu.address_space<workgroup>>):
    mosaic_gpu.return
  }) : (memref<i32, #gpu.address_space<workgroup>>) -> ()
  return
}

// -----

func.func @out_layouts(%i: i32) {
  // expected-error@+1 {{has 1 layouts for 0 results}}
  "mosaic_gpu.custom_primitive"(%i) <{in_layouts = [], in_transforms = [], out_layouts = [#mosaic_gpu.WGSplatFragLayout<[8]>]}> ({
  ^bb0(%j: i32):
    mosaic_gpu.return
  }) : (i32) -> ()
  return
}

// -----

func.func @results(%i: memref<8xi32>) {
  // expected-error@+1 {{gives numbers and arrays, not}}
  %0 = "mosaic_gpu.custom_primitive"(%i) <{in_layouts = [], in_transforms = [], out_layouts = []}> ({
  ^bb0(%j: memref<8xi32>):
    mosaic_gpu.return %j : memref<8xi32>
  }) : (memref<8xi32>) -> memref<8xi32>
  return
}

// -----

func.func @returned(%i: i32) {
  %0 = "mosaic_gpu.custom_primitive"(%i) <{in_layouts = [], in_transforms = [], out_layouts = []}> ({
  ^bb0(%j: i32):
    // expected-error@+1 {{gives other types than the operation around it}}
    mosaic_gpu.return
  }) : (i32) -> i32
  return
}
