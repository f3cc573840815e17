// The contents of a KernelModule and its context. For builders, which fill modules, and code generators, which compile
// them; all other code uses KernelModule.h.
//
//   auto impl = std::make_unique<KernelModule::Impl>();
//   impl->context = context.impl().mlir;                         // all dialects of a kernel are loaded
//   impl->module = …;                                             // mlir::OwningOpRef<mlir::ModuleOp>
//   impl->sources = {snippet};                                    // every file that locations name
//   return KernelModule(std::move(impl));
#pragma once

#include "core/ir/KernelModule.h"
#include "core/ir/SyntaxDifferences.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <vector>

namespace lanescope::core {

struct IrContext::Impl {
  std::shared_ptr<mlir::MLIRContext> mlir;
  ModuleDialects dialects = {}; // for reading texts
};

struct KernelModule::Impl {
  std::shared_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module; // declared after its context: destroyed before it
  /// The sources that FileLineColLoc and FileLineColRange locations name, found by Source::name().
  std::vector<SourceRef> sources;
};

} // namespace lanescope::core
