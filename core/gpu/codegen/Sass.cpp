#include "core/gpu/codegen/Sass.h"

#include "core/gpu/codegen/Assembler.h"
#include "core/gpu/codegen/StageKinds.h"
#include "core/Links.h"
#include "layouts/support/Text.h"

#include <charconv>

namespace lanescope::core {

Disassembly splitDisassembly(std::string_view printed) {
  constexpr std::string_view kPtxLine = "//## File \".nv_debug_ptx_txt\", line ";
  Disassembly out;
  uint32_t current = 0;
  while (!printed.empty()) {
    size_t size = std::min(printed.find('\n'), printed.size() - 1) + 1;
    std::string_view line = printed.substr(0, size);
    printed.remove_prefix(size);
    if (size_t at = line.find(kPtxLine); at != line.npos) {
      std::from_chars(line.data() + at + kPtxLine.size(), line.data() + line.size(), current);
      continue;
    }
    size_t begin = line.find_first_not_of(" \t");
    bool instruction = begin != line.npos && line.substr(begin).starts_with("/*") && line.find(';') != line.npos;
    out.ptxLines.push_back(instruction ? current : 0);
    out.text += line;
  }
  return out;
}

Result<Stage> disassembled(const KernelStages &stages) {
  const Stage *ptx = stages.find(kPtxStage.id);
  if (!stages.kernel || !ptx)
    return std::unexpected(stages.diagnostics);
  auto cubin = assemble(stages.kernel->ptx, stages.kernel->arch);
  if (!cubin)
    return std::unexpected(std::move(cubin.error()));
  auto printed = disassemble(*cubin);
  if (!printed)
    return std::unexpected(std::move(printed.error()));
  Disassembly code = splitDisassembly(*printed);
  Stage stage{kSassStage, Source::make(text(stages.kernel->name, kSassStage.suffix), std::move(code.text))};
  stage.madeFrom = kPtxStage.id;
  if (ptx->origins.empty())
    return stage;
  for (uint32_t line : code.ptxLines) {
    LineOrigin origin = line ? originOf(*ptx, line) : LineOrigin{};
    if (line && origin.kind == LineOrigin::Kind::Text) // the kernel's prologue, which has the line of its `{`
      origin.kind = LineOrigin::Kind::Compiler;
    origin.before = line;
    stage.origins.push_back(std::move(origin));
  }
  return stage;
}

} // namespace lanescope::core
