// Emits one kernel of a GPU as warpgroup-level `mosaic_gpu` IR: core/build's values and control flow, and here the
// frame, shared and tensor memory, barriers, copies, warps, clusters and tensor cores. No MLIR type shows here.
//
//   auto builder = *GpuBuilder::make(context, frame);              // arguments, shared memory, barriers laid out
//   IrValue tile = builder->load(builder->buffer(0), true);        // f16[128, 128]
//   builder->store(builder->binary(BinaryKind::Multiply, tile, builder->constant(Dtype::F16, {128, 128}, 2.0)),
//                  builder->buffer(0));
//   KernelModule module = *builder->finish();
//
// As its base it checks nothing about the snippet: that is for the caller, who knows the user's words.
#pragma once

#include "core/build/KernelBuilder.h"
#include "core/gpu/ir/SmemTransforms.h"
#include "core/gpu/kernel/GpuTarget.h"
#include "layouts/RegisterLayout.h"
#include "layouts/TmemLayout.h"

#include <array>

namespace lanescope::core {

constexpr int64_t kSharedAlignment = 1024; // of each buffer: what the widest swizzle repeats after

/// Cluster: shared memory of a block of the cluster, maybe another one. Tensor: that of Blackwell's tensor cores.
enum class MemorySpace : uint8_t { Global, Shared, Cluster, Tensor };

/// Where the elements of a reference to tensor memory lie. Dimensions before the last two count from left to right in
/// the columns: (2, 128, 64) is stored as (128, 128).
struct TensorPlace {
  layouts::TMEMLayout layout;
  bool collective = false; // allocated in both blocks of a pair
};

struct IrRef {
  void *handle = nullptr;
  layouts::Dtype dtype = layouts::Dtype::F32;
  layouts::Shape shape;
  MemorySpace space = MemorySpace::Global;
  std::optional<TensorPlace> tensor = std::nullopt; // MemorySpace::Tensor
};

/// A variable of the warpgroup, in its registers: each thread keeps its part.
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

/// What the L2 cache is to do with what a load brings there (PTX ISA, `createpolicy`).
enum class EvictionPolicy : uint8_t { None, First, Last };

enum class AtomicKind : uint8_t { Add, Minimum, Maximum, And, Or, Xor };

/// How a copy to global memory combines with what is there. Minimum and maximum of integers by the dtype's sign.
enum class CopyReduction : uint8_t { Add, Minimum, Maximum, Increment, Decrement, And, Or, Xor };

/// What a copy to shared memory puts where its slice reaches over the array's end. InBounds: the slice does not, which
/// nobody checks.
enum class CopyFill : uint8_t { Zeros, Nan, Undefined, InBounds };

/// What a load from tensor memory also gives of each row.
enum class RowReduction : uint8_t { Minimum, Maximum, AbsMinimum, AbsMaximum };

/// How a load of all devices' memory at once combines what they hold. Minimum and maximum of integers by the dtype's
/// sign; of f32 there is Add alone.
enum class MultimemKind : uint8_t { Add, Minimum, Maximum, And, Or, Xor };

/// What a kernel has before its first statement.
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
    /// Buffers with the same `overlay` above 0 (they follow each other) share memory, but for those of one `member`.
    int64_t overlay = 0, member = 0;
  };
  struct TensorBuffer { // `TMEM(…)`: all of a kernel's are collective, or none is
    std::string name;
    layouts::Dtype dtype = layouts::Dtype::F32;
    layouts::Shape shape; // the last two dimensions fit the layout
    TensorPlace place;
    Span span;
    int64_t overlay = 0, member = 0; // as Buffer's
  };
  struct Accumulator { // `ACC(…)`: registers, zeros at first
    std::string name;
    layouts::Dtype dtype = layouts::Dtype::F32;
    layouts::Shape shape;
    Span span;
  };
  struct BarrierGroup {
    std::string name;
    int64_t arrivals = 1; // of warpgroups
    int64_t count = 1;
    Span span;
    /// Of a cluster: arrivals come from the blocks that differ in one of these groups of dimensions (0: x) alone.
    std::optional<std::vector<std::vector<int64_t>>> collective = std::nullopt;
    /// With `collective`, which is one dimension then: all blocks arrive at the barrier of its first block alone.
    bool leaderTracked = false;
    /// One thread of each warpgroup arrives, and so do tensor cores; what they and the loads and stores of tensor
    /// memory did before is seen after the wait.
    bool ordersTensorCore = false;
  };

  std::string name;
  Span span;                            // the kernel's `def`
  std::array<int64_t, 3> grid{1, 1, 1}; // in blocks
  std::array<int64_t, 3> cluster{1, 1, 1};
  int64_t devices = 0; // that run it together; 0: one, which knows of no others
  int64_t warpgroups = 1;
  const GpuTarget *target = &defaultGpuTarget(); // whose shared memory there is
  int64_t profileEntries = 0;                    // words per trace; 0: not profiled
  bool infersTransforms = false;                 // of buffers for which nothing states any
  bool profileShrinks = false;                   // fewer words where shared memory is short
  std::vector<Argument> arguments;
  std::vector<Buffer> buffers;
  std::vector<TensorBuffer> tensorBuffers;
  std::vector<BarrierGroup> barriers;
  std::vector<Accumulator> accumulators;
};

