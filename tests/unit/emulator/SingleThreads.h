// Kernels whose blocks have one thread each, for the tests of replays.
#pragma once

#include "layouts/support/Text.h"
#include "tests/unit/emulator/EmulatorSupport.h"

namespace lanescope::core::test {

/// Blocks of one thread, with one pointer parameter.
inline Kernel blocksOf(const std::string &body, uint32_t blocks = 4) {
  Kernel kernel;
  kernel.params = 1;
  kernel.blocks = blocks;
  kernel.threads = 1;
  kernel.body = body;
  return kernel;
}

/// "KIND: the opcode of the finding" of the first finding of at least that severity, on four words; "" if there is
/// none.
inline std::string firstFinding(const std::string &body, uint32_t blocks = 4, Severity least = Severity::Note) {
  auto result = run(blocksOf(body, blocks), {u32Array(std::vector<uint32_t>(4))});
  if (!result)
    return errorText(result.error());
  for (const Diagnostic &finding : result->diagnostics)
    if (least != Severity::Error || finding.severity == Severity::Error)
      return text(finding.kind, ": ", finding.message.substr(0, finding.message.find(' ')));
  return "";
}

} // namespace lanescope::core::test
