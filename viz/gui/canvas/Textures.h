// Pixel images on the graphics card. They are sent once and drawn by Dear ImGui until they change.
//
//   ImTextureID texture = textures.of(image);       // sends the pixels where `image.version()` is new
//   list.AddImage(texture, at, to);
//
// The window keeps them in OpenGL. A frame without a backend only numbers them.
#pragma once

#include "viz/gui/canvas/PixelImage.h"

#include <imgui.h>

namespace lanescope::viz {

class Textures {
public:
  virtual ~Textures() = default;
  /// The image's texture, valid in this frame. A texture that is not requested for a few frames is freed.
  virtual ImTextureID of(const PixelImage &image) = 0;
};

} // namespace lanescope::viz