class GpuBuilder final : public KernelBuilder {
public:
  struct Impl; // GpuBuilderImpl.h
  /// Error when the shared or the tensor memory that the frame asks for exceeds what a block may have: names each
  /// buffer.
  static Result<std::unique_ptr<GpuBuilder>> make(IrContext &context, const KernelFrame &frame);

  /// The finished module, checked by MLIR's verifier. The builder is spent afterwards.
  Result<KernelModule> finish();
  /// Bytes of shared memory that the frame takes: buffers, barriers and, when profiled, the profiler's area.
  static int64_t sharedBytes(const KernelFrame &frame);
  /// Columns of tensor memory that the frame's buffers take, before they are rounded up to what can be allocated.
  static int64_t tensorColumns(const KernelFrame &frame);

  // --- the frame's things
  IrRef argument(size_t index) const;
  /// Whether anything so far reads or writes that argument.
  bool touches(size_t argument) const;
  IrRef buffer(size_t index) const;
  IrRef tensorBuffer(size_t index) const;
  IrVariable accumulator(size_t index) const;
  /// Global memory beyond the frame's, zeros at the kernel's start: an argument behind all others.
  IrRef addScratch(const KernelFrame::Argument &argument);

  // --- scopes: buffers and barriers beyond the frame's (Scopes.cpp)
  /// Buffers of one scope do not overlap, those of a union aside. In a kernel of one warpgroup a scope's memory serves
  /// again after closeScope; where there are more, another warpgroup may still use it, so it does not.
  struct ScopeMark {
    int64_t bytes = 0, columns = 0; // of shared and of tensor memory
  };
  ScopeMark openScope() const;
  void closeScope(const ScopeMark &mark);
  std::vector<IrRef> allocate(const std::vector<KernelFrame::Buffer> &buffers);
  std::vector<IrRef> allocate(const std::vector<KernelFrame::TensorBuffer> &buffers);
  /// The group's number for IrBarrier. It is initialised at the kernel's start, once.
  size_t allocateBarriers(const KernelFrame::BarrierGroup &group);

  // --- references
  using KernelBuilder::reshape;
  using KernelBuilder::slice;
  /// The part of `ref` that `dims` (one per dimension) take, as a reference. Of tensor memory: all rows; columns from a
  /// multiple of the layout's tile on; of the dimensions before them, single indices (or everything).
  IrRef slice(const IrRef &ref, const std::vector<SliceDim> &dims);
  /// Dimension i is dimension `order[i]` of `ref`.
  IrRef transpose(const IrRef &ref, const std::vector<size_t> &order);
  /// The same elements in row-major order, as many as `ref` has; nothing where its strides do not allow that.
  std::optional<IrRef> reshape(const IrRef &ref, const layouts::Shape &shape);
  /// A whole reference of rank 1 or more. `eviction`: of global memory.
  IrValue load(const IrRef &ref, std::optional<bool> optimized, EvictionPolicy eviction = EvictionPolicy::None);
  void store(const IrValue &value, const IrRef &ref, std::optional<bool> optimized,
             std::optional<AtomicKind> atomic = std::nullopt);
  /// One element, the same for every thread.
  IrValue loadScalar(const IrRef &ref, const std::vector<Offset> &indices);
  void storeScalar(const IrValue &value, const IrRef &ref, const std::vector<Offset> &indices);

