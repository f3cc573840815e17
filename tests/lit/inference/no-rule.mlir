// RUN: lanescope-opt --split-input-file --verify-diagnostics --mosaic-gpu-layout-inference %s

// An operation without a layout rule may not have an array: not as a result, not as an operand, not as an argument
// of a region, and not in a terminator.

module {
  func.func @result(%x: memref<128x128xf32>) {
    %a = "mosaic_gpu.vector_load"(%x) : (memref<128x128xf32>) -> vector<128x128xf32>
    // expected-error @+1 {{no layout rule for `vector.transpose`: it does not say which layouts its arrays have}}
    %b = vector.transpose %a, [1, 0] : vector<128x128xf32> to vector<128x128xf32>
    return
  }
}

// -----

module {
  func.func @constants() {
    %a = arith.constant dense<1.0> : vector<128x128xf32>
    // expected-error @+1 {{no layout rule for `vector.transpose`}}
    %b = vector.transpose %a, [1, 0] : vector<128x128xf32> to vector<128x128xf32>
    return
  }
}

// -----

module {
  func.func @operand(%x: memref<128x128xf32>) {
    %a = "mosaic_gpu.vector_load"(%x) : (memref<128x128xf32>) -> vector<128x128xf32>
    // expected-error @+1 {{no layout rule for `vector.print`}}
    vector.print %a : vector<128x128xf32>
    return
  }
}

// -----

module {
  // expected-error @+1 {{no layout rule for `func.func`}}
  func.func @argument(%a: vector<128x128xf32>) {
    return
  }
}

// -----

module {
  func.func @terminator(%x: memref<128x128xf32>) -> vector<128x128xf32> {
    %a = "mosaic_gpu.vector_load"(%x) : (memref<128x128xf32>) -> vector<128x128xf32>
    // expected-error @+1 {{no layout rule for `func.return`}}
    return %a : vector<128x128xf32>
  }
}

// -----

// An extraction has a rule that a strided layout cannot satisfy.
module {
  func.func @part(%x: memref<128x128xf32>) {
    // expected-note @+1 {{comes from here}}
    %a = "mosaic_gpu.vector_load"(%x) : (memref<128x128xf32>) -> vector<128x128xf32>
    // expected-error @+1 {{an array is sliced in whole tiles of its layout}}
    %b = vector.extract %a[0] : vector<128xf32> from vector<128x128xf32>
    return
  }
}

// -----

module {
  func.func @reference() {
    %0 = "mosaic_gpu.slice_smem"() <{offset = 0 : i32}> : () -> memref<64x64xf16, #gpu.address_space<workgroup>>
    // expected-error @+1 {{no layout rule for `memref.reinterpret_cast`: it does not say how its references are stored}}
    %1 = memref.reinterpret_cast %0 to offset: [0], sizes: [4096], strides: [1] : memref<64x64xf16, #gpu.address_space<workgroup>> to memref<4096xf16, strided<[1]>, #gpu.address_space<workgroup>>
    return
  }
}
