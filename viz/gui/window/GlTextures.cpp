#include "viz/gui/window/GlTextures.h"

#include "viz/gui/window/GlFunctions.h"

namespace lanescope::viz {

namespace {
constexpr int kPatience = 30;          // an unused texture is kept for this number of frames
constexpr GLint kClampToEdge = 0x812F; // GL_CLAMP_TO_EDGE, which is missing in OpenGL 1.1's header
} // namespace

ImTextureID GlTextures::of(const PixelImage &image) {
  Kept &kept = kept_[image.id()];
  kept.unused = 0;
  if (!kept.name)
    gl().genTextures(1, &kept.name);
  if (kept.version != image.version()) {
    gl().bindTexture(GL_TEXTURE_2D, kept.name);
    gl().pixelStorei(GL_UNPACK_ALIGNMENT, 4);
    if (kept.width == image.width() && kept.height == image.height()) {
      gl().texSubImage2D(GL_TEXTURE_2D, 0, 0, 0, image.width(), image.height(), GL_RGBA, GL_UNSIGNED_BYTE,
                         image.pixels().data());
    } else {
      gl().texParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
      gl().texParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
      gl().texParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, kClampToEdge);
      gl().texParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, kClampToEdge);
      gl().texImage2D(GL_TEXTURE_2D, 0, GL_RGBA, image.width(), image.height(), 0, GL_RGBA, GL_UNSIGNED_BYTE,
                      image.pixels().data());
    }
    kept.version = image.version(), kept.width = image.width(), kept.height = image.height();
  }
  return reinterpret_cast<ImTextureID>(static_cast<uintptr_t>(kept.name));
}

void GlTextures::newFrame() {
  for (auto at = kept_.begin(); at != kept_.end();) {
    if (++at->second.unused <= kPatience) {
      ++at;
      continue;
    }
    gl().deleteTextures(1, &at->second.name);
    at = kept_.erase(at);
  }
}

void GlTextures::clear() {
  for (auto &[id, kept] : kept_)
    gl().deleteTextures(1, &kept.name);
  kept_.clear();
}

} // namespace lanescope::viz
