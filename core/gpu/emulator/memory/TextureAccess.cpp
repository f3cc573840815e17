#include "core/gpu/emulator/memory/TextureAccess.h"

#include "core/gpu/emulator/machine/Block.h"
#include "core/gpu/emulator/machine/Fault.h"
#include "core/gpu/emulator/machine/Grid.h"
#include "layouts/support/Text.h"

namespace lanescope::core::emulator {

std::optional<Texture> textureAt(Warp &warp, const Instr &i, uint32_t lane, uint64_t handle, bool surface) {
  const Grid &grid = *warp.block->grid;
  uint64_t offset = 0;
  const Region *region = regionOf(grid, handle, offset);
  std::optional<Texture> found;
  if (region && offset == 0 && region->bytes >= kTextureBytes)
    found = decodeTexture(region->data);
  if (found && found->surface == surface)
    return found;
  std::string what = !region              ? text(handle, " names none")
                     : found              ? text("this is ", region->name)
                     : region->bytes == 0 ? text("this is ", region->name)
                                          : text("this is byte ", offset, " of ", region->name);
  fault(warp, i, "texture-object",
        Message("`{}` needs a {} object, and {}", grid.opcodeOf(i), surface ? "surface" : "texture", what), lane);
  return std::nullopt;
}

} // namespace lanescope::core::emulator
