// RUN: lanescope-opt --split-input-file --verify-diagnostics --mosaic-gpu-layout-inference --mosaic-gpu-to-nvvm %s

module {
  func.func @beyond() attributes {lanescope.smem_bytes = 100 : i64} {
    // expected-error @+1 {{bytes 0 to 128 are beyond the kernel's 100 bytes of shared memory}}
    %0 = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<32xf32, #gpu.address_space<workgroup>>
    return
  }
}

// -----

module {
  func.func @aligned() attributes {lanescope.smem_bytes = 16384 : i64} {
    %0 = "mosaic_gpu.slice_smem"() <{offset = 512 : i32}> : () -> memref<64x64xf16, #gpu.address_space<workgroup>>
    // expected-error @+1 {{swizzled shared memory must begin at a multiple of 1024 bytes, but this begins at byte 512}}
    %1 = "mosaic_gpu.with_transforms"(%0) <{transforms = [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128>]}> : (memref<64x64xf16, #gpu.address_space<workgroup>>) -> memref<64x64xf16, #gpu.address_space<workgroup>>
    return
  }
}

// -----

module {
  func.func @slice(%i: memref<1xi32>) attributes {lanescope.smem_bytes = 8192 : i64} {
    %c0 = arith.constant 0 : index
    %n = memref.load %i[%c0] : memref<1xi32>
    %at = arith.index_cast %n : i32 to index
    %0 = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<64x64xf16, #gpu.address_space<workgroup>>
    %1 = "mosaic_gpu.with_transforms"(%0) <{transforms = [#mosaic_gpu.tile<[8, 64]>, #mosaic_gpu.swizzle<128>]}> : (memref<64x64xf16, #gpu.address_space<workgroup>>) -> memref<64x64xf16, #gpu.address_space<workgroup>>
    // expected-error @+1 {{a slice of a reference tiled by 8 in dimension 0 must begin and end at multiples of 8}}
    %2 = memref.subview %1[%at, 0] [16, 64] [1, 1] : memref<64x64xf16, #gpu.address_space<workgroup>> to memref<16x64xf16, strided<[64, 1], offset: ?>, #gpu.address_space<workgroup>>
    return
  }
}

// -----

module {
  func.func @warpgroups() attributes {lanescope.num_warpgroups = 9 : i64} { // expected-error {{a block has 1 to 8 warpgroups (1024 threads), but this kernel asks for 9}}
    return
  }
}

// -----

module {
  func.func @nested() {
    lanescope.warps {
      // expected-error @+1 {{warp-level code is not nested}}
      lanescope.warps {
      }
    }
    return
  }
}

// -----

module {
  func.func @outside() {
    // expected-error @+1 {{the number of a warp is known in warp-level code only}}
    %0 = lanescope.warp_id
    return
  }
}

// -----

module {
  func.func @array() {
    lanescope.warps {
      // expected-error @+1 {{an array belongs to the warpgroup, and inside of `core_map(WarpMesh(…))` each warp runs by itself}}
      %0 = "mosaic_gpu.broadcasted_iota"() <{dimension = 0 : i32}> : () -> vector<128xi32>
    }
    return
  }
}

// -----

module {
  func.func @barriers() {
    // expected-error @+1 {{a block with 1 warpgroups has named barriers 0 to 13, not 14}}
    lanescope.named_barrier 14, 128
    return
  }
}
