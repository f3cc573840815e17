// Names of CuTe, CUTLASS, Triton, CUDA, Mosaic GPU and NumPy that users may write, and their replacements here.
#pragma once

#include <string>
#include <string_view>

namespace lanescope::repl {

/// For a name in a module: "copies are `plgpu.copy_gmem_to_smem(…)`"; empty for unknown names.
std::string_view foreignName(std::string_view name);

/// The replacement for `tool.name`, `tl.load` or `os.path`, where `tool` has no value. `builtin`: a builtin has that
/// name. Empty if the tool is unknown.
std::string foreignUse(std::string_view tool, std::string_view name, bool builtin);

/// For a plain name known from Pallas, other tools or a shell: "`float16` is `f16` here". Empty for others.
std::string absentName(std::string_view name);

} // namespace lanescope::repl
