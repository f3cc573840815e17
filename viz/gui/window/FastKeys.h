// Keys that the user presses and releases between two frames. Dear ImGui 1.86 reads the held keys when a frame begins,
// so it would miss these keys. Therefore they count as held in the next frame.
//
//   keys.pressed(key, modifiers);  keys.released(key);     // both before the frame
//   for (FastKey key : keys.take()) ...                    // held during this frame only
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace lanescope::viz {

struct FastKey {
  int key = 0, modifiers = 0; // GLFW's numbers
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
  /// Called when a frame begins. Returns the keys that were already released. Dear ImGui itself sees the keys that are
  /// still held.
  std::vector<FastKey> take() {
    begun_.clear();
    return std::exchange(over_, {});
  }

private:
  std::vector<FastKey> begun_, over_;
};

} // namespace lanescope::viz
