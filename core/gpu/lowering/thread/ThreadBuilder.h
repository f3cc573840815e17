// Emits one thread's code: LLVM dialect arithmetic and memory, inline PTX, and the few NVVM operations we use.
//
//   ThreadBuilder t(builder, location);
//   Value row = t.shiftRight(t.threadId(), 5);          // tid / 32
//   t.ptx("bar.sync $0, 128;", "r", {barrier});         // ptx() adds a memory clobber
//
// Integer helpers skip operations without effect (x + 0, x * 1), so callers need not check. Only this class creates
// NVVM operations (NvvmOps.cpp), because their header costs most of a compilation.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

namespace lanescope::core {

constexpr unsigned kGlobalSpace = 1;
constexpr unsigned kSharedSpace = 3;

class ThreadBuilder {
public:
  explicit ThreadBuilder(mlir::OpBuilder &builder, mlir::Location location) : builder_(builder), location_(location) {}

  mlir::OpBuilder &builder() { return builder_; }
  mlir::MLIRContext *context() { return builder_.getContext(); }
  mlir::Location location() const { return location_; }
  void setLocation(mlir::Location location) { location_ = location; }
  template <typename Op, typename... Args> Op create(Args &&...args) {
    return Op::create(builder_, location_, std::forward<Args>(args)...);
  }

  // --- types
  mlir::Type i1() { return builder_.getI1Type(); }
  mlir::Type i32() { return builder_.getI32Type(); }
  mlir::Type i64() { return builder_.getI64Type(); }
  mlir::Type f32() { return builder_.getF32Type(); }
  mlir::Type pointer(unsigned space = 0);

  // --- constants: `type` is an integer or a float, or a vector, of which every element gets the value
  mlir::Value integer(mlir::Type type, int64_t value);
  mlir::Value number(mlir::Type type, double value);
  mlir::Value constant(int64_t value) { return integer(i32(), value); }
  mlir::Value wideConstant(int64_t value) { return integer(i64(), value); }
  /// The value of an integer constant, made by this builder or in the source.
  static std::optional<int64_t> knownInteger(mlir::Value value);

  // --- integer arithmetic, unsigned; a plain number takes the other operand's type
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value add(mlir::Value a, int64_t b);
  mlir::Value multiply(mlir::Value a, int64_t b);
  mlir::Value divide(mlir::Value a, int64_t b);
  mlir::Value modulo(mlir::Value a, int64_t b);
  mlir::Value bitAnd(mlir::Value a, int64_t b);
  mlir::Value bitXor(mlir::Value a, mlir::Value b);
  mlir::Value bitXor(mlir::Value a, int64_t b);
  mlir::Value shiftLeft(mlir::Value a, int64_t bits);
  mlir::Value shiftRight(mlir::Value a, int64_t bits);
  mlir::Value compare(mlir::LLVM::ICmpPredicate predicate, mlir::Value a, mlir::Value b);
  mlir::Value compare(mlir::LLVM::ICmpPredicate predicate, mlir::Value a, int64_t b);
  /// Zero-extends or truncates an integer to `bits`.
  mlir::Value resize(mlir::Value a, unsigned bits);

  // --- memory
  /// `base` plus a byte offset: a known part, which becomes an immediate in the instruction, and a computed part (may
  /// be null).
  mlir::Value address(mlir::Value base, mlir::Value offset, int64_t known);
  mlir::Value load(mlir::Type type, mlir::Value address, unsigned alignment);
  void store(mlir::Value value, mlir::Value address, unsigned alignment);
  /// A stack slot in the entry block; the optimiser turns it into a register.
  mlir::Value slot(mlir::Type type);

  // --- vectors; element count 1 is the bare element type
  static mlir::Type vectorOf(mlir::Type element, int64_t count);
  static int64_t countOf(mlir::Type type);
  static mlir::Type elementOf(mlir::Type type);
  mlir::Value extract(mlir::Value vector, int64_t index);
  mlir::Value insert(mlir::Value vector, mlir::Value element, int64_t index);
  mlir::Value slice(mlir::Value vector, int64_t begin, int64_t count);
  mlir::Value concatenate(mlir::ArrayRef<mlir::Value> parts);
  mlir::Value splat(mlir::Value scalar, int64_t count);
  mlir::Value undefined(mlir::Type type);

  // --- inline PTX: volatile, ordered with all memory accesses. Operands are $0, $1, … results first.
  void ptx(llvm::StringRef text, llvm::StringRef constraints, mlir::ValueRange operands);
  mlir::Value ptx(mlir::Type result, llvm::StringRef text, llvm::StringRef constraints, mlir::ValueRange operands);
  /// Emits PTX for a pure computation, which LLVM may move, merge and drop.
  mlir::Value purePtx(mlir::Type result, llvm::StringRef text, llvm::StringRef constraints, mlir::ValueRange operands);
  /// A call of an LLVM intrinsic by its full name, without the overload suffix.
  mlir::Value intrinsic(llvm::StringRef name, mlir::Type result, mlir::ValueRange operands);

  // --- NVVM
  mlir::Value threadId();        // tid.x
  mlir::Value blockId(int dim);  // ctaid
  mlir::Value gridSize(int dim); // nctaid
  mlir::Value electOne();        // elect.sync over the full warp
  /// The value from lane 0, by `shfl.sync.idx`. This shows ptxas that the value is the same in all lanes of the warp.
  mlir::Value uniform(mlir::Value);
  mlir::Value shuffleXor(mlir::Value bits, int lanes);
  void blockBarrier();
  void barrier(mlir::Value id, int64_t threads);
  void fenceBarrierInit();
  void fenceAsyncShared();
  void commitBulkGroup();
  void waitBulkGroups(int pending, bool readOnly);

private:
  mlir::OpBuilder &builder_;
  mlir::Location location_;
};

} // namespace lanescope::core
