// The state that the operation families share while one warpgroup-level kernel becomes one thread's code: values,
// thread coordinates, memory, control flow. LowerKernel.h has the entry point.
//
// Not here: the choice of layouts (core/gpu/inference), the meaning of a layout (layouts/).
#pragma once

#include "core/gpu/kernel/GpuTarget.h"
#include "core/gpu/lowering/thread/LoweredKernel.h"
#include "core/gpu/lowering/thread/ThreadBuilder.h"
#include "core/gpu/lowering/thread/Values.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace lanescope::core {

/// The state that the families share. Its members are public, because only the files of one pass use it.
struct KernelLowering {
  using Handler = mlir::LogicalResult (*)(KernelLowering &, mlir::Operation *);

  using Handlers = llvm::StringMap<Handler>; // keyed by operation name

  KernelLowering(mlir::func::FuncOp source, mlir::OpBuilder &builder, const Handlers &handlers, LoweredKernel &result)
      : source(source), t(builder, source.getLoc()), result(result), handlers_(handlers) {}

  mlir::LogicalResult run();
  mlir::LogicalResult lowerBlock(mlir::Block &block); // except its terminator
  mlir::LogicalResult lower(mlir::Operation *op);

  // --- values
  mlir::Value scalar(mlir::Value source);                                         // a number, pointer or index
  const RegisterArray &array(mlir::Value source) const;                           // in its own layout
  RegisterArray array(mlir::Value source, const layouts::RegisterLayout &layout); // in `layout`; a splat is expanded
  const Ref &ref(mlir::Value source) const;
  const TensorRef &tensor(mlir::Value source) const;
  void set(mlir::Value source, Lowered value) { values[source] = std::move(value); }
  bool isArray(mlir::Value source) const;

  /// The element type in registers: index -> i64, 8-bit floats and all 4-bit types -> i8 (4-bit ones two per byte, the
  /// first in the low half); other scalars keep their type. Null for a type that no register holds.
  mlir::Type registerElement(mlir::Type type);
  /// One register of `count` elements of the source's type `element`; null if they do not fill whole bytes.
  mlir::Type registerType(mlir::Type element, int64_t count);
  mlir::Type registerType(mlir::Type element, const layouts::RegisterLayout &layout) {
    return registerType(element, vectorLength(layout));
  }
  static int64_t vectorLength(const layouts::RegisterLayout &layout);
  static int64_t registerCount(const layouts::RegisterLayout &layout, const layouts::Shape &shape);

  // --- thread coordinates, computed once
  mlir::Value thread;    // in the warpgroup, 0..127
  mlir::Value lane;      // 0..31
  mlir::Value warp;      // in the warpgroup, 0..3
  mlir::Value warpgroup; // in the block; uniform
  mlir::Value elected;   // i1: one thread of the warpgroup; in warp-level code, of the warp
  /// A barrier of the warpgroup's threads; in warp-level code, of the warp's.
  void warpgroupBarrier();
  /// True in warp-level code (Warps.cpp), which each warp runs on its own.
  bool inWarps = false;
  mlir::Value electedOfWarp; // i1: one lane of each warp
  mlir::Value uniformWarp;   // `warp`, known to be the same in all lanes
  mlir::Value firstWarp;     // i1: the block's first warp; uniform
  /// True in code that one elected thread runs alone (`nvvm.elect.sync` in an `scf.if`); it must have no barrier with
  /// the other threads.
  bool byOneThread = false;
  /// True if a thread of the warpgroup may have written to shared memory since the last barrier. Loads must then wait
  /// at a barrier.
  bool unsyncedStores = false;
  /// True if arrivals and copies must start with a proxy fence; see readsWhatCopiesFill in Tma.h.
  bool fencesReads = false;
  /// Orders the threads' accesses to shared memory before later copies by TMA. Targets without TMA need nothing.
  void fenceAsyncShared();
  /// Emits an error if the target has no TMA, or none of the rest of what sm_90 added (GpuTarget::tma). `what` needs
  /// it, and `instead` says what this target has: "use `mma`".
  mlir::LogicalResult needsTma(mlir::Operation *op, llvm::StringRef what, llvm::StringRef instead) const;

