// Emits a kernel for one kind of SparseCore subcore as a module of the `tpu` dialect, as JAX lowers it: a function with
// the grid's indices and a reference for each operand's block and for scratch, and one function for each operand that
// gives its block for a step of the grid. KernelBuilder has the parts that all targets share; no MLIR type appears
// here.
//
//   TpuFrame frame{.core = TpuCore::VectorSubcore, .target = findTpuTarget("7x"), .bounds = {4}, …};
//   frame.operands = {{.name = "x", .shape = {16}}, {.name = "out", .shape = {16}}};
//   auto builder = *TpuBuilder::make(context, frame);
//   IrValue row = builder->load(builder->operand(0), {builder->index(int64_t{0})}, {16}, std::nullopt);
//   …
//   KernelModule module = *builder->finish();
//
// Like KernelBuilder, it does not check the snippet.
#pragma once

#include "core/build/KernelBuilder.h"
#include "core/tpu/kernel/TpuTarget.h"

namespace lanescope::core {

enum class TpuCore : uint8_t { ScalarSubcore, VectorSubcore };
enum class TpuMemory : uint8_t { Hbm, Vmem, VmemShared, Smem, Semaphore, Host };
enum class TpuSemantics : uint8_t { Parallel, Arbitrary, CoreParallel, SubcoreParallel };
/// The elements of a reference.
enum class TpuElement : uint8_t { Number, Semaphore, DmaSemaphore };
enum class TpuPacking : uint8_t { Compressed, Interleaved };
enum class TpuScan : uint8_t { Sum, Maximum, Minimum };

/// A size that is known only on the device.
inline constexpr int64_t kDynamicSize = -1;

/// Memory to allocate. `tiles` are in the order of `#tpu.tiled`, outermost first; without tiles, memory is row-major.
struct TpuMemoryType {
  TpuElement element = TpuElement::Number;
  layouts::Dtype dtype = layouts::Dtype::I32; // the type of numbers
  layouts::Shape shape;
  TpuMemory memory = TpuMemory::Vmem;
  std::vector<layouts::Shape> tiles = {};
  std::optional<TpuCore> owner = std::nullopt; // the core that owns the memory, if it is not the kernel's own subcore
  bool operator==(const TpuMemoryType &) const = default;
};

struct TpuRef {
  void *handle = nullptr;
  TpuElement element = TpuElement::Number;
  layouts::Dtype dtype = layouts::Dtype::I32;
  layouts::Shape shape; // may contain kDynamicSize
  TpuMemory memory = TpuMemory::Vmem;
  // See TpuMemoryType; set for a parameter or an allocation, not for its views.
  std::optional<TpuCore> owner = std::nullopt;
};

/// A number of type `index`: the start of a load or store along a dimension.
struct TpuIndex {
  void *handle = nullptr;
};

/// The part that a view takes of one dimension.
struct TpuSlice {
  Offset start = int64_t{0};
  Offset size = int64_t{1};
  bool keep = true;
};

struct TpuFrame {
  struct Operand {
    std::string name;
    TpuMemoryType type; // with the block's shape
    /// The operand with the row indices, and the dimension that they select from.
    std::optional<int> indexedBy = std::nullopt, indexedDim = std::nullopt;
    bool window = true; // false for scratch, which has no block mapping
    Span span = {};
  };
  std::string name = "main";
  Span span = {};
  TpuCore core = TpuCore::VectorSubcore;
  const TpuTarget *target = nullptr;
  layouts::Shape bounds; // bounds of the grid
  std::vector<TpuSemantics> semantics;
  std::vector<Operand> operands; // operands with windows come first
  /// True if several functions run side by side (joinKernels). Each function then gets whole arrays, and its index maps
  /// return zeros, as JAX lowers `mpmd_map` since 2026.
  bool sideBySide = false;
};

class TpuBuilder final : public KernelBuilder {
public:
  static std::unique_ptr<TpuBuilder> make(IrContext &context, const TpuFrame &frame);

