// Numbers images instead of sending them to a graphics card.
#pragma once

#include "viz/gui/canvas/SceneTextures.h"

#include <map>

namespace lanescope::viz {

class FakeTextures : public Textures {
public:
  int sent = 0; // new or changed images
  ImTextureID of(const PixelImage &image) override {
    auto [at, fresh] = versions_.try_emplace(image.id(), image.version());
    sent += fresh || at->second != image.version();
    at->second = image.version();
    return reinterpret_cast<ImTextureID>(static_cast<uintptr_t>(image.id()));
  }

private:
  std::map<uint64_t, uint64_t> versions_; // by id
};

} // namespace lanescope::viz
