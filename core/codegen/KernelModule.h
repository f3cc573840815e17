// What a KernelModule and a Compiler hold. For core/build, which fills modules; everyone else uses core/Compiler.h.
//
//   mlir::MLIRContext &context = *compiler.impl().context;       // all dialects of a kernel are loaded
//   auto impl = std::make_unique<KernelModule::Impl>();
//   impl->context = compiler.impl().context;
//   impl->module = …;                                             // mlir::OwningOpRef<mlir::ModuleOp>
//   impl->sources = {snippet};                                    // every file that locations name
//   return KernelModule(std::move(impl));
#pragma once

#include "core/Compiler.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <map>

namespace lanescope::core {

class PtxBackend;

struct KernelModule::Impl {
  std::shared_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module; // declared after its context: destroyed before it
  /// The sources that FileLineColLoc and FileLineColRange locations name, found by Source::name().
  std::vector<SourceRef> sources;
};

struct Compiler::Impl {
  ~Impl();
  std::shared_ptr<mlir::MLIRContext> context;
  std::map<std::string, std::unique_ptr<PtxBackend>, std::less<>> backends; // by architecture, once it was asked for
};

/// A context with every dialect that kernels and their lowering use; multithreading is off.
std::shared_ptr<mlir::MLIRContext> makeContext();

} // namespace lanescope::core