  /// The step's index along dimension `axis` of the grid, an i32.
  IrValue gridIndex(size_t axis) const;
  TpuRef operand(size_t index) const;
  /// Memory that exists during the whole kernel. It becomes one of the kernel's last parameters.
  TpuRef global(const TpuMemoryType &type);
  /// Called with the indices of the grid; returns the block's index along each dimension.
  using IndexMap = std::function<Result<std::vector<Offset>>(const std::vector<IrValue> &indices)>;
  Result<void> indexMap(size_t operand, const IndexMap &map);
  /// The finished module, checked by MLIR's verifier. The builder cannot be used after this call.
  Result<KernelModule> finish();

  // --- operations that this dialect writes differently
  IrValue cast(const IrValue &value, layouts::Dtype dtype) override;
  IrValue bitcast(const IrValue &value, layouts::Dtype dtype) override;
  IrValue negate(const IrValue &value) override;
  // `value` must have rank 1, and is reduced as a whole.
  IrValue reduce(ReduceKind kind, const IrValue &value, const std::vector<int64_t> &axes) override;
  IrValue iota(layouts::Dtype dtype, const layouts::Shape &shape, int64_t dimension) override;
  IrValue broadcastInDim(const IrValue &value, const layouts::Shape &shape,
                         const std::vector<int64_t> &dimensions) override;
  IrValue concatenate(const std::vector<IrValue> &values, int64_t dimension) override;
  std::vector<IrValue> optimizationBarrier(const std::vector<IrValue> &values) override;
  void check(const IrValue &condition, const std::string &message) override;
  void regionBegin(const std::string &name) override;
  void regionEnd(const std::string &name) override;
  void debugPrint(const std::string &format, const std::vector<IrValue> &values) override;

  // --- memory (BuildTpuMemory.cpp)
  using KernelBuilder::reshape;
  using KernelBuilder::slice;
  TpuRef slice(const TpuRef &ref, const std::vector<TpuSlice> &dims);
  TpuRef bitcast(const TpuRef &ref, layouts::Dtype dtype, const layouts::Shape &shape);
  TpuRef reshape(const TpuRef &ref, const layouts::Shape &shape);
  TpuIndex index(const Offset &offset);
  /// Loads a vector of `shape`, or a scalar if the shape is empty. The mask has type i1 and the same shape; see
  /// `tpu.vector_load`.
  IrValue load(const TpuRef &ref, const std::vector<TpuIndex> &at, const layouts::Shape &shape,
               const std::optional<IrValue> &mask);
  void store(const IrValue &value, const TpuRef &ref, const std::vector<TpuIndex> &at,
             const std::optional<IrValue> &mask, bool add);
  /// One i32 vector of indices for each dimension.
  IrValue gather(const TpuRef &ref, const std::vector<IrValue> &indices, const std::optional<IrValue> &mask);
  void scatter(const IrValue &value, const TpuRef &ref, const std::vector<IrValue> &indices,
               const std::optional<IrValue> &mask, bool add);
  IrValue fetchAndAdd(const TpuRef &ref, const std::vector<IrValue> &at, const IrValue &value, const IrValue &subcore);
  /// `name`: the name in printed modules, if possible.
  TpuRef allocate(const TpuMemoryType &type, const std::string &name = "");
  /// Returns refs[number], or the last of `refs` if `number` is out of range. All of them have one type.
  TpuRef selectRef(const IrValue &number, const std::vector<TpuRef> &refs);
  /// openRegion begins a region of allocations. closeRegion ends it and returns the region's results.
  void openRegion();
  Values closeRegion(const Values &results);

