#include "core/gpu/emulator/machine/LanguageWords.h"

#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core::emulator {

namespace {

bool isJax(const Grid &grid) {
  return grid.snippet || grid.program->function->name.find("mosaic_gpu") != std::string_view::npos;
}

/// True for PTX from nvcc or the CuTe DSL. Both use libNVVM, which names itself in the first lines.
bool isCuda(const Module &module) {
  constexpr size_t kHeader = 1024;
  return std::string_view(module.source->text()).substr(0, kHeader).find("NVVM Compiler") != std::string_view::npos;
}

bool isTriton(const Module &module) {
  return std::ranges::any_of(module.files, [](std::string_view file) { return file.ends_with(".py"); });
}

} // namespace

std::string inItsWords(const Grid &grid, const LanguageWords &words) {
  const Module &module = *grid.program->module;
  std::string_view name = isJax(grid) ? words.jax : isCuda(module) ? words.cute : isTriton(module) ? words.gluon : "";
  if (name.empty())
    return text("`", words.instruction, "`");
  return text("`", words.instruction, "` (",
              isJax(grid)      ? ""
              : isCuda(module) ? "CuTe's "
                               : "Gluon's ",
              "`", name, "`)");
}

} // namespace lanescope::core::emulator
