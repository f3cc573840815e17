// Emits one kernel as warpgroup-level `mosaic_gpu` IR. The caller (repl/kernel) speaks of arrays, references and
// barriers; no MLIR type shows here, so the language's side compiles without it.
//
//   auto builder = *KernelBuilder::make(compiler, frame);          // arguments, shared memory, barriers laid out
//   IrValue tile = builder->load(builder->buffer(0), true);        // f16[128, 128]
//   builder->store(builder->binary(BinaryKind::Multiply, tile, builder->constant(Dtype::F16, {128, 128}, 2.0)),
//                  builder->buffer(0));
//   KernelModule module = *builder->finish();
//
// The builder checks nothing about the snippet (dtypes and shapes of operands agree, slices are in bounds): that is
// for the caller, who knows the user's words. What it asserts are the caller's mistakes.
#pragma once

#include "core/ir/KernelModule.h"
#include "core/gpu/ir/SmemTransforms.h"
#include "core/gpu/kernel/GpuTarget.h"
#include "layouts/Dtype.h"
#include "layouts/RegisterLayout.h"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace lanescope::core {

constexpr int64_t kSharedAlignment = 1024; // of each buffer: what the widest swizzle repeats after

/// A value of the kernel: an array of the warpgroup, or a scalar (empty shape).
struct IrValue {
  void *handle = nullptr;
  layouts::Dtype dtype = layouts::Dtype::F32;
  layouts::Shape shape;
  bool isScalar() const { return shape.empty(); }
};

/// Cluster: shared memory of a block of the cluster, maybe another one.
enum class MemorySpace : uint8_t { Global, Shared, Cluster };

struct IrRef {
  void *handle = nullptr;
  layouts::Dtype dtype = layouts::Dtype::F32;
  layouts::Shape shape;
  MemorySpace space = MemorySpace::Global;
};

/// A variable of the warpgroup, in its registers: each thread keeps its part.
struct IrVariable {
  void *handle = nullptr;
  layouts::Dtype dtype = layouts::Dtype::F32;
  layouts::Shape shape;
};

/// A start of a slice, or an index: known while tracing, or an i32 scalar. In an asynchronous copy the first dimension
/// of two may have an array of u8, u16 or u32 instead, which names each row.
using Offset = std::variant<int64_t, IrValue>;

/// What is taken of one dimension. `keep` false: an integer index, the dimension goes away (`length` is 1).
struct SliceDim {
  Offset start = int64_t{0};
  int64_t length = 1;
  bool keep = true;
};

/// One barrier of a group.
struct IrBarrier {
  size_t group = 0;
  Offset index = int64_t{0};
};

enum class BinaryKind : uint8_t {
  Add,
  Subtract,
  Multiply,
  Divide,      // floats
  FloorDivide, // integers: rounds down, as Python does
  Modulo,      // integers: the sign of the divisor, as Python has it
  And,
  Or,
  Xor,
  ShiftLeft,
  ShiftRight,
  Maximum, // NaN when one is
  Minimum,
  Remainder,        // floats and integers: the sign of the dividend, as C's fmod and %
  TruncatingDivide, // integers: rounds towards zero
  Atan2,            // floats
  CopySign,         // floats: the magnitude of the left, the sign of the right
};
enum class CompareKind : uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };
enum class MathKind : uint8_t { Exp, Exp2, Log, Log2, Sin, Cos, Tanh, Rsqrt, Sqrt, Floor, Ceil, Round, RoundEven, Erf };
enum class ReduceKind : uint8_t { Sum, Product, Maximum, Minimum };
enum class AtomicKind : uint8_t { Add, Minimum, Maximum, And, Or, Xor };

/// Scratch: zeros at first, seen by all blocks, and nobody's afterwards.
enum class ArgumentKind : uint8_t { In, Out, InOut, Scratch };
/// How a copy to global memory combines with what is there. Minimum and maximum of integers by the dtype's sign.
enum class CopyReduction : uint8_t { Add, Minimum, Maximum, Increment, Decrement, And, Or, Xor };

