// The meaning of a name inside a kernel, where several of the host's names are other functions (`load`, `max`).
#pragma once

#include "repl/lsp/Document.h"

namespace lanescope::repl::lsp {

/// A callee's signature and its documentation.
struct CalleeWords {
  std::string label, doc;
};

/// The words for the function `name` of GPU kernels, if the place is in a GPU kernel or in a function that such a
/// kernel has used. Nothing elsewhere, and nothing for names that kernels share with the host.
std::optional<CalleeWords> kernelFunctionAt(const Document &document, uint32_t offset, std::string_view name);

} // namespace lanescope::repl::lsp
