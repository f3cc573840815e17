// Emits a GPU kernel as warpgroup-level `mosaic_gpu` IR. core/build has values and control flow; this adds the frame,
// shared and tensor memory, barriers, copies, warps, clusters and tensor cores. No MLIR type appears here.
//
//   auto builder = *GpuBuilder::make(context, frame);              // arguments, shared memory, barriers laid out
//   IrValue tile = builder->load(builder->buffer(0), true);        // f16[128, 128]
//   builder->store(builder->binary(BinaryKind::Multiply, tile, builder->constant(Dtype::F16, {128, 128}, 2.0)),
//                  builder->buffer(0));
//   KernelModule module = *builder->finish();
//
// Like its base, it does not check the snippet; the caller does, because it knows the user's terms.
#pragma once

#include "core/build/KernelBuilder.h"
#include "core/gpu/ir/SmemTransforms.h"
#include "core/gpu/kernel/GpuTarget.h"
#include "layouts/RegisterLayout.h"
#include "layouts/TmemLayout.h"

#include <array>

namespace lanescope::core {

constexpr int64_t kSharedAlignment = 1024; // bytes; each buffer begins where the pattern of the widest swizzle does

/// Cluster: the shared memory of a block of the cluster, which may be another block. Tensor: the tensor memory of
/// Blackwell's tensor cores.
enum class MemorySpace : uint8_t { Global, Shared, Cluster, Tensor };

/// The places of the elements of a reference to tensor memory. Matrices of dimensions before the last two are side by
/// side in the columns: (2, 128, 64) is stored as (128, 128).
struct TensorPlace {
  layouts::TMEMLayout layout;
  bool collective = false; // allocated in both blocks of a pair
};

struct IrRef {
  void *handle = nullptr;
  layouts::Dtype dtype = layouts::Dtype::F32;
  layouts::Shape shape;
  MemorySpace space = MemorySpace::Global;
  std::optional<TensorPlace> tensor = std::nullopt; // for MemorySpace::Tensor
};

/// A variable of the warpgroup, in registers: each thread keeps its part.
struct IrVariable {
  void *handle = nullptr;
  layouts::Dtype dtype = layouts::Dtype::F32;
  layouts::Shape shape;
};

/// One barrier of a group.
struct IrBarrier {
  size_t group = 0;
  Offset index = int64_t{0};
};

/// The L2 cache's treatment of the data of a load (PTX ISA, `createpolicy`).
enum class EvictionPolicy : uint8_t { None, First, Last };

/// The devices that signal a semaphore and wait at it: the kernel's own, or others, too.
enum class SemaphoreScope : uint8_t { Device, System };
/// A relaxed signal orders nothing. A releaseFence before it orders earlier effects, and one fence serves several
/// signals.
enum class SignalOrder : uint8_t { Release, Relaxed };
/// The effect of a wait on the semaphore's count.
enum class SemaphoreWait : uint8_t { Keep, Decrement };

enum class AtomicKind : uint8_t { Add, Minimum, Maximum, And, Or, Xor };

/// How a copy to global memory combines with the old values. For integers, the dtype's sign applies to minimum and
/// maximum.
enum class CopyReduction : uint8_t { Add, Minimum, Maximum, Increment, Decrement, And, Or, Xor };

/// The value that a copy to shared memory writes where its slice reaches past the array's end. InBounds: the caller
/// promises that the slice lies within the array, and nothing checks this.
enum class CopyFill : uint8_t { Zeros, Nan, Undefined, InBounds };

/// A reduction of each row that a load from tensor memory also returns.
enum class RowReduction : uint8_t { Minimum, Maximum, AbsMinimum, AbsMaximum };

/// How a load from all devices' memory combines their values. For integers, the dtype's sign applies to minimum and
/// maximum; f32 has only Add.
enum class MultimemKind : uint8_t { Add, Minimum, Maximum, And, Or, Xor };

/// The parts of a kernel that exist before its first statement.
struct KernelFrame {
  struct Argument {
    std::string name;
    ArgumentKind kind = ArgumentKind::In;
    layouts::Dtype dtype = layouts::Dtype::F32;
    layouts::Shape shape;
    Span span;
  };
  struct Buffer {
    std::string name;
    layouts::Dtype dtype = layouts::Dtype::F32;
    layouts::Shape shape;
    std::optional<SmemTransforms> transforms; // nothing: inference chooses them
    Span span;
    /// Adjacent buffers with the same `overlay` above 0 share memory, except buffers of the same `member`.
    int64_t overlay = 0, member = 0;
  };
  struct TensorBuffer { // `TMEM(…)`: either all of a kernel's are collective, or none
    std::string name;
    layouts::Dtype dtype = layouts::Dtype::F32;
    layouts::Shape shape; // the last two dimensions must fit the layout
    TensorPlace place;
    Span span;
    int64_t overlay = 0, member = 0; // as in Buffer
  };
  struct Accumulator { // `ACC(…)`: in registers, initially zero
    std::string name;
    layouts::Dtype dtype = layouts::Dtype::F32;
    layouts::Shape shape;
    Span span;
  };
  struct BarrierGroup {
    std::string name;
    int64_t arrivals = 1; // in warpgroups
    int64_t count = 1;
    Span span;
    /// In a cluster: the groups of dimensions (0: x) along which blocks share the barrier. Only blocks that differ from
    /// this one within one group arrive.
    std::optional<std::vector<std::vector<int64_t>>> collective = std::nullopt;
    /// With `collective`, which then has one dimension: all blocks arrive only at the first block's barrier.
    bool leaderTracked = false;
    /// One thread of each warpgroup arrives, and tensor cores arrive as well. Everything that they did before to tensor
    /// memory (products, loads, stores) is visible after the wait.
    bool ordersTensorCore = false;
  };

