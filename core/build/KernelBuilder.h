// Emits a kernel's values and control flow as IR, for any target: arithmetic, constants, conversions, reductions,
// loops, branches, and the places in the snippet that operations come from. A target's builder (core/gpu/build) derives
// from it and adds the frame, memory and what else that target has. The caller (repl/kernel) speaks of arrays and
// scalars; no MLIR type shows here, so the language's side compiles without it.
//
//   IrValue x = …;                                                          // f32[128], given by the target's builder
//   IrValue half = builder.constant(Dtype::F32, {128}, 0.5);
//   IrValue y = builder.binary(BinaryKind::Multiply, x, half);
//   IrValue total = builder.reduce(ReduceKind::Sum, y, {0});                // a scalar
//
// The builder checks nothing about the snippet (dtypes and shapes of operands agree, slices are in bounds): that is
// for the caller, who knows the user's words. What it asserts are the caller's mistakes.
#pragma once

#include "core/ir/KernelModule.h"
#include "layouts/Dtype.h"
#include "layouts/Shape.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace lanescope::core {

/// A value of the kernel: an array, or a scalar (empty shape).
struct IrValue {
  void *handle = nullptr;
  layouts::Dtype dtype = layouts::Dtype::F32;
  layouts::Shape shape;
  bool isScalar() const { return shape.empty(); }
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

/// What a kernel does with an array that it is called with. Scratch: zeros at first, seen by all of its threads, and
/// nobody's afterwards.
enum class ArgumentKind : uint8_t { In, Out, InOut, Scratch };

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

class KernelBuilder {
public:
  struct Impl; // BuilderImpl.h
  virtual ~KernelBuilder();
  KernelBuilder(const KernelBuilder &) = delete;
  KernelBuilder &operator=(const KernelBuilder &) = delete;

  /// About how many of the target's instructions have been emitted so far, those of dropped constructs included. For
  /// limits: it says what lowering will cost.
  int64_t emitted() const;

  // --- places (Places.cpp)
  /// Where the operations emitted from now on come from.
  void setPlace(const Span &span);
  /// The value is bound to a variable: its operation's location gets the name.
  void setName(const IrValue &value, const std::string &name);

  // --- values (Values.cpp)
  IrValue constant(layouts::Dtype dtype, const layouts::Shape &shape, double value);
  IrValue constant(layouts::Dtype dtype, const layouts::Shape &shape, int64_t value);
  /// A scalar repeated over `shape`.
  IrValue splat(const IrValue &scalar, const layouts::Shape &shape);
  /// The same elements in row-major order; the shapes have equal counts and rank 1 or more.
  IrValue reshape(const IrValue &value, const layouts::Shape &shape);
  /// A part with known starts; dimensions without `keep` go away. At least one is kept.
  IrValue slice(const IrValue &value, const std::vector<SliceDim> &dims);

  // --- arithmetic (Arithmetic.cpp)
  /// Operands agree in dtype and shape.
  IrValue binary(BinaryKind kind, const IrValue &left, const IrValue &right);
  IrValue compare(CompareKind kind, const IrValue &left, const IrValue &right); // i1
  virtual IrValue negate(const IrValue &value);
  IrValue bitwiseNot(const IrValue &value);
  IrValue absolute(const IrValue &value);
  IrValue leadingZeros(const IrValue &value); // integers; the width for 0
  /// Floats. f16 and bf16 are computed in f32.
  IrValue math(MathKind kind, const IrValue &value, bool approximate);
  IrValue select(const IrValue &condition, const IrValue &whenTrue, const IrValue &whenFalse);
  /// To a float rounds to nearest even (8-bit floats saturate), float -> integer towards zero, anything -> i1 compares
  /// with zero.
  virtual IrValue cast(const IrValue &value, layouts::Dtype dtype);
  /// The same bits; the dtypes are equally wide.
  virtual IrValue bitcast(const IrValue &value, layouts::Dtype dtype);
  /// Without the dimensions `axes` (in order, not negative); a scalar when those are all.
  virtual IrValue reduce(ReduceKind kind, const IrValue &value, const std::vector<int64_t> &axes);

  // --- what each target says in its own dialect
  virtual IrValue iota(layouts::Dtype dtype, const layouts::Shape &shape, int64_t dimension) = 0;
  virtual IrValue broadcastInDim(const IrValue &value, const layouts::Shape &shape,
                                 const std::vector<int64_t> &dimensions) = 0;
  /// One after the other along `dimension`; the other sizes and the dtypes agree.
  virtual IrValue concatenate(const std::vector<IrValue> &values, int64_t dimension) = 0;
  /// The same values; nothing is computed across it.
  virtual std::vector<IrValue> optimizationBarrier(const std::vector<IrValue> &values) = 0;
  /// Prints the message and ends the kernel with an error where the condition (i1) does not hold.
  virtual void check(const IrValue &condition, const std::string &message) = 0;
  /// A named part of the trace.
  virtual void regionBegin(const std::string &name) = 0;
  virtual void regionEnd(const std::string &name) = 0;
  /// Prints while the kernel runs; each `{}` of the format stands for one value.
  virtual void debugPrint(const std::string &format, const std::vector<IrValue> &values) = 0;

  // --- control flow (Control.cpp)
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

protected:
  explicit KernelBuilder(std::unique_ptr<Impl> impl);
  /// The module as it is now, checked by MLIR's verifier. The builder is spent afterwards.
  Result<KernelModule> takeModule();

private:
  std::unique_ptr<Impl> impl_;
};

} // namespace lanescope::core
