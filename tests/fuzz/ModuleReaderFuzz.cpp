// The module reader on any bytes: no crash, and errors have a place. An accepted module can be printed and read again.
#include "core/gpu/ir/Context.h"
#include "core/ir/KernelModule.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace lanescope;
  core::IrContext context = core::makeGpuContext();
  auto module =
      core::parseModule(context, Source::make("fuzz.mlir", std::string(reinterpret_cast<const char *>(data), size)));
  if (!module) {
    if (!hasErrors(module.error()) || !module.error().front().span.source)
      std::abort();
    return 0;
  }
  if (!core::parseModule(context, Source::make("again.mlir", core::moduleText(*module))))
    std::abort();
  return 0;
}
