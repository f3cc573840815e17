// Keys that are pressed and let go between two frames. Dear ImGui 1.86 looks at what is held when a frame begins, so
// these would be lost: they are held for the next frame.
//
//   keys.pressed(key, modifiers);  keys.released(key);     // both before the frame
//   for (FastKey key : keys.take()) ...                    // held during this frame alone
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace lanescope::viz {

struct FastKey {
  int key = 0, modifiers = 0; // as GLFW numbers them
  bool operator==(const FastKey &) const = default;
};

class FastKeys {
public:
  void pressed(int key, int modifiers) { begun_.push_back({key, modifiers}); }
  void released(int key) {
    auto begun = std::ranges::find(begun_, key, &FastKey::key);
    if (begun == begun_.end())
      return; // held since an earlier frame
    over_.push_back(*begun);
    begun_.erase(begun);
  }
  /// A frame begins: the keys that are over already. What is still held is known to everyone else.
  std::vector<FastKey> take() {
    begun_.clear();
    return std::exchange(over_, {});
  }

private:
  std::vector<FastKey> begun_, over_;
};

} // namespace lanescope::viz
