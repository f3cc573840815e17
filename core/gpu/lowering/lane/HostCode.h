// Evaluates the host's part of a module in Lane form as far as a launch needs it: finds the argument that each pointer
// stands for, and the contents of TMA descriptors in the scratch memory.
//
//   func.func @k_mosaic_gpu(%token: !llvm.ptr, %buffers: !llvm.ptr) {
//     %x = llvm.load %buffers                                             -> {Buffer, index 0}
//     %scratch = llvm.alloca … x !llvm.array<256 x i8>                     -> {Memory, index 0}
//     call @mosaic_gpu_init_tma_desc(%scratch + 128, %x, …)                -> descriptors[{0, 128}]
//     %bytes = llvm.load %scratch                                         -> {Bytes, index 0}
//
// The evaluation covers the operations that JAX writes in host code (jax/experimental/mosaic/gpu/launch_context.py,
// core.py).
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
  std::map<int64_t, mlir::MemRefType> arguments; // keyed by JAX's argument number
  /// The TMA descriptors, keyed by allocation and byte offset. In them, `buffer` is JAX's argument number, and `offset`
  /// is not set.
  std::map<std::pair<int64_t, int64_t>, TensorMapSpec> descriptors;
};

/// Evaluates the operations of the function's own block. An operation that the code does not know gives no value.
/// Errors: a descriptor needs such a value, or the hardware does not permit the descriptor.
mlir::FailureOr<HostCode> followHostCode(mlir::func::FuncOp host);

} // namespace lanescope::core