/// What a copy to shared memory puts where its slice reaches over the array's end. InBounds: the slice does not, which
/// nobody checks.
enum class CopyFill : uint8_t { Zeros, Nan, Undefined, InBounds };

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
    SmemTransforms transforms;
    Span span;
    /// Buffers with the same `overlay` above 0 (they follow each other) share memory, but for those of one `member`.
    int64_t overlay = 0, member = 0;
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
  };

  std::string name;
  Span span;                            // the kernel's `def`
  std::array<int64_t, 3> grid{1, 1, 1}; // in blocks
  std::array<int64_t, 3> cluster{1, 1, 1};
  int64_t warpgroups = 1;
  const GpuTarget *target = &defaultGpuTarget(); // whose shared memory there is
  int64_t profileEntries = 0;  // words per trace; 0: not profiled
  bool profileShrinks = false; // fewer words where shared memory is short
  std::vector<Argument> arguments;
  std::vector<Buffer> buffers;
  std::vector<BarrierGroup> barriers;
  std::vector<Accumulator> accumulators;
};

class KernelBuilder {
public:
  /// Error when the shared memory that the frame asks for exceeds what a block may have: names each buffer.
  static Result<std::unique_ptr<KernelBuilder>> make(IrContext &context, const KernelFrame &frame);
  ~KernelBuilder();
  KernelBuilder(const KernelBuilder &) = delete;
  KernelBuilder &operator=(const KernelBuilder &) = delete;

  /// The finished module, checked by MLIR's verifier. The builder is spent afterwards.
  Result<KernelModule> finish();
  /// Bytes of shared memory that the frame takes: buffers, barriers and, when profiled, the profiler's area.
  static int64_t sharedBytes(const KernelFrame &frame);
  /// About how many instructions of one thread have been emitted so far, those of dropped constructs included. For
  /// limits: it says what lowering will cost.
  int64_t emitted() const;

  // --- places
  /// Where the operations emitted from now on come from.
  void setPlace(const Span &span);
  /// The value is bound to a variable: its operation's location gets the name.
  void setName(const IrValue &value, const std::string &name);

  // --- the frame's things
  IrRef argument(size_t index) const;
  IrRef buffer(size_t index) const;
  IrVariable accumulator(size_t index) const;

  // --- scopes: buffers and barriers beyond the frame's (Scopes.cpp)
  /// Buffers of one scope do not overlap, those of a union aside. In a kernel of one warpgroup a scope's memory serves
  /// again after closeScope; where there are more, another warpgroup may still use it, so it does not.
  int64_t openScope() const;
  void closeScope(int64_t mark);
  std::vector<IrRef> allocate(const std::vector<KernelFrame::Buffer> &buffers);
  /// The group's number for IrBarrier. It is initialised at the kernel's start, once.
  size_t allocateBarriers(const KernelFrame::BarrierGroup &group);

  // --- references
  /// The part of `ref` that `dims` (one per dimension) take, as a reference.
  IrRef slice(const IrRef &ref, const std::vector<SliceDim> &dims);
  /// Dimension i is dimension `order[i]` of `ref`.
  IrRef transpose(const IrRef &ref, const std::vector<size_t> &order);
  /// The same elements in row-major order, as many as `ref` has; nothing where its strides do not allow that.
  std::optional<IrRef> reshape(const IrRef &ref, const layouts::Shape &shape);
  /// A whole reference of rank 1 or more.
  IrValue load(const IrRef &ref, std::optional<bool> optimized);
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
  void setMaxRegisters(int64_t registers, bool increase);
  IrValue clusterId(int dim);      // of the block's cluster in the grid of clusters; 0: x
  IrValue blockInCluster(int dim); // 0: x
  /// `ref` in the block at this place of the cluster, x first; where nothing is given, at this block's own.
  IrRef inBlock(const IrRef &ref, const std::array<std::optional<IrValue>, 3> &place);
  /// Semaphores are elements of an i32 array in global memory.
  void semaphoreSignal(const IrRef &semaphores, const Offset &index, const IrValue &value);
  void semaphoreWait(const IrRef &semaphores, const Offset &index, const IrValue &value, bool decrement);
  IrValue semaphoreRead(const IrRef &semaphores, const Offset &index);

  // --- warps, other groups of threads, other blocks and kernels (Warps.cpp)
  /// What `body` emits is run by each warp of the warpgroup by itself: scalars and references only. Not nested.
  Result<void> warps(const std::function<Result<void>()> &body);
  IrValue warpId(); // in the warpgroup; inside of warps()
  /// Barrier `id` (from 0) for `threads` threads of the block; `arriveOnly` does not wait.
  void namedBarrier(int64_t id, int64_t threads, bool arriveOnly);
  /// Prints the message and ends the kernel with an error where the condition (i1) does not hold.
  void check(const IrValue &condition, const std::string &message);
  /// The text for each element of the values, which are of one shape; with a dtype `$0` is the result's element.
  std::optional<IrValue> inlinePtx(const std::string &ptx, const std::vector<IrValue> &values,
                                   std::optional<layouts::Dtype> result);
  /// Waits for the kernel before this one, or lets the next one start.
  void gridDependency(bool launchDependents);
  /// Sends the array to `destination` in the block at `place` (see inBlock), where `barrier` counts it.
  void asyncStoreShared(const IrValue &value, const IrRef &destination, const IrBarrier &barrier,
                        const std::array<std::optional<IrValue>, 3> &place);

