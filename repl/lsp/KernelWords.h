// What a name means inside of a kernel: several of the host's names are other functions there (`load`, `max`).
#pragma once

#include "repl/lsp/Document.h"

namespace lanescope::repl::lsp {

/// How something is called, and what is told about it.
struct CalleeWords {
  std::string label, doc;
};

/// Of a function of GPU kernels of that name, where the place is in such a kernel or in a function that one has used;
/// nothing elsewhere, and for names that kernels share with the host.
std::optional<CalleeWords> kernelFunctionAt(const Document &document, uint32_t offset, std::string_view name);

} // namespace lanescope::repl::lsp
