// Reads a module in MLIR's text form, from our version of MLIR or another, as IR with places in the given text.
//
//   ModuleReader reader(context, source, {.differences = kDifferences, .anyValues = kAnyValues});
//   if (auto read = reader.read(); !read) …                 // errors of kind "ir" with places in `source`
//   for (mlir::Operation &op : reader.block()) reader.spanOf(op);
//   KernelModule module = reader.take();                     // to infer, compile, print
//
// parseModule (KernelModule.h) does the same in one call. A table lists the spellings that differ in other versions
// (SyntaxDifferences.h). If the target requests it, the reader keeps operations that no loaded dialect has. One in
// generic form stays as it is. One in its own form becomes an operation of the same name, with the values that it uses
// and returns, and with its text in the attribute `text`. Only code that has to understand such an operation reports an
// error.
#pragma once

#include "core/ir/KernelModule.h"
#include "core/ir/ModuleText.h"
#include "core/ir/SyntaxDifferences.h"
#include "core/ir/UnknownOperations.h"

#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/DenseMap.h"

namespace lanescope::core {

class ModuleReader {
public:
  ModuleReader(std::shared_ptr<mlir::MLIRContext> context, SourceRef source, ModuleDialects dialects);

  /// Parses and verifies. Each operation's location begins with its place in the source, followed by the `loc(…)` of
  /// the text.
  Result<void> read(ModuleChecks checks = ModuleChecks::All);

  mlir::Block &block() { return block_; }
  /// The module that makes up the whole text; null if the text has other contents.
  mlir::ModuleOp module();
  /// The place of the whole operation with its regions, and the place of its name.
  Span spanOf(mlir::Operation &op) const;
  Span nameSpanOf(mlir::Operation &op) const;
  /// The operation's origin, "kernel.py:12:3", if the text gives one; else empty.
  std::string origin(mlir::Operation &op) const;
  /// The module with its context; the reader no longer holds them.
  KernelModule take();

private:
  mlir::LogicalResult parse(const std::vector<SourceRef> &sources, Diagnostics &problems);
  mlir::LogicalResult verify(ModuleChecks checks);
  bool isAnyValue(mlir::Operation *op) const;
  void place();
  Span inSource(uint32_t begin, uint32_t end) const;
  std::unexpected<Diagnostics> failure(Diagnostics problems, bool inEdited) const;

  std::shared_ptr<mlir::MLIRContext> context_;
  SourceRef source_, text_; // as given, and as MLIR parses it
  ModuleDialects dialects_;
  EditedText edited_;
  UnknownOperations unknown_;
  mlir::Block block_; // after its context, so that it is destroyed first
  mlir::AsmParserState state_;
};

} // namespace lanescope::core
