// A module in MLIR's text form, of our version of MLIR or of another, as IR with places in the text that was given.
//
//   ModuleReader reader(context, source, {.differences = kGpuDifferences, .anyValues = kAnyValues});
//   if (auto read = reader.read(); !read) …                 // errors of kind "ir" with places in `source`
//   for (mlir::Operation &op : reader.block()) reader.spanOf(op);
//   KernelModule module = reader.take();                     // to infer, compile, print
//
// parseModule (KernelModule.h) does the same in one call. What another version spells otherwise is in a table
// (SyntaxDifferences.h). Where the target wants that, an operation that no loaded dialect has is
// kept: in generic form as it stands, in its own form as an operation of that name whose `text` attribute is what was
// written there, with the values that it uses and gives. What needs to understand it stops there, the rest does not.
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

  /// Parses and verifies. Locations of operations become their places in the source, before what the text says in
  /// `loc(…)`.
  Result<void> read(ModuleChecks checks = ModuleChecks::All);

  mlir::Block &block() { return block_; }
  /// The module that is all there is; null where the text has something else.
  mlir::ModuleOp module();
  /// The whole operation, its regions too, and where its name stands.
  Span spanOf(mlir::Operation &op) const;
  Span nameSpanOf(mlir::Operation &op) const;
  /// "kernel.py:12:3", where the text says that the operation comes from there; else empty.
  std::string origin(mlir::Operation &op) const;
  /// The module with its context, which the reader lets go.
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
  mlir::Block block_; // after its context: destroyed before it
  mlir::AsmParserState state_;
};

} // namespace lanescope::core
