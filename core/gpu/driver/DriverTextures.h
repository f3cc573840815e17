// Arrays of texels, and the descriptions of textures and surfaces that the emulator reads (emulator/machine/Texture.h).
#pragma once

#include "core/gpu/driver/State.h"

namespace lanescope::core::driver {

Status createArray(State &state, const ArrayDescriptor3D &shape, TexelArray *&out);
Status destroyArray(State &state, TexelArray *array);

/// Makes a texture object, or a surface object if `texture` is null. The handle is the address of its description.
Status createTexture(State &state, const ResourceDescriptor &resource, const TextureDescriptor *texture,
                     DevicePointer &handle);
Status destroyTexture(State &state, DevicePointer handle, bool surface);

} // namespace lanescope::core::driver