  /// This warpgroup's scratch for reductions across warps (Reductions.cpp). It has `reductionBytes` bytes and comes
  /// after all other shared memory.
  mlir::Value reductionScratch();
  int64_t reductionOffset = 0, reductionBytes = 0;
  /// Bytes that the kernel's reductions need.
  int64_t findReductionBytes();

  // --- memory
  static constexpr uint32_t kDescriptorBytes = 128; // PTX ISA, "Tensor-map"
  static unsigned offsetBits(bool shared) { return shared ? 32 : 64; }
  mlir::Value smem;       // ptr<3>: start of dynamic shared memory
  mlir::Value parameters; // ptr: the parameter block
  mlir::Value argumentPointer(int argument);
  /// A generic pointer to the descriptor in the parameter block; equal descriptors share one place.
  mlir::Value descriptorPointer(const TensorMapSpec &map);
  mlir::MemRefType argumentType(int argument) {
    return mlir::cast<mlir::MemRefType>(source.getArgumentTypes()[argument]);
  }

  // --- regions of the trace (Regions.cpp)
  void profilerBegin(); // slot and clock at the start of the kernel
  void profilerEnd();   // header and copy to global memory
  mlir::LogicalResult record(mlir::Operation *op, bool end);

  // --- control flow: creates a block after the current one
  mlir::Block *newBlock(mlir::TypeRange arguments);
  void branch(mlir::Block *target, mlir::ValueRange operands);
  void branchIf(mlir::Value condition, mlir::Block *then, mlir::ValueRange thenOperands, mlir::Block *otherwise,
                mlir::ValueRange otherwiseOperands);
  void enter(mlir::Block *block) { t.builder().setInsertionPointToEnd(block); }
  /// Runs `body` under `if (condition)`.
  void when(mlir::Value condition, llvm::function_ref<void()> body);

  mlir::func::FuncOp source;
  ThreadBuilder t;
  LoweredKernel &result;
  mlir::LLVM::LLVMFuncOp target;
  llvm::DenseMap<mlir::Value, Lowered> values;
  std::vector<mlir::Value> argumentPointers; // indexed by argument, null until used
  /// The instructions that compute the address of pointer number `second` in the block. Their offsets are set when all
  /// descriptors are known.
  std::vector<std::pair<mlir::LLVM::GEPOp, int>> pointerFixups;
  std::vector<TensorMapSpec> tensorMaps;
  std::vector<mlir::Value> tensorMapPointers;
  mlir::Operation *prologueEnd = nullptr; // new loop-invariant code goes before it
  int warpgroups = 1;
  const GpuTarget *gpu = &defaultGpuTarget(); // the target
  int64_t userSmem = 0;
  /// True if the kernel has code in dialects other than LLVM's and NVVM's. That code is converted at the end.
  bool hasThreadCode = false;

  struct Profiler {
    int64_t entries = 0; // words per trace
    mlir::Value buffer;  // ptr<3>: this warpgroup's words
    mlir::Value used;    // stack slot: words used so far
    mlir::Value start;   // globaltimer
  } profiler;

private:
  mlir::LogicalResult readTarget();
  mlir::LogicalResult readAttributes();
  void makeFunction();
  void finishParameters();

  const Handlers &handlers_;
};

// One registration per family; core/gpu/lowering/Handlers.cpp lists them.
using HandlerTable = KernelLowering::Handlers;
void addElementwise(HandlerTable &table);
void addMath(HandlerTable &table);
void addConversions(HandlerTable &table);
void addControlFlow(HandlerTable &table);
void addRefs(HandlerTable &table);
void addTransfers(HandlerTable &table);
void addAsyncCopies(HandlerTable &table);
void addBarriers(HandlerTable &table);
void addArrays(HandlerTable &table);
void addReductions(HandlerTable &table);
void addShapes(HandlerTable &table);
void addPrints(HandlerTable &table);
void addStatements(HandlerTable &table);
void addWgmma(HandlerTable &table);
void addMma(HandlerTable &table);
void addTensorMemory(HandlerTable &table);
void addTensorTransfers(HandlerTable &table);
void addTensorCopies(HandlerTable &table);
void addTcgen05(HandlerTable &table);
void addClusterLaunch(HandlerTable &table);

} // namespace lanescope::core
