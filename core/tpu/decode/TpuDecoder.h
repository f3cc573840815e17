// The state for decoding a function: numbers for its values, and the instructions so far.
#pragma once

#include "core/tpu/program/TpuProgram.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Operation.h"

#include "llvm/ADT/DenseMap.h"

#include <map>

namespace lanescope::core::sparsecore {

/// The types, places and texts of a program, each once.
class Tables {
public:
  Tables(Program &program, const std::vector<SourceRef> &sources) : program(program), sources_(sources) {}

  /// Returns false for a type that no value of the emulator has; `problem` names the type.
  bool scalarOrVector(mlir::Type type, uint32_t &index, std::string &problem);
  bool memref(mlir::MemRefType type, uint32_t &index, std::string &problem);
  uint32_t place(mlir::Location location);
  uint32_t text(llvm::StringRef text);
  Span span(mlir::Location location) const;

  Program &program;

private:
  const std::vector<SourceRef> &sources_;
  llvm::DenseMap<mlir::Type, uint32_t> types_;
  llvm::DenseMap<mlir::Location, uint32_t> places_;
  std::map<std::string, uint32_t> texts_;
};
bool elementOf(mlir::Type type, Element &element);

class FunctionDecoder {
public:
  FunctionDecoder(Tables &tables, Function &function) : tables_(tables), function_(function) {}

  /// Decodes the body. Errors are in `problems`.
  void decode(mlir::Region &body);
  uint32_t define(mlir::Value value);
  uint32_t use(mlir::Value value);

  Diagnostics problems;

private:
  friend struct Families;
  void fail(mlir::Operation &op, Message message);
  Instruction &emit(mlir::Operation &op, Op code, mlir::ValueRange operands = {}, mlir::ValueRange results = {});
  /// A new value of the same type that stands for no SSA value.
  uint32_t temporary(uint32_t like);
  void operation(mlir::Operation &op);
  /// Decodes the operations of a block, without its terminator.
  void block(mlir::Block &block);
  void move(mlir::Operation &op, mlir::ValueRange from, mlir::ValueRange to);
  uint32_t here() const { return static_cast<uint32_t>(function_.code.size()); }

  // One function per family of operations; false if the operation is not in the family.
  bool control(mlir::Operation &op);
  bool elementwise(mlir::Operation &op);
  bool vectors(mlir::Operation &op);
  bool lanes(mlir::Operation &op);
  bool memory(mlir::Operation &op);
  bool synchronisation(mlir::Operation &op);
  bool logs(mlir::Operation &op);

  void forLoop(mlir::Operation &op);
  void whileLoop(mlir::Operation &op);
  void ifElse(mlir::Operation &op);
  void scope(mlir::Operation &op);
  /// Decodes the blocks of a body. In a function that `call` calls, a return continues after the call.
  void branches(mlir::Region &body, mlir::Operation *call = nullptr);
  void inlined(mlir::Operation &call);

  Tables &tables_;
  Function &function_;
  llvm::DenseMap<mlir::Value, uint32_t> values_;
  llvm::DenseMap<mlir::Block *, uint32_t> blocks_;             // the instruction where each block begins
  std::vector<std::pair<uint32_t, mlir::Block *>> unresolved_; // jumps to blocks
  std::vector<mlir::Operation *> callees_;                     // functions whose calls are being decoded
};

} // namespace lanescope::core::sparsecore
