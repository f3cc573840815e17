// A SparseCore module as plain data without MLIR, decoded once and run many times. Regions are flattened: a function is
// a list of instructions with jumps, so that a subcore can stop anywhere and continue later.
//
//   scf.for  ->  Move (bounds to the loop's cells), LoopTest, body, LoopNext
//   scf.if   ->  BranchIfNot, then, Jump, else
//
// Values live in a function's frame. A scalar takes one 64-bit cell, a vector one cell per element, row-major; a memref
// takes a slot of the frame's second part. Integers are zero-extended to 64 bits (`index` is signed), and floats are
// kept as their bits.
#pragma once

#include "core/data/Array.h"
#include "layouts/tpu/TiledMemoryLayout.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lanescope::core::sparsecore {

inline constexpr int64_t kDynamic = INT64_MIN; // a size, stride or offset that the type leaves dynamic
inline constexpr size_t kMostRank = 8;

struct Element {
  enum class Kind : uint8_t { Integer, Float, Index, Semaphore, DmaSemaphore };
  Kind kind = Kind::Integer;
  uint8_t bits = 32;
  Dtype dtype = Dtype::I32; // type of a host array of such elements; I32 for semaphores

  bool isFloat() const { return kind == Kind::Float; }
  bool isSemaphore() const { return kind == Kind::Semaphore || kind == Kind::DmaSemaphore; }
  uint32_t bytes() const { return static_cast<uint32_t>(layouts::hostBytes(dtype)); } // in the emulator's memories
  bool operator==(const Element &) const = default;
};
/// The name of an element type: "i32", "bf16", "dma_semaphore".
std::string name(const Element &element);

enum class Space : uint8_t { Any, Vmem, Smem, Hbm, Cmem, SemaphoreMem, VmemShared, Host };
std::string_view name(Space space);
enum class CoreType : uint8_t { TensorCore, ScalarSubcore, VectorSubcore };
std::string_view name(CoreType type);

struct MemRefType {
  Element element;
  Space space = Space::Any;
  bool ofCore = false; // `core` is given
  CoreType core = CoreType::VectorSubcore;
  std::vector<int64_t> shape;                                      // kDynamic: known only at run time
  std::optional<layouts::TiledMemoryLayout> layout = std::nullopt; // `#tpu.tiled<…>`
};

enum class Op : uint8_t {
  // Control.
  Move,        // operands -> results, all read before any is written
  Jump,        // to `target`
  BranchIfNot, // if operand 0 is false: to `target`
  LoopTest,    // induction variable, upper bound: to `target` after the last iteration; `flag`: unsigned
  LoopNext,    // induction variable += step, to `target`; to `mode` if the sum is outside of the variable's type
  Return,
  ScopeEnter, // begins the scope of a tpu.region: its end frees the allocations made in it
  ScopeExit,  // ends the scope
  Assert,     // operand 0, `text`
  TraceStart, // `text`
  TraceStop,
  // One element after another: `sub` is an Elementwise, and `mode` a comparison's predicate.
  Elementwise,
  Constant, // `data`: one number, or one per element
  // Vectors.
  Iota,          // `numbers`: dimensions
  Broadcast,     // scalar or vector, by the rules of vector.broadcast
  Copy,          // shape_cast, assume_multiple, …: the same cells
  Bitcast,       // along the innermost dimension
  BitcastRows,   // along the second innermost dimension, like tpu.bitcast
  Extract,       // `numbers`: the position; operands fill kDynamic ones
  Insert,        // value, target; `numbers` as for Extract
  ExtractSlice,  // `numbers`: offsets, then strides
  InsertSlice,   // `numbers`: offsets, then strides
  Concatenate,   // `mode`: dimension
  DynamicGather, // source, indices; `numbers`: dimensions
  Scan,          // input, mask?; `sub`: ReductionKind, `mode`: dimension
  ScanCount,     // mask, values -> mask, counts
  Sort,          // keys, values, mask? -> mask, keys, values; `flag`: descending
  AllReduce,     // `sub`: ReductionKind, `mode`: dimension
  Reduce,        // vector.multi_reduction: source, accumulator; `sub`: Elementwise, `numbers`: dimensions
  Pack,          // `sub`: PackFormat, `numbers`: positions, `flag`: unsigned
  Unpack,        // `sub`: PackFormat, `mode`: index, `flag`: unsigned
  Transpose,     // `numbers`: permutation
  Rearrange,     // `numbers`: for each element of the result, its index in the joined operands
  // Memory.
  Alloca,
  SliceRef,   // memref, starts, dynamic sizes; has the result's shape
  SqueezeRef, // drops dimensions of one element
  ReshapeRef,
  BitcastRef,
  CastRef,        // assume_layout, erase_memref_layout, memref.cast, reinterpret_cast: the same elements
  Dim,            // memref, index
  Load,           // memref, indices -> scalar
  Store,          // value, memref, indices
  VectorLoad,     // memref, indices, mask?; `numbers`: strides
  VectorStore,    // value, memref, indices, mask?; `flag`: add
  VectorLoadIdx,  // memref, index vectors, mask?
  VectorStoreIdx, // value, memref, index vectors, mask?; `flag`: add
  FetchAndAdd,    // memref, indices, value, core -> old value
  // Semaphores and copies; `roles` identify the operands.
  SemaphoreAlloc,
  SemaphoreBarrier, // the semaphore of the collective
  SemaphoreRead,
  SemaphoreSignal,
  SemaphoreWait,
  Barrier,
  EnqueueDma,
  EnqueueIndirectDma, // `flag`: add
  WaitDma,            // `mode`: 1 if indirect
  // The rest.
  Log,       // `text`; an operand or none
  LogBuffer, // `text`, memref; `numbers`: shape
  DeviceId,
  CoreId,
  SubcoreId,
};

