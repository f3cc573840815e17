// Textures in OpenGL.
#pragma once

#include "viz/gui/canvas/SceneTextures.h"

#include <unordered_map>

namespace lanescope::viz {

class GlTextures : public Textures {
public:
  ImTextureID of(const PixelImage &image) override;
  /// Frees textures that recent frames did not draw.
  void newFrame();
  void clear();

private:
  struct Kept {
    unsigned name = 0;
    uint64_t version = 0;
    int width = 0, height = 0;
    int unused = 0; // number of frames since the last use
  };
  std::unordered_map<uint64_t, Kept> kept_; // indexed by image id
};

} // namespace lanescope::viz