  // --- vectors (BuildTpuVectors.cpp)
  /// A vector of these numbers, in row-major order. Integers must be exact.
  IrValue constants(layouts::Dtype dtype, const layouts::Shape &shape, const std::vector<double> &numbers);
  IrValue element(const IrValue &vector, const std::vector<int64_t> &index);
  /// The part at known starts; keeps all dimensions.
  IrValue part(const IrValue &vector, const std::vector<int64_t> &starts, const layouts::Shape &sizes);
  /// Element i of the result along `dimension` is element `indices[i]` there.
  IrValue dynamicGather(const IrValue &vector, const IrValue &indices, int64_t dimension = 0);
  /// True where the floats differ and neither is NaN, as JAX lowers `!=`.
  IrValue lessOrGreater(const IrValue &left, const IrValue &right);
  /// A broadcast to the vector's own shape, which JAX emits when a value was broadcast twice.
  IrValue repeated(const IrValue &vector);
  IrValue scan(TpuScan kind, const IrValue &value, const IrValue &mask);
  /// Returns the counts (i32), and a mask of the last occurrences (i1).
  std::pair<IrValue, IrValue> scanCount(const IrValue &value, const IrValue &mask);
  struct Sorted {
    IrValue mask, keys, values;
  };
  Sorted sort(const IrValue &keys, const IrValue &values, const IrValue &mask, bool descending);
  IrValue trueMask(const layouts::Shape &shape);
  /// countSet() gives the number of set lanes of a mask, firstSet() the index of the first set lane. Every lane of the
  /// result holds this number.
  IrValue countSet(const IrValue &mask, int64_t lanes);
  IrValue firstSet(const IrValue &mask, int64_t lanes);
  IrValue pack(const IrValue &first, const IrValue &second, layouts::Dtype dtype, TpuPacking packing);
  IrValue unpack(const IrValue &packed, int64_t index, layouts::Dtype dtype, TpuPacking packing);
  /// Reads the bits of a vector as another type. If the width changes, the minor dimension grows or shrinks.
  IrValue reinterpret(const IrValue &vector, layouts::Dtype dtype);
  IrValue assumeMultiple(const IrValue &value, int64_t multiple);

  // --- copies, semaphores and barriers (BuildTpuCopies.cpp)
  struct Elsewhere {
    std::optional<IrValue> device, core, subcore;
  };
  void startCopy(const TpuRef &source, const TpuRef &target, const TpuRef &semaphore,
                 const std::optional<TpuRef> &sourceSemaphore, const Elsewhere &where, int64_t priority);
  void waitCopy(const TpuRef &source, const TpuRef &target, const TpuRef &semaphore, const Elsewhere &where);
  using Offsets = std::variant<IrValue, TpuRef>;
  void startIndirect(const TpuRef &source, const TpuRef &target, const Offsets &offsets, const TpuRef &semaphore,
                     const std::optional<IrValue> &filter, bool add);
  void waitIndirect(const TpuRef &source, const TpuRef &target, const TpuRef &semaphore);
  IrValue readSemaphore(const TpuRef &semaphore);
  void waitSemaphore(const TpuRef &semaphore, const IrValue &amount);
  void signalSemaphore(const TpuRef &semaphore, const IrValue &amount, const Elsewhere &where);
  void barrier();
  IrValue deviceId();
  void log(const std::string &tag, const std::optional<IrValue> &value);
  void log(const std::string &tag, const TpuRef &ref);

  // --- loops
  /// Declares that the iterations of the most recent loop do not depend on each other.
  void markParallel(int64_t unroll);
  /// The value, if it is a constant; nullopt if it is computed.
  static std::optional<int64_t> known(const IrValue &value);
  /// True if the reference can be viewed in parts, which tiled memory does not allow.
  static bool slices(const TpuRef &ref);

  struct Impl;

private:
  explicit TpuBuilder(Impl *impl); // the base owns it from here on
  Impl *impl_;
};

/// Gives all memory without a layout the tiles of a TensorCore (core/tpu/program/TpuTiling.h). A
/// `tpu.erase_memref_layout` follows each such memory, as in a module after JAX's layout inference.
KernelModule inTensorCoreTiles(const KernelModule &module);
/// The module with its values named as in the snippet: `%x`, not `%arg1`.
std::string textWithNames(const KernelModule &module);
/// Joins the kernels of several modules into one module, in which they run together. A repeated name gets a number. All
/// modules must be made in one context. Errors: the verifier's, for the joined module.
Result<KernelModule> joinKernels(std::vector<KernelModule> modules);

} // namespace lanescope::core