enum class Elementwise : uint8_t {
  AddInteger,
  SubInteger,
  MulInteger,
  DivSigned,
  DivUnsigned,
  CeilDivSigned,
  CeilDivUnsigned,
  FloorDivSigned,
  RemSigned,
  RemUnsigned,
  And,
  Or,
  Xor,
  ShiftLeft,
  ShiftRightSigned,
  ShiftRightUnsigned,
  MaxSigned,
  MinSigned,
  MaxUnsigned,
  MinUnsigned,
  CompareInteger,
  CompareFloat,
  Select,
  AddFloat,
  SubFloat,
  MulFloat,
  DivFloat,
  RemFloat,
  MaximumFloat,
  MinimumFloat,
  MaxNumFloat,
  MinNumFloat,
  NegateFloat,
  ExtendSigned,
  ExtendUnsigned,
  Truncate,
  ExtendFloat,
  TruncateFloat,
  FloatToSigned,
  FloatToUnsigned,
  SignedToFloat,
  UnsignedToFloat,
  IndexCast,
  IndexCastUnsigned,
  AbsoluteFloat,
  AbsoluteInteger,
  CeilFloat,
  FloorFloat,
  RoundFloat,
  RoundEvenFloat,
  TruncFloat,
  Exp,
  Exp2,
  ExpMinusOne,
  Log,
  Log2,
  Log1p,
  Sqrt,
  Rsqrt,
  Sin,
  Cos,
  Tan,
  Tanh,
  Erf,
  Power,
  FusedMultiplyAdd,
  CountLeadingZeros,
  CountTrailingZeros,
  CountOnes,
  IntegerPower,
  CopySign,
  Atan2,
  IsNan,
  IsInf,
  IsFinite,
};

enum class ReductionKind : uint8_t { Sum, Max, Min, ArgMax, ArgMin, FindFirstSet };
enum class PackFormat : uint8_t { Compressed, Interleaved };

/// The role of an operand, for operations with optional operands.
enum class Role : uint8_t {
  Source,
  Target,
  Offsets,
  Filter,
  Semaphore,
  SourceSemaphore,
  Device,
  Core,
  Subcore,
  Amount,
  Mask,
  Value,
  Base,
  Index,
};

struct Type {
  Element element;
  std::vector<int64_t> shape; // a vector's shape; empty for a scalar
  bool vector = false, memref = false;
  uint32_t cells = 1; // number of cells of the scalar or vector
};

/// A value of a function. For a memref, `at` is the slot.
struct Value {
  uint32_t type = 0; // index into Program::types; for memrefs, into Program::memrefs
  uint32_t at = 0;
  uint32_t cells = 1;
  bool memref = false;
};

struct Instruction {
  Op op = Op::Jump;
  uint8_t sub = 0;
  bool flag = false;
  int32_t mode = 0;
  uint32_t target = 0;                     // a jump's target
  uint32_t place = 0;                      // index into Program::places
  uint32_t text = 0;                       // index into Program::texts
  std::vector<uint32_t> operands, results; // the function's values
  std::vector<Role> roles;                 // the operands' roles, if the operation needs them
  std::vector<int64_t> numbers;
  std::vector<uint64_t> data;
};

/// How a kernel receives an argument.
struct Operand {
  uint32_t value = 0; // the function's value
  bool scratch = false;
  bool persistent = false;                 // `sc.persistent`: the whole array, without a window
  int32_t indexedBy = -1, indexedDim = -1; // `sc.indexed_by`, `sc.indexed_dim`
  /// The window's function: its index in Program::functions. -1 if there is no function: the window is the whole array,
  /// or its map is an affine map of zeros.
  int32_t transform = -1;
  std::vector<int64_t> window; // the window's sizes; empty for the whole array
};

enum class Semantics : uint8_t { Parallel, Arbitrary, CoreParallel, SubcoreParallel };

struct Function {
  std::string name;
  bool kernel = false; // true if the function has `tpu.core_type`
  CoreType core = CoreType::VectorSubcore;
  std::vector<int64_t> grid;
  std::vector<Semantics> semantics;
  std::vector<uint32_t> arguments; // values of all arguments
  uint32_t gridArguments = 0;      // number of arguments that belong to the grid; they come first
  std::vector<Operand> operands;   // the other arguments
  std::vector<Instruction> code;
  std::vector<Value> values;
  uint32_t cells = 0, slots = 0; // sizes of a frame
  uint32_t place = 0;
};

struct Program {
  std::vector<Function> functions;
  std::vector<Type> types;
  std::vector<MemRefType> memrefs;
  std::vector<Span> places;
  std::vector<std::string> texts;

  /// The functions that run together, in the module's order.
  std::vector<uint32_t> kernels() const;
};

} // namespace lanescope::core::sparsecore
