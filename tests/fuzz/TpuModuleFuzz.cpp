// SparseCore modules as arbitrary bytes: no crash, and errors have a place. An accepted module can be listed, and its
// printed text reads back as itself.
#include "core/ir/KernelModule.h"
#include "core/tpu/ir/TpuContext.h"
#include "core/tpu/ir/TpuModule.h"

#include <cstdlib>

using namespace lanescope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > 1 << 16)
    return 0;
  SourceRef source = Source::make("fuzz.mlir", std::string(reinterpret_cast<const char *>(data), size));
  Result<core::TpuModule> module = core::readTpuModule(source);
  if (!module) {
    if (!hasErrors(module.error()))
      std::abort();
    (void)render(module.error());
    return 0;
  }
  (void)core::tpuHeading(*module);
  (void)core::tpuListing(*module);
  for (size_t op = 1; op <= module->ops.size(); ++op)
    (void)core::tpuOpText(*module, op);
  core::IrContext context = core::makeTpuContext();
  auto first = core::parseModule(context, source);
  std::string text = core::moduleText(*first);
  auto again = core::parseModule(context, Source::make("again.mlir", text));
  if (!again || core::moduleText(*again) != text)
    std::abort();
  return 0;
}