  std::string name;
  Span span;                            // the kernel's `def`
  std::array<int64_t, 3> grid{1, 1, 1}; // in blocks
  std::array<int64_t, 3> cluster{1, 1, 1};
  int64_t devices = 0; // devices that run it together; 0: one device without peers
  int64_t warpgroups = 1;
  const GpuTarget *target = &defaultGpuTarget(); // determines the available shared memory
  int64_t profileEntries = 0;                    // words per trace; 0: not profiled
  bool infersTransforms = false;                 // choose transforms for buffers without stated ones
  bool profileShrinks = false;                   // use fewer words if shared memory is short
  std::vector<Argument> arguments;
  std::vector<Buffer> buffers;
  std::vector<TensorBuffer> tensorBuffers;
  std::vector<BarrierGroup> barriers;
  std::vector<Accumulator> accumulators;
};

class GpuBuilder final : public KernelBuilder {
public:
  struct Impl; // GpuBuilderImpl.h
  /// Error if the frame needs more shared or tensor memory than a block may have; the message lists each buffer.
  static Result<std::unique_ptr<GpuBuilder>> make(IrContext &context, const KernelFrame &frame);

  /// The finished module, checked by MLIR's verifier. The builder cannot be used afterwards.
  Result<KernelModule> finish();
  /// Bytes of shared memory for the frame: buffers, barriers and, when profiled, the profiler's area.
  static int64_t sharedBytes(const KernelFrame &frame);
  /// The columns of tensor memory that the frame's buffers take together. An allocation rounds this number up.
  static int64_t tensorColumns(const KernelFrame &frame);

  // --- the frame's arguments and buffers
  IrRef argument(size_t index) const;
  /// True if anything emitted so far reads or writes that argument.
  bool touches(size_t argument) const;
  IrRef buffer(size_t index) const;
  IrRef tensorBuffer(size_t index) const;
  IrVariable accumulator(size_t index) const;
  /// Adds global memory that is zero at the kernel's start, as an argument after all others.
  IrRef addScratch(const KernelFrame::Argument &argument);

  // --- scopes: buffers and barriers beyond the frame's (BuildScopes.cpp)
  /// Buffers of one scope do not overlap, except those of a union. In a kernel of one warpgroup, closeScope frees the
  /// scope's memory for reuse; with several, another warpgroup may still use it, so it is not reused.
  struct ScopeMark {
    int64_t bytes = 0, columns = 0; // in shared and in tensor memory
  };
  ScopeMark openScope() const;
  void closeScope(const ScopeMark &mark);
  std::vector<IrRef> allocate(const std::vector<KernelFrame::Buffer> &buffers);
  std::vector<IrRef> allocate(const std::vector<KernelFrame::TensorBuffer> &buffers);
  /// Returns the group's index for IrBarrier. The barriers are initialised once, at the kernel's start.
  size_t allocateBarriers(const KernelFrame::BarrierGroup &group);

  // --- references
  using KernelBuilder::reshape;
  using KernelBuilder::slice;
  /// The part of `ref` that `dims` (one per dimension) select, as a reference. In tensor memory, a slice must take all
  /// rows, and its columns must start at a multiple of the layout's tile. In the dimensions before these two, it must
  /// take one index or everything.
  IrRef slice(const IrRef &ref, const std::vector<SliceDim> &dims);
  /// Dimension i of the result is dimension `order[i]` of `ref`.
  IrRef transpose(const IrRef &ref, const std::vector<size_t> &order);
  /// Views the elements of `ref` in another shape with as many elements, in row-major order; nothing if the strides of
  /// `ref` do not permit this.
  std::optional<IrRef> reshape(const IrRef &ref, const layouts::Shape &shape);
  /// Loads a whole reference of rank 1 or more. `eviction`: for global memory.
  IrValue load(const IrRef &ref, std::optional<bool> optimized, EvictionPolicy eviction = EvictionPolicy::None);
  void store(const IrValue &value, const IrRef &ref, std::optional<bool> optimized,
             std::optional<AtomicKind> atomic = std::nullopt);
  /// Loads one element, the same for every thread.
  IrValue loadScalar(const IrRef &ref, const std::vector<Offset> &indices);
  void storeScalar(const IrValue &value, const IrRef &ref, const std::vector<Offset> &indices);