  // --- copies and barriers
  struct LoadOptions {
    std::optional<IrValue> predicate = std::nullopt; // i1; without it holding, the arrival comes without bytes
    std::vector<int64_t> collective = {};            // cluster dimensions whose blocks load together, 0: x
    /// The dimension of the slice, of those that are kept, of which each of the cluster's 2 blocks takes half. Then
    /// `destination` is such a half, and the first block's barrier alone counts both.
    std::optional<int64_t> partitionedAxis = std::nullopt;
    /// Each of the cluster's 2 blocks loads the whole slice, and the first block's barrier alone counts both.
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
  /// Copies that the threads issue piece by piece; without a barrier, as a group for waitCpAsync.
  void cpAsync(const IrRef &source, const std::vector<SliceDim> &dims, const IrRef &destination,
               const std::optional<IrBarrier> &barrier);
  void waitCpAsync(int64_t pending);
  void commitGroup();
  void waitSmemToGmem(int64_t pending, bool readOnly);
  void commitSmem();
  void arrive(const IrBarrier &barrier);
  /// Arrives and adds `bytes` to what the phase waits for, without starting a copy.
  void arriveExpectTx(const IrBarrier &barrier, int64_t bytes);
  /// Waits for the barrier's next phase; the phases waited for so far are counted per warpgroup.
  void wait(const IrBarrier &barrier);
  /// Whether the next phase is complete (i1); when it is, it counts as waited for.
  IrValue test(const IrBarrier &barrier);

  // --- launch (Launch.cpp)
  IrValue programId(int dim); // 0: x
  IrValue warpgroupId();
  void setMaxRegisters(int64_t registers, bool increase);
  IrValue clusterId(int dim);      // of the block's cluster in the grid of clusters; 0: x
  IrValue blockInCluster(int dim); // 0: x
  /// `ref` in the block at this place of the cluster, x first; where nothing is given, at this block's own.
  IrRef inBlock(const IrRef &ref, const std::array<std::optional<IrValue>, 3> &place);
  /// Semaphores are elements of an i32 array in global memory. `system`: who signals or waits on another device counts,
  /// too. `relaxed`: what came before is ordered by a releaseFence, once for several signals.
  void semaphoreSignal(const IrRef &semaphores, const Offset &index, const IrValue &value, bool system,
                       bool relaxed = false);
  void semaphoreWait(const IrRef &semaphores, const Offset &index, const IrValue &value, bool decrement, bool system);
  IrValue semaphoreRead(const IrRef &semaphores, const Offset &index, bool system);
  void releaseFence();

  // --- other devices (Devices.cpp)
  IrValue deviceId();
  /// An argument, as device number `device` (i32) has it; loads, stores, copies and signals reach it there.
  IrRef onDevice(const IrRef &argument, const IrValue &device);
  /// The same on all devices at once: for copies from shared memory, atomic stores, signals, storeToAll.
  IrRef onAllDevices(const IrRef &argument);
  /// `ref`, of global memory, gets the value on every device.
  void storeToAll(const IrValue &value, const IrRef &ref);
  /// What all devices hold at `ref`, combined.
  IrValue loadReduce(const IrRef &ref, MultimemKind kind);

  // --- warps, other groups of threads, other blocks and kernels (Warps.cpp)
  /// What `body` emits is run by each warp of the warpgroup by itself: scalars and references only. Not nested.
  Result<void> warps(const std::function<Result<void>()> &body);
  IrValue warpId(); // in the warpgroup; inside of warps()
  /// All warpgroups of the block meet.
  void blockBarrier();
  /// Barrier `id` (from 0) for `threads` threads of the block; `arriveOnly` does not wait.
  void namedBarrier(int64_t id, int64_t threads, bool arriveOnly);
  void check(const IrValue &condition, const std::string &message) override;
  /// The text for each element of the values, which are of one shape; with a dtype `$0` is the result's element.
  std::optional<IrValue> inlinePtx(const std::string &ptx, const std::vector<IrValue> &values,
                                   std::optional<layouts::Dtype> result);
  /// Waits for the kernel before this one, or lets the next one start.
  void gridDependency(bool launchDependents);
  /// Sends the array to `destination` in the block at `place` (see inBlock), where `barrier` counts it.
  void asyncStoreShared(const IrValue &value, const IrRef &destination, const IrBarrier &barrier,
                        const std::array<std::optional<IrValue>, 3> &place);

  // --- variables and tensor cores (TensorCores.cpp)
  IrVariable variable(layouts::Dtype dtype, const layouts::Shape &shape); // zeros
  IrValue read(const IrVariable &variable);
  void write(const IrValue &value, const IrVariable &variable);
  /// Starts accumulator + a @ b and closes the group: a[m, k] in shared memory or registers, b[k, n] in shared memory.
  /// Dtypes and shapes are ones that `wgmma` has.
  void wgmma(const IrVariable &accumulator, const std::variant<IrRef, IrValue> &a, const IrRef &b);
  /// Waits until at most `pending` groups are.
  void wgmmaWait(int64_t pending);
  /// The same, and the value of `accumulator`, whose group has then completed.
  IrValue wgmmaWait(int64_t pending, const IrVariable &accumulator);

