// The host's part of a module in Lane form, followed as far as a launch needs: which pointer is which argument, and
// what the TMA descriptors in the scratch memory are.
//
//   func.func @k_mosaic_gpu(%token: !llvm.ptr, %buffers: !llvm.ptr) {
//     %x = llvm.load %buffers                                             -> {Buffer, index 0}
//     %scratch = llvm.alloca … x !llvm.array<256 x i8>                     -> {Memory, index 0}
//     call @mosaic_gpu_init_tma_desc(%scratch + 128, %x, …)                -> descriptors[{0, 128}]
//     %bytes = llvm.load %scratch                                         -> {Bytes, index 0}
//
// The operations are those that JAX writes there (jax/experimental/mosaic/gpu/launch_context.py, core.py).
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
    Buffers,   // the array of pointers to the arguments, and a byte offset into it
    Buffer,    // argument `index`, and a byte offset
    Memory,    // of the host's stack, allocation `index`, and a byte offset
    Bytes,     // all that is in allocation `index`
    Aggregate, // parts
  };
  Kind kind = Kind::Unknown;
  int64_t index = 0, number = 0;
  std::vector<HostValue> parts;
};

struct HostCode {
  llvm::DenseMap<mlir::Value, HostValue> values;
  std::map<int64_t, mlir::MemRefType> arguments; // by JAX's number
  /// By allocation and byte offset; `buffer` is JAX's number of the argument, `offset` is not set.
  std::map<std::pair<int64_t, int64_t>, TensorMapSpec> descriptors;
};

/// Follows the function's own block. What it does not know has no value; errors only where a descriptor is made of
/// such, or is none that the hardware takes.
mlir::FailureOr<HostCode> followHostCode(mlir::func::FuncOp host);

} // namespace lanescope::core