  // --- copies and barriers
  struct LoadOptions {
    /// I1; if it is false, no bytes are copied, and the barrier gets only the arrival.
    std::optional<IrValue> predicate = std::nullopt;
    std::vector<int64_t> collective = {}; // cluster dimensions whose blocks load together, 0: x
    /// The dimension of the slice (counting only kept ones) along which the cluster's 2 blocks split it: each block
    /// loads half. `destination` is then the block's half. The first block's barrier counts the bytes of both.
    std::optional<int64_t> partitionedAxis = std::nullopt;
    /// Each of the cluster's 2 blocks loads the whole slice. The first block's barrier counts the bytes of both.
    bool replicated = false;
    CopyFill fill = CopyFill::Zeros;
  };
  /// Announces the bytes of `destination` on the barrier (one arrival) and starts the copy of a slice of `source`.
  void asyncLoad(const IrRef &source, const std::vector<SliceDim> &dims, const IrRef &destination,
                 const IrBarrier &barrier, const LoadOptions &options);
  void asyncStore(const IrRef &source, const IrRef &destination, const std::vector<SliceDim> &dims, bool commitGroup,
                  const std::optional<IrValue> &predicate, std::optional<CopyReduction> reduction);
  void asyncPrefetch(const IrRef &source, const std::vector<SliceDim> &dims, const std::optional<IrValue> &predicate,
                     const std::vector<int64_t> &collective);
  /// Starts a copy that the threads issue piece by piece (`cp.async`). Without a barrier, the copy is a group that
  /// waitCpAsync waits for. `fill` is InBounds (no part of the slice is outside), Zeros, or, with a barrier, Nan.
  /// `predicate`: as in LoadOptions.
  void cpAsync(const IrRef &source, const std::vector<SliceDim> &dims, const IrRef &destination,
               const std::optional<IrBarrier> &barrier, CopyFill fill, const std::optional<IrValue> &predicate);
  void waitCpAsync(int64_t pending);
  void commitGroup();
  void waitSmemToGmem(int64_t pending, bool readOnly);
  void commitSmem();
  void arrive(const IrBarrier &barrier);
  /// Arrives and adds `bytes` to the phase's expected bytes, without starting a copy.
  void arriveExpectTx(const IrBarrier &barrier, int64_t bytes);
  /// Waits for the barrier's next phase; each warpgroup counts the phases that it has waited for.
  void wait(const IrBarrier &barrier);
  /// Returns true (i1) if the next phase is complete. The warpgroup then counts this phase as waited for.
  IrValue test(const IrBarrier &barrier);

  // --- launch (BuildLaunch.cpp)
  IrValue programId(int dim); // 0: x
  IrValue warpgroupId();
  void setMaxRegisters(int64_t registers, bool increase);
  IrValue clusterId(int dim);      // the place of the block's cluster in the grid of clusters; 0: x
  IrValue blockInCluster(int dim); // 0: x
  /// `ref` in the block at this place of the cluster, x first; an empty entry means this block's own index.
  IrRef inBlock(const IrRef &ref, const std::array<std::optional<IrValue>, 3> &place);
  /// Semaphores are elements of an i32 array in global memory.
  void semaphoreSignal(const IrRef &semaphores, const Offset &index, const IrValue &value, SemaphoreScope scope,
                       SignalOrder order = SignalOrder::Release);
  void semaphoreWait(const IrRef &semaphores, const Offset &index, const IrValue &value, SemaphoreWait wait,
                     SemaphoreScope scope);
  IrValue semaphoreRead(const IrRef &semaphores, const Offset &index, SemaphoreScope scope);
  void releaseFence();

  // --- other devices (BuildDevices.cpp)
  IrValue deviceId();
  /// An argument on device `device` (i32); loads, stores, copies and signals access it there.
  IrRef onDevice(const IrRef &argument, const IrValue &device);
  /// The argument on all devices at once. Copies from shared memory, atomic stores, signals and storeToAll accept such
  /// a reference.
  IrRef onAllDevices(const IrRef &argument);
  /// Stores the value to `ref`, in global memory, on every device.
  void storeToAll(const IrValue &value, const IrRef &ref);
  /// Loads the combined values of all devices at `ref`.
  IrValue loadReduce(const IrRef &ref, MultimemKind kind);