  /// accumulator + a @ b by the warps (`mma.sync`), `warpsAlongM` (1, 2, 4) of them along the rows. Dtypes and shapes
  /// are ones that it has.
  IrValue mma(const IrValue &accumulator, const IrValue &a, const IrValue &b, int64_t warpsAlongM);

  // --- tensor memory (TensorMemory.cpp). References named tensor… are in it. What types and shapes go together the
  // module's verifier and the lowering say, at the operation's place and in the words of snippets.
  /// The same reference with its elements elsewhere: `layout` takes as many columns.
  IrRef tensorLayoutCast(const IrRef &tensor, const layouts::TMEMLayout &layout);
  /// Whole references of rank 2. The value may be used at once; waitLoadTmem tells others that it has been read.
  IrValue asyncLoadTmem(const IrRef &tensor);
  /// The value, and of each row the reduced one (rank 1).
  std::pair<IrValue, IrValue> asyncLoadTmem(const IrRef &tensor, RowReduction reduction);
  void asyncStoreTmem(const IrValue &value, const IrRef &tensor);
  /// All loads of the warpgroup are complete.
  void waitLoadTmem();
  /// All stores of the warpgroup are complete.
  void commitTmem();
  /// Copies by the tensor core, in order with its products. With a `collective` dimension (of the cluster, 0: x) the
  /// first block of the pair alone starts it, for both.
  void copyToTensor(const IrRef &shared, const IrRef &tensor, std::optional<int64_t> collective);
  void copyScalesToTensor(const IrRef &shared, const IrRef &tensor, std::optional<int64_t> collective);
  void copySparseMetadataToTensor(const IrRef &shared, const IrRef &tensor, std::optional<int64_t> collective);
  struct Tcgen05Options {
    std::optional<IrBarrier> barrier = std::nullopt; // to arrive at when it, and all before it, is done
    std::optional<IrRef> aScale = std::nullopt, bScale = std::nullopt; // tensor
    std::optional<IrRef> aSparseMetadata = std::nullopt;               // tensor
    std::variant<bool, IrValue> accumulate = true;                     // i1; without it, the product alone
    std::optional<int64_t> collective = std::nullopt;                  // cluster dimension, as above
  };
  /// Starts accumulator + a @ b: a[m, k] in tensor or shared memory, b[k, n] in shared memory; in a pair of blocks each
  /// has half of the columns of b.
  void tcgen05Mma(const IrRef &accumulator, const IrRef &a, const IrRef &b, const Tcgen05Options &options);
  /// The barrier (which orders the tensor core) counts an arrival when all products and copies so far are done; of a
  /// pair, those of both blocks.
  void tcgen05CommitArrive(const IrBarrier &barrier, std::optional<int64_t> collective);
  /// Each row takes the place of the one before it, in the 32 bytes from the reference's start on.
  void tcgen05Shift(const IrRef &tensor, std::optional<int64_t> collective);

  // --- cluster launch control (Launch.cpp)
  /// Asks for a cluster that has not begun: the answer arrives in `result` (16 bytes of i8 in shared memory) of every
  /// block of the cluster, as 16 bytes that `barrier` counts; it announces them itself, with one arrival.
  void tryClusterCancel(const IrRef &result, const IrBarrier &barrier);
  struct CancelledCluster {
    std::array<IrValue, 3> block; // i32, place in the grid of its first block; x first
    IrValue success;              // i1
  };
  CancelledCluster queryClusterCancel(const IrRef &result);

  // --- arrays (Arrays.cpp)
  IrValue iota(layouts::Dtype dtype, const layouts::Shape &shape, int64_t dimension) override;
  IrValue broadcastInDim(const IrValue &value, const layouts::Shape &shape,
                         const std::vector<int64_t> &dimensions) override;
  IrValue concatenate(const std::vector<IrValue> &values, int64_t dimension) override;
  std::vector<IrValue> optimizationBarrier(const std::vector<IrValue> &values) override;
  /// `layout` fits the shape and is no splat.
  IrValue layoutCast(const IrValue &value, const layouts::RegisterLayout &layout);

  // --- looking inside (Probes.cpp)
  void regionBegin(const std::string &name) override;
  void regionEnd(const std::string &name) override;
  void debugPrint(const std::string &format, const std::vector<IrValue> &values) override;
  void printLayout(const std::string &format, const IrValue &value);
  void printLayout(const std::string &format, const IrRef &ref);

private:
  explicit GpuBuilder(Impl *impl); // which the base owns from here on
  Impl *impl_;
};

} // namespace lanescope::core
