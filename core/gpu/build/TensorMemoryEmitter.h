// Tensor memory: references, loads, stores, copies and the products of tcgen05. References
// whose names begin with `tensor` are in tensor memory. The module's verifier and the lowering check types and shapes;
// they report at the operation's place and in snippets' terms.
#pragma once

#include "core/gpu/build/GpuReferences.h"

namespace lanescope::core {

struct GpuBuilderImpl;

/// A reduction of each row that a load from tensor memory also returns.
enum class RowReduction : uint8_t { Minimum, Maximum, AbsMinimum, AbsMaximum };

class TensorMemoryEmitter {
public:
  /// Reinterprets the reference in another layout, which must take as many columns.
  IrRef tensorLayoutCast(const IrRef &tensor, const layouts::TMEMLayout &layout);
  /// Loads a whole reference of rank 2. The warpgroup may use the value at once. Other threads may overwrite the memory
  /// only after waitLoadTmem.
  IrValue asyncLoadTmem(const IrRef &tensor);
  /// Returns the value, and the reduction of each row (rank 1).
  std::pair<IrValue, IrValue> asyncLoadTmem(const IrRef &tensor, RowReduction reduction);
  void asyncStoreTmem(const IrValue &value, const IrRef &tensor);
  /// Waits until all loads of the warpgroup are complete.
  void waitLoadTmem();
  /// Waits until all stores of the warpgroup are complete.
  void commitTmem();
  /// Starts a copy by the tensor core, which runs it in order with its products. With a `collective` dimension (of the
  /// cluster, 0: x), only the first block of the pair starts the copy, for both blocks.
  void copyToTensor(const IrRef &shared, const IrRef &tensor, std::optional<int64_t> collective);
  void copyScalesToTensor(const IrRef &shared, const IrRef &tensor, std::optional<int64_t> collective);
  void copySparseMetadataToTensor(const IrRef &shared, const IrRef &tensor, std::optional<int64_t> collective);
  struct Tcgen05Options {
    std::optional<IrBarrier> barrier = std::nullopt; // gets an arrival after this product and all earlier ones
    std::optional<IrRef> aScale = std::nullopt, bScale = std::nullopt; // tensor
    std::optional<IrRef> aSparseMetadata = std::nullopt;               // tensor
    std::variant<bool, IrValue> accumulate = true;    // i1; if false, the product replaces the accumulator
    std::optional<int64_t> collective = std::nullopt; // cluster dimension, as above
  };
  /// Starts accumulator + a @ b: a[m, k] in tensor or shared memory, b[k, n] in shared memory. In a pair, each block
  /// has half of the columns of b.
  void tcgen05Mma(const IrRef &accumulator, const IrRef &a, const IrRef &b, const Tcgen05Options &options);
  /// The barrier, which must order the tensor core, gets an arrival after all products and copies that were started
  /// before. In a pair, these are the products and copies of both blocks.
  void tcgen05CommitArrive(const IrBarrier &barrier, std::optional<int64_t> collective);
  /// Copies each row to the row before it, within the 32 bytes that begin at the reference's start.
  void tcgen05Shift(const IrRef &tensor, std::optional<int64_t> collective);

protected:
  explicit TensorMemoryEmitter(GpuBuilderImpl &impl) : impl_(&impl) {}

private:
  GpuBuilderImpl *impl_;
};

} // namespace lanescope::core
