// The meaning of a name inside a kernel. Some names, such as `load` and `max`, are other functions there than on the
// host.
#pragma once

#include "repl/lsp/Document.h"

namespace lanescope::repl::lsp {

/// The signature and the documentation of a callee.
struct CalleeWords {
  std::string label, doc;
};

/// The words for the function `name` of GPU kernels. Nothing if the place is neither in a GPU kernel nor in a function
/// that such a kernel has used, and nothing for names that kernels share with the host.
std::optional<CalleeWords> kernelFunctionAt(const Document &document, uint32_t offset, std::string_view name);

} // namespace lanescope::repl::lsp
