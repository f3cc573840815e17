#include "core/gpu/codegen/Fingerprint.h"

#include "core/ir/KernelModuleImpl.h"

#include "mlir/Bytecode/BytecodeWriter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/SHA256.h"

namespace lanescope::core {

std::string fingerprint(const KernelModule &module, const CompileOptions &options) {
  std::string content;
  llvm::raw_string_ostream stream(content);
  stream << options.arch << '\0';
  if (options.markValues)
    stream << "marked" << '\0';
  for (const SourceRef &source : module.impl().sources)
    stream << source->name() << '\0' << source->text() << '\0';
  mlir::ModuleOp op = *module.impl().module;
  if (mlir::failed(mlir::writeBytecodeToFile(op, stream)))
    op.print(stream, mlir::OpPrintingFlags().enableDebugInfo());
  llvm::SHA256 hash;
  hash.update(content);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

} // namespace lanescope::core
