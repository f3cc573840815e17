// Names of CuTe, CUTLASS, Triton, CUDA, Mosaic GPU and NumPy that users may write, and their replacements here.
#pragma once

#include <string>
#include <string_view>

namespace lanescope::repl {

/// The replacement for a name in a module: "copies are `plgpu.copy_gmem_to_smem(…)`"; empty for unknown names.
std::string_view foreignName(std::string_view name);

/// The replacement for `tool.name`, such as `tl.load` or `os.path`, if `tool` has no value. `builtin`: there is a
/// builtin called `name`. Empty if the tool is unknown.
std::string foreignUse(std::string_view tool, std::string_view name, bool builtin);

/// The replacement for a plain name that Pallas, another tool or a shell has: "`float16` is `f16` here". Empty for
/// other names.
std::string absentName(std::string_view name);

} // namespace lanescope::repl
