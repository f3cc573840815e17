// Names of CuTe, CUTLASS, Triton, CUDA, Mosaic GPU and NumPy that users bring along, and what serves here in their
// place.
#pragma once

#include <string>
#include <string_view>

namespace lanescope::repl {

/// Of a name of a module: "copies are `plgpu.copy_gmem_to_smem(…)`"; empty for names that are nobody's.
std::string_view foreignName(std::string_view name);

/// Says what serves here instead of `tool.name`, `tl.load` or `os.path`, where `tool` has no value.
/// `builtin`: a builtin has that name. Empty: the tool is nobody's.
std::string foreignUse(std::string_view tool, std::string_view name, bool builtin);

/// Of a name alone that users of Pallas, of other tools or of a shell know: "`float16` is `f16` here". Empty for
/// others.
std::string absentName(std::string_view name);

} // namespace lanescope::repl