  // --- values
  IrValue constant(layouts::Dtype dtype, const layouts::Shape &shape, double value);
  IrValue constant(layouts::Dtype dtype, const layouts::Shape &shape, int64_t value);
  /// A scalar repeated over `shape`.
  IrValue splat(const IrValue &scalar, const layouts::Shape &shape);
  IrValue iota(layouts::Dtype dtype, const layouts::Shape &shape, int64_t dimension);
  IrValue broadcastInDim(const IrValue &value, const layouts::Shape &shape, const std::vector<int64_t> &dimensions);
  /// `layout` fits the shape and is no splat.
  IrValue layoutCast(const IrValue &value, const layouts::RegisterLayout &layout);
  /// Without the dimensions `axes` (in order, not negative); a scalar when those are all.
  IrValue reduce(ReduceKind kind, const IrValue &value, const std::vector<int64_t> &axes);
  /// The same elements in row-major order; the shapes have equal counts and rank 1 or more.
  IrValue reshape(const IrValue &value, const layouts::Shape &shape);
  /// A part with known starts; dimensions without `keep` go away. At least one is kept.
  IrValue slice(const IrValue &value, const std::vector<SliceDim> &dims);
  /// One after the other along `dimension`; the other sizes and the dtypes agree.
  IrValue concatenate(const std::vector<IrValue> &values, int64_t dimension);
  /// The same values; nothing is computed across it.
  std::vector<IrValue> optimizationBarrier(const std::vector<IrValue> &values);
  IrValue programId(int dim); // 0: x
  IrValue warpgroupId();

  /// Operands agree in dtype and shape.
  IrValue binary(BinaryKind kind, const IrValue &left, const IrValue &right);
  IrValue compare(CompareKind kind, const IrValue &left, const IrValue &right); // i1
  IrValue negate(const IrValue &value);
  IrValue bitwiseNot(const IrValue &value);
  IrValue absolute(const IrValue &value);
  IrValue leadingZeros(const IrValue &value); // integers; the width for 0
  /// Floats. f16 and bf16 are computed in f32.
  IrValue math(MathKind kind, const IrValue &value, bool approximate);
  IrValue select(const IrValue &condition, const IrValue &whenTrue, const IrValue &whenFalse);
  /// To a float rounds to nearest even (8-bit floats saturate), float -> integer towards zero, anything -> i1 compares
  /// with zero.
  IrValue cast(const IrValue &value, layouts::Dtype dtype);
  /// The same bits; the dtypes are equally wide.
  IrValue bitcast(const IrValue &value, layouts::Dtype dtype);

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

  // --- looking inside
  void regionBegin(const std::string &name);
  void regionEnd(const std::string &name);
  void debugPrint(const std::string &format, const std::vector<IrValue> &values);
  void printLayout(const std::string &format, const IrValue &value);
  void printLayout(const std::string &format, const IrRef &ref);

  // --- control flow
  using Values = std::vector<IrValue>;
  /// What a body gives back: the carried values, of the types they came in with; nothing to drop the construct (the
  /// caller will build it again with other types).
  using MaybeValues = std::optional<Values>;
  using ForBody = std::function<Result<MaybeValues>(const IrValue &index, const Values &carried)>;
  Result<MaybeValues> forLoop(const IrValue &lower, const IrValue &upper, const IrValue &step, const Values &initial,
                              const ForBody &body);
  using WhileCondition = std::function<Result<IrValue>(const Values &carried)>;
  using WhileBody = std::function<Result<MaybeValues>(const Values &carried)>;
  Result<MaybeValues> whileLoop(const Values &initial, const WhileCondition &condition, const WhileBody &body);
  /// Emits both branches, then asks for the values that each gives (`true` first): emitted at the branch's end.
  using Branch = std::function<Result<void>()>;
  using Yields = std::function<Result<Values>(bool branch)>;
  Result<Values> ifElse(const IrValue &condition, const Branch &whenTrue, const Branch &whenFalse,
                        const Yields &yields);

private:
  struct Impl;
  explicit KernelBuilder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace lanescope::core
