// Follows the host's part of a module in Lane form as far as a launch needs: which pointer is which argument, and the
// contents of TMA descriptors in the scratch memory.
//
//   func.func @k_mosaic_gpu(%token: !llvm.ptr, %buffers: !llvm.ptr) {
//     %x = llvm.load %buffers                                             -> {Buffer, index 0}
//     %scratch = llvm.alloca … x !llvm.array<256 x i8>                     -> {Memory, index 0}
//     call @mosaic_gpu_init_tma_desc(%scratch + 128, %x, …)                -> descriptors[{0, 128}]
//     %bytes = llvm.load %scratch                                         -> {Bytes, index 0}
//
// It covers the operations that JAX writes there (jax/experimental/mosaic/gpu/launch_context.py, core.py).
#pragma once

#include "core/gpu/kernel/Launch.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/DenseMap.h"

#include <map>

namespace lanescope::core {

struct HostValue {
  enum class Kind {
    Unknown,
    Integer,   // number
    Buffers,   // the array of pointers to the arguments, and a byte offset in it
    Buffer,    // argument `index`, and a byte offset
    Memory,    // the host's stack: allocation `index`, and a byte offset
    Bytes,     // the contents of allocation `index`
    Aggregate, // parts
  };
  Kind kind = Kind::Unknown;
  int64_t index = 0, number = 0;
  std::vector<HostValue> parts;
};

struct HostCode {
  llvm::DenseMap<mlir::Value, HostValue> values;
  std::map<int64_t, mlir::MemRefType> arguments; // by JAX's argument number
  /// By allocation and byte offset; `buffer` is JAX's argument number, `offset` is not set.
  std::map<std::pair<int64_t, int64_t>, TensorMapSpec> descriptors;
};

/// Follows the function's own block. Anything that it does not understand has no value; this is an error only if a
/// descriptor is made of such values, or is not valid for the hardware.
mlir::FailureOr<HostCode> followHostCode(mlir::func::FuncOp host);

} // namespace lanescope::core