  // --- warps, other groups of threads, other blocks and kernels (BuildWarps.cpp)
  // Each warp of the warpgroup runs the code that `body` emits, independently of the others. The code may use only
  // scalars and references. Calls do not nest.
  Result<void> warps(const std::function<Result<void>()> &body);
  IrValue warpId(); // in the warpgroup; inside of warps()
  /// A barrier of all warpgroups of the block.
  void blockBarrier();
  /// Barrier `id` (from 0) for `threads` threads of the block; `arriveOnly` does not wait.
  void namedBarrier(int64_t id, int64_t threads, bool arriveOnly);
  void check(const IrValue &condition, const std::string &message) override;
  /// Emits the text for each element of the values, which have one shape. `$0`, `$1`, … are the elements of results of
  /// these dtypes, then those of the values.
  std::vector<IrValue> inlinePtx(const std::string &ptx, const std::vector<IrValue> &values,
                                 const std::vector<layouts::Dtype> &results);
  /// Waits for the preceding kernel in the stream (`griddepcontrol.wait`), or lets the next one start.
  void gridDependency(bool launchDependents);
  /// Sends the array to `destination` in the block at `place` (see inBlock), where `barrier` counts it. `atomic`: the
  /// array is combined with the destination's old values; only for 32-bit integers.
  void asyncStoreShared(const IrValue &value, const IrRef &destination, const IrBarrier &barrier,
                        const std::array<std::optional<IrValue>, 3> &place, std::optional<AtomicKind> atomic = {});

  // --- variables and tensor cores (BuildTensorCores.cpp)
  IrVariable variable(layouts::Dtype dtype, const layouts::Shape &shape); // initially zero
  IrValue read(const IrVariable &variable);
  void write(const IrValue &value, const IrVariable &variable);
  /// Starts accumulator + a @ b and closes the group: a[m, k] in shared memory or registers, b[k, n] in shared memory.
  /// `wgmma` must support the dtypes and shapes.
  void wgmma(const IrVariable &accumulator, const std::variant<IrRef, IrValue> &a, const IrRef &b);
  /// Waits until at most `pending` groups are in flight.
  void wgmmaWait(int64_t pending);
  /// Also returns the value of `accumulator`, whose group has completed after the wait.
  IrValue wgmmaWait(int64_t pending, const IrVariable &accumulator);

  /// Block scales of (M, K / block) and of (N, K / block).
  struct MmaScales {
    IrValue a, b;
  };
  /// accumulator + a @ b by the warps (`mma.sync`), `warpsAlongM` (1, 2, 4) of them along the rows. `mma` must support
  /// the dtypes and shapes.
  IrValue mma(const IrValue &accumulator, const IrValue &a, const IrValue &b, int64_t warpsAlongM,
              const std::optional<MmaScales> &scales = {});

  // --- tensor memory (BuildTensorMemory.cpp). References whose names begin with `tensor` are in tensor memory. The
  // module's verifier and the lowering check types and shapes; they report at the operation's place and in snippets'
  // terms. Reinterprets the reference in another layout, which must take as many columns.
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

  // --- cluster launch control (BuildLaunch.cpp)
  // Requests a cluster that has not begun. The response is written to `result` (16 bytes of i8 in shared memory) in
  // every block of the cluster; The call announces these 16 bytes on `barrier`, with one arrival.
  void tryClusterCancel(const IrRef &result, const IrBarrier &barrier);
  struct CancelledCluster {
    std::array<IrValue, 3> block; // i32, grid indices of its first block; x first
    IrValue success;              // i1
  };
  CancelledCluster queryClusterCancel(const IrRef &result);

  // --- arrays (BuildArrays.cpp)
  IrValue iota(layouts::Dtype dtype, const layouts::Shape &shape, int64_t dimension) override;
  IrValue broadcastInDim(const IrValue &value, const layouts::Shape &shape,
                         const std::vector<int64_t> &dimensions) override;
  IrValue concatenate(const std::vector<IrValue> &values, int64_t dimension) override;
  std::vector<IrValue> optimizationBarrier(const std::vector<IrValue> &values) override;
  /// `layout` must fit the shape and not be a splat.
  IrValue layoutCast(const IrValue &value, const layouts::RegisterLayout &layout);

  // --- inspection (BuildProbes.cpp)
  void regionBegin(const std::string &name) override;
  void regionEnd(const std::string &name) override;
  void debugPrint(const std::string &format, const std::vector<IrValue> &values) override;
  void printLayout(const std::string &format, const IrValue &value);
  void printLayout(const std::string &format, const IrRef &ref);

private:
  explicit GpuBuilder(Impl *impl); // the base owns it from here on
  Impl *impl_;
};

} // namespace lanescope::core
