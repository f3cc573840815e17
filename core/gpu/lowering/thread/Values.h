// The lowered form of a warpgroup-level value: the part that one thread holds.
//
//   vector<128x128xf16> in WGMMA          ->  RegisterArray: 64 registers of vector<2xf16>
//   memref<128x128xf16, workgroup> tiled  ->  Ref: per dimension {16, 8} with strides {1024, 64}, swizzle 128
//   memref<128x64xf32, tmem>              ->  TensorRef: address of the first cell, layout
//   i32, index, !llvm.ptr                 ->  one mlir::Value
#pragma once

#include "core/ir/ElementTypes.h"
#include "layouts/RegisterLayout.h"
#include "layouts/TmemLayout.h"

#include "mlir/IR/Value.h"

#include <variant>
#include <vector>

namespace lanescope::core {

/// One thread's part of an array, in the layout's flat register order. A splat has one register, which is a scalar.
struct RegisterArray {
  layouts::RegisterLayout layout;
  layouts::Shape shape;
  std::vector<mlir::Value> registers;

  bool isSplat() const { return std::holds_alternative<layouts::WGSplatFragLayout>(layout); }
};

/// One logical dimension of a reference: sub-dimensions from major to minor, strides in elements. A dimension of 128
/// tiled by 8 is {16, 8}; an untiled one has a single entry.
struct RefDim {
  layouts::Shape sizes, strides;

  int64_t size() const { return layouts::elementCount(sizes); }
};

/// Elements per byte: 1 for elements of a byte or more. A truth value takes a whole byte.
inline int elementsPerByte(mlir::Type element) {
  int bits = storageBits(element);
  return bits == 1 || bits >= 8 ? 1 : 8 / bits;
}

/// Memory as a kernel sees it, after slices and transposes.
struct Ref {
  mlir::Type element;
  int64_t elementBytes = 0; // bytes of `packing` elements: 1 for those narrower than a byte
  int packing = 1;          // elements per elementBytes: 2 for 4 bits, 4 for 2 bits; the first in the lowest bits
  std::vector<RefDim> dims;
  bool shared = false;
  int swizzle = 0;               // bytes: 32, 64, 128; 0 none
  mlir::Value base;              // ptr<3>: start of the block's shared memory; ptr<1>: start of the argument
  int64_t knownOffset = 0;       // bytes from base
  mlir::Value computedOffset;    // bytes added to it, i32 in shared memory, else i64; null: none
  int64_t computedAlignment = 0; // a number that is known to divide computedOffset
  int argument = -1;             // for global memory: the kernel argument
  mlir::Value device;            // i32: the device whose memory it is; null: this one (Devices.h)
  bool multicast = false;        // the memory of all devices at once, for multicast instructions only
  layouts::Shape shape() const {
    layouts::Shape shape;
    for (const RefDim &dim : dims)
      shape.push_back(dim.size());
    return shape;
  }
};

/// A reference to tensor memory, after slices.
struct TensorRef {
  mlir::Type element;
  layouts::Shape shape;                      // two dimensions
  std::optional<layouts::TMEMLayout> layout; // none for an unused slice of an allocation
  mlir::Value address;                       // i32: the lane in the upper half, the column in the lower one
  int64_t knownColumn = 0;                   // added to the address

  int bits() const { return static_cast<int>(element.getIntOrFloatBitWidth()); }
};

/// mlir::Value for scalars and pointers.
using Lowered = std::variant<mlir::Value, RegisterArray, Ref, TensorRef>;

} // namespace lanescope::core
