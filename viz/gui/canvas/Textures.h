// Pixel images on the graphics card: sent once, drawn by Dear ImGui until they change.
//
//   ImTextureID texture = textures.of(image);       // sends the pixels where `image.version()` is new
//   list.AddImage(texture, at, to);
//
// The window keeps them in OpenGL; frames without a backend number them.
#pragma once

#include "viz/gui/canvas/PixelImage.h"

#include <imgui.h>

namespace lanescope::viz {

class Textures {
public:
  virtual ~Textures() = default;
  /// Valid in this frame. Textures that a few frames in a row did not ask for are freed.
  virtual ImTextureID of(const PixelImage &image) = 0;
};

} // namespace lanescope::viz
