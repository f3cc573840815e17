// Invalid references to other devices: one of another peer reference, of shared memory, or in a one-device kernel.
// RUN: not lanescope-opt --split-input-file --mosaic-gpu-layout-inference --mosaic-gpu-to-nvvm %s 2>&1 | FileCheck %s

// CHECK: error: 'lanescope.peer_ref' op leads to other devices, which share only global memory
module {
  func.func @shared() attributes {lanescope.devices = 2 : i64, lanescope.smem_bytes = 1024 : i64} {
    %0 = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<64xf32, #gpu.address_space<workgroup>>
    lanescope.init_done
    %one = arith.constant 1 : i32
    %1 = lanescope.peer_ref %0, %one : memref<64xf32, #gpu.address_space<workgroup>>
    return
  }
}

// -----

// CHECK: error: the kernel is for one device; `mesh=` of `@kernel` makes it one for several
module {
  func.func @one(%arg0: memref<64xf32>) attributes {lanescope.arguments = [{kind = "out", name = "out"}]} {
    lanescope.init_done
    %one = arith.constant 1 : i32
    %1 = lanescope.peer_ref %arg0, %one : memref<64xf32>
    return
  }
}

// -----

// CHECK: error: there is no device 2 among the 2 of the launch
module {
  func.func @beyond(%arg0: memref<64xf32>) attributes {lanescope.arguments = [{kind = "out", name = "out"}], lanescope.devices = 2 : i64} {
    lanescope.init_done
    %two = arith.constant 2 : i32
    %1 = lanescope.peer_ref %arg0, %two : memref<64xf32>
    return
  }
}

// -----

// CHECK: error: this reference leads to other devices already
module {
  func.func @twice(%arg0: memref<64xf32>) attributes {lanescope.arguments = [{kind = "out", name = "out"}], lanescope.devices = 2 : i64} {
    lanescope.init_done
    %one = arith.constant 1 : i32
    %1 = lanescope.peer_ref %arg0, %one : memref<64xf32>
    %2 = lanescope.multicast_ref %1 : memref<64xf32>
    return
  }
}

// -----

// CHECK: error: a kernel runs on 1 to 72 devices, not on 100
module {
  func.func @many(%arg0: memref<64xf32>) attributes {lanescope.arguments = [{kind = "out", name = "out"}], lanescope.devices = 100 : i64} {
    lanescope.init_done
    return
  }
}

// -----

// CHECK: error: a load of all devices says how it combines what they hold
module {
  func.func @which(%arg0: memref<128xf32>) attributes {lanescope.arguments = [{kind = "inout", name = "x"}], lanescope.devices = 2 : i64} {
    lanescope.init_done
    %1 = lanescope.multicast_ref %arg0 : memref<128xf32>
    %2 = "mosaic_gpu.vector_load"(%1) : (memref<128xf32>) -> vector<128xf32>
    "mosaic_gpu.vector_store"(%2, %arg0) : (vector<128xf32>, memref<128xf32>) -> ()
    return
  }
}

// -----

// CHECK: error: a store to all devices moves 4, 8 or 16 bytes of a thread, and in this layout a thread has 2 in a row
module {
  func.func @narrow(%arg0: memref<128xf16>) attributes {lanescope.arguments = [{kind = "inout", name = "x"}], lanescope.devices = 2 : i64} {
    lanescope.init_done
    %2 = "mosaic_gpu.vector_load"(%arg0) : (memref<128xf16>) -> vector<128xf16>
    "mosaic_gpu.vector_store"(%2, %arg0) <{multimem = true}> : (vector<128xf16>, memref<128xf16>) -> ()
    return
  }
}

// -----

// CHECK: error: `'f8E5M2'` of all devices is combined by sm_100a, not by sm_90a
module {
  func.func @eight(%arg0: memref<512xf8E5M2>) attributes {lanescope.arguments = [{kind = "inout", name = "x", dtype = "f8e5m2"}], lanescope.devices = 2 : i64} {
    lanescope.init_done
    %2 = "mosaic_gpu.multimem_load_reduce"(%arg0) <{reduction_type = 0 : i32}> : (memref<512xf8E5M2>) -> vector<512xf8E5M2>
    %w = mosaic_gpu.layout_cast x(%2 : vector<512xf8E5M2>) {new_layout = #mosaic_gpu.WGStridedFragLayout<[512], 4>}
    "mosaic_gpu.vector_store"(%w, %arg0) : (vector<512xf8E5M2>, memref<512xf8E5M2>) -> ()
    return
  }
}
