// Pixel images on the graphics card. An image is sent when it changes, and Dear ImGui draws it until then.
//
//   ImTextureID texture = textures.of(image);       // sends the pixels where `image.version()` is new
//   list.AddImage(texture, at, to);
//
// The window has them in OpenGL. Without a backend, a frame only gives them numbers.
#pragma once

#include "viz/gui/canvas/PixelImage.h"

#include <imgui.h>

namespace lanescope::viz {

class Textures {
public:
  virtual ~Textures() = default;
  /// The texture of the image, valid in this frame. A texture that is not requested for a few frames is freed.
  virtual ImTextureID of(const PixelImage &image) = 0;
};

} // namespace lanescope::viz
