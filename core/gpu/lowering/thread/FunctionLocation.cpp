#include "core/gpu/lowering/thread/FunctionLocation.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include "llvm/BinaryFormat/Dwarf.h"

namespace lanescope::core {

using namespace mlir;

Location functionLocation(Location location, StringAttr functionName) {
  MLIRContext *context = location.getContext();
  auto file = location->findInstanceOf<FileLineColLoc>();
  std::string name = file ? file.getFilename().str() : "kernel";
  unsigned line = file ? file.getLine() : 1;
  auto fileAttr = LLVM::DIFileAttr::get(context, name, "");
  auto unit = LLVM::DICompileUnitAttr::get(DistinctAttr::create(UnitAttr::get(context)), llvm::dwarf::DW_LANG_C,
                                           fileAttr, StringAttr::get(context, "lanescope"), /*isOptimized=*/true,
                                           LLVM::DIEmissionKind::DebugDirectivesOnly);
  auto type = LLVM::DISubroutineTypeAttr::get(context, {});
  auto program = LLVM::DISubprogramAttr::get(
      context, DistinctAttr::create(UnitAttr::get(context)), unit, fileAttr, functionName, functionName, fileAttr, line,
      line, LLVM::DISubprogramFlags::Definition | LLVM::DISubprogramFlags::Optimized, type, {}, {});
  return FusedLoc::get(context, {location}, program);
}

} // namespace lanescope::core
