// Emits a kernel's values and control flow as IR, for any target: arithmetic, constants, conversions, reductions,
// loops, branches, and the places in the snippet that operations come from. A target's builder (core/gpu/build) derives
// from it and adds the frame, memory and its other features. The caller (repl/kernel) uses arrays and scalars. No MLIR
// type appears here, so the language's side compiles without MLIR.
//
//   IrValue x = …;                                                          // f32[128], given by the target's builder
//   IrValue half = builder.constant(Dtype::F32, {128}, 0.5);
//   IrValue y = builder.binary(BinaryKind::Multiply, x, half);
//   IrValue total = builder.reduce(ReduceKind::Sum, y, {0});                // a scalar
//
// The builder does not check the snippet (that dtypes and shapes of operands agree, that slices are in bounds). The
// caller does, because it knows the user's words. The asserts are for the caller's mistakes.
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

/// The start of a slice, or an index: known while tracing, or an i32 scalar. In an asynchronous copy of two dimensions,
/// the first may instead have an array of u8, u16 or u32 with the index of each row.
using Offset = std::variant<int64_t, IrValue>;

/// The part of one dimension that a slice takes. `keep` is false for an integer index, which removes the dimension
/// (`length` is 1).
struct SliceDim {
  Offset start = int64_t{0};
  int64_t length = 1;
  bool keep = true;
};

/// How a kernel uses an array argument. Scratch starts as zeros, is shared by all threads, and is dropped after the
/// run.
enum class ArgumentKind : uint8_t { In, Out, InOut, Scratch };

enum class BinaryKind : uint8_t {
  Add,
  Subtract,
  Multiply,
  Divide,      // floats only
  FloorDivide, // integers: rounds down, like Python
  Modulo,      // integers: has the divisor's sign, as in Python
  And,
  Or,
  Xor,
  ShiftLeft,
  ShiftRight,
  Maximum, // NaN if an operand is NaN
  Minimum,
  Remainder,        // floats and integers: has the dividend's sign, like C's fmod and %
  TruncatingDivide, // integers: rounds towards zero
  Atan2,            // floats
  CopySign,         // floats: the magnitude of the left operand, the sign of the right one
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

  /// The approximate number of target instructions emitted so far, including dropped constructs. Callers compare it
  /// with limits, as an estimate of the cost of lowering.
  int64_t emitted() const;

  // --- places (BuilderPlaces.cpp)
  /// Sets the source place of the operations emitted from now on.
  void setPlace(const Span &span);
  /// Binds the value to a variable: its operation's location gets the name.
  void setName(const IrValue &value, const std::string &name);

  // --- values (BuilderValues.cpp)
  IrValue constant(layouts::Dtype dtype, const layouts::Shape &shape, double value);
  IrValue constant(layouts::Dtype dtype, const layouts::Shape &shape, int64_t value);
  /// A scalar repeated over `shape`.
  IrValue splat(const IrValue &scalar, const layouts::Shape &shape);
  /// Gives the elements another shape, in row-major order. Both shapes have equally many elements and rank 1 or more.
  IrValue reshape(const IrValue &value, const layouts::Shape &shape);
  /// A part with known starts. Dimensions without `keep` are removed; at least one is kept.
  IrValue slice(const IrValue &value, const std::vector<SliceDim> &dims);

  // --- arithmetic (BuilderArithmetic.cpp)
  /// Operands agree in dtype and shape.
  IrValue binary(BinaryKind kind, const IrValue &left, const IrValue &right);
  IrValue compare(CompareKind kind, const IrValue &left, const IrValue &right); // i1
  virtual IrValue negate(const IrValue &value);
  IrValue bitwiseNot(const IrValue &value);
  IrValue absolute(const IrValue &value);
  IrValue leadingZeros(const IrValue &value); // integers; gives the width for 0
  /// Applies a mathematical function to floats. f16 and bf16 are computed in f32.
  IrValue math(MathKind kind, const IrValue &value, bool approximate);
  IrValue select(const IrValue &condition, const IrValue &whenTrue, const IrValue &whenFalse);
  /// Conversion to a float rounds to nearest even (8-bit floats saturate), float -> integer rounds towards zero, and
  /// any type -> i1 compares with zero.
  virtual IrValue cast(const IrValue &value, layouts::Dtype dtype);
  /// Reinterprets the bits; the dtypes are equally wide.
  virtual IrValue bitcast(const IrValue &value, layouts::Dtype dtype);
  /// Reduces over the dimensions `axes` (in order, not negative), which are removed. The result is a scalar if no
  /// dimension is left.
  virtual IrValue reduce(ReduceKind kind, const IrValue &value, const std::vector<int64_t> &axes);

  // --- operations that each target's builder emits in its own dialect
  virtual IrValue iota(layouts::Dtype dtype, const layouts::Shape &shape, int64_t dimension) = 0;
  virtual IrValue broadcastInDim(const IrValue &value, const layouts::Shape &shape,
                                 const std::vector<int64_t> &dimensions) = 0;
  /// Joins the values along `dimension`; the other sizes and the dtypes agree.
  virtual IrValue concatenate(const std::vector<IrValue> &values, int64_t dimension) = 0;
  /// Returns the same values. The compiler moves no computation across it.
  virtual std::vector<IrValue> optimizationBarrier(const std::vector<IrValue> &values) = 0;
  /// Prints the message and ends the kernel with an error if the condition (i1) is false.
  virtual void check(const IrValue &condition, const std::string &message) = 0;
  /// Begins a named region of the trace.
  virtual void regionBegin(const std::string &name) = 0;
  virtual void regionEnd(const std::string &name) = 0;
  /// Prints while the kernel runs; each `{}` of the format takes one value.
  virtual void debugPrint(const std::string &format, const std::vector<IrValue> &values) = 0;

  // --- control flow (BuilderControl.cpp)
  using Values = std::vector<IrValue>;
  /// The carried values at the end of a body, with the types that they had at its start. If the function returns
  /// nothing, the construct is dropped, and the caller builds it again with other types.
  using MaybeValues = std::optional<Values>;
  using ForBody = std::function<Result<MaybeValues>(const IrValue &index, const Values &carried)>;
  Result<MaybeValues> forLoop(const IrValue &lower, const IrValue &upper, const IrValue &step, const Values &initial,
                              const ForBody &body);
  using WhileCondition = std::function<Result<IrValue>(const Values &carried)>;
  using WhileBody = std::function<Result<MaybeValues>(const Values &carried)>;
  Result<MaybeValues> whileLoop(const Values &initial, const WhileCondition &condition, const WhileBody &body);
  /// Emits both branches. It then calls back for the values of each branch (`true` first) and emits them at that
  /// branch's end.
  using Branch = std::function<Result<void>()>;
  using Yields = std::function<Result<Values>(bool branch)>;
  Result<Values> ifElse(const IrValue &condition, const Branch &whenTrue, const Branch &whenFalse,
                        const Yields &yields);

protected:
  explicit KernelBuilder(std::unique_ptr<Impl> impl);
  /// The finished module, checked by MLIR's verifier. The builder cannot be used after this call.
  Result<KernelModule> takeModule();

private:
  std::unique_ptr<Impl> impl_;
};

} // namespace lanescope::core
