// Names of CuTe, CUTLASS, Triton, Mosaic GPU and NumPy that users bring along, and what serves here in their place.
#pragma once

#include <string_view>

namespace lanescope::repl {

/// "use `copy_gmem_to_smem(…)`"; empty for names that are nobody's.
std::string_view foreignName(std::string_view name);

} // namespace lanescope::repl
