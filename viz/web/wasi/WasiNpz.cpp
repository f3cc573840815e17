// core/data/Npz.h for a module of WebAssembly, which has no libzip.
#include "core/data/Npz.h"

namespace lanescope::core {

Result<std::vector<NamedArray>> parseNpz(std::span<const std::byte>, const std::string &name) {
  return error("npz",
               Message("`{name}` is an archive, which a page does not read; give it the `.npy` files inside", name));
}

} // namespace lanescope::core
