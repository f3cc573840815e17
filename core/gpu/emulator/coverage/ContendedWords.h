// The words of memory that several warps of a block, or several blocks of a grid, use. At least one of them uses the
// word by an atomic, or by a volatile or relaxed access, and at least one reads it. The value that it reads may depend
// on which warp came first, so lateness at such an access could matter.
//
//   ContendedWords words;
//   words.use(address / 4, pc, warp.id, {.strong = true, .reads = true});   // an atomic by the warp
//   words.forEach([&](uint32_t pc, const std::set<uint32_t> &users) { … });
//
// If all accesses of a word are plain, those that nothing orders are data races, which the checker reports.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lanescope::core::emulator {

class ContendedWords {
public:
  struct How {
    bool strong = false, reads = false;
  };
  /// `user`: the number of a warp or of a block.
  void use(uint64_t word, uint32_t pc, uint32_t user, How how) {
    if (words_.size() >= kMost && !words_.contains(word))
      return;
    Word &one = words_[word];
    one.strong |= how.strong;
    one.read |= how.reads;
    auto known = std::ranges::find(one.uses, pc, &Uses::first);
    if (known == one.uses.end())
      known = one.uses.insert(one.uses.end(), {pc, {}});
    known->second.insert(user);
  }
  /// Calls visit(pc, users) for each access to a contended word. An access may be visited several times.
  template <class Visit> void forEach(Visit visit) const {
    for (const auto &[address, word] : words_) {
      std::set<uint32_t> all;
      for (const auto &[pc, users] : word.uses)
        all.insert(users.begin(), users.end());
      for (const auto &[pc, users] : word.uses)
        if (word.strong && word.read && all.size() > 1)
          visit(pc, users);
    }
  }

private:
  static constexpr size_t kMost = 4096;                 // counters and flags are few; further words are left out
  using Uses = std::pair<uint32_t, std::set<uint32_t>>; // a pc, and the users that came there
  struct Word {
    bool strong = false, read = false;
    std::vector<Uses> uses = {};
  };
  std::unordered_map<uint64_t, Word> words_;
};

} // namespace lanescope::core::emulator
