#include "layouts/cost/RelayoutPlan.h"

#include <algorithm>
#include <array>
#include <bit>

namespace lanescope::layouts {

namespace {

constexpr int kWordBits = 32;

/// The shuffles of a plan. In each shuffle, a lane offers one word and reads the word of one lane. A demand for a word
/// goes to the first shuffle that can serve it.
class Rounds {
public:
  explicit Rounds(int words) : words_(words), lastRound_(static_cast<size_t>(kLanesPerWarp) * words, -1) {}

  /// Returns the shuffle in which lane `to` reads `word` of lane `from`.
  int demand(int to, int from, int word) {
    int &last = lastRound_[static_cast<size_t>(from) * words_ + word];
    if (last >= 0) {
      if (reads_[static_cast<size_t>(last) * kLanesPerWarp + to] == from)
        return last;
      if (isFree(freeReaders_[to], last)) {
        take(to, from, last);
        return last;
      }
    }
    int round = firstFree(to, from);
    if (round == rounds_)
      open();
    take(to, from, round);
    clear(freeSenders_[from], round);
    sends_[static_cast<size_t>(round) * kLanesPerWarp + from] = word;
    last = round;
    return round;
  }

  int count() const { return rounds_; }

  /// The number of selects that choose, lane by lane, which word to offer.
  int64_t selects() const {
    int64_t out = 0;
    std::vector<int> seen(words_, -1);
    for (int round = 0; round < rounds_; ++round) {
      int different = 0;
      for (int lane = 0; lane < kLanesPerWarp; ++lane) {
        int word = sends_[static_cast<size_t>(round) * kLanesPerWarp + lane];
        if (word >= 0 && seen[word] != round) {
          seen[word] = round;
          ++different;
        }
      }
      out += std::max(different - 1, 0);
    }
    return out;
  }

private:
  using Bits = std::vector<uint64_t>;

  static bool isFree(const Bits &bits, int round) { return bits[round / 64] >> (round % 64) & 1; }
  static void clear(Bits &bits, int round) { bits[round / 64] &= ~(uint64_t(1) << (round % 64)); }

  void take(int to, int from, int round) {
    clear(freeReaders_[to], round);
    reads_[static_cast<size_t>(round) * kLanesPerWarp + to] = static_cast<int8_t>(from);
  }

  int firstFree(int to, int from) {
    const Bits &readers = freeReaders_[to], &senders = freeSenders_[from];
    auto skip = [](const Bits &bits, size_t &full) {
      while (full < bits.size() && bits[full] == 0)
        ++full;
      return full;
    };
    for (size_t i = std::max(skip(readers, fullReaders_[to]), skip(senders, fullSenders_[from])); i < readers.size();
         ++i)
      if (uint64_t both = readers[i] & senders[i])
        return static_cast<int>(i * 64) + std::countr_zero(both);
    return rounds_;
  }

  void open() {
    for (int lane = 0; lane < kLanesPerWarp; ++lane)
      for (auto *bits : {&freeReaders_[lane], &freeSenders_[lane]}) {
        if (rounds_ % 64 == 0)
          bits->push_back(0);
        bits->back() |= uint64_t(1) << (rounds_ % 64);
      }
    reads_.resize(reads_.size() + kLanesPerWarp, -1);
    sends_.resize(sends_.size() + kLanesPerWarp, -1);
    ++rounds_;
  }

  int words_, rounds_ = 0;
  std::array<Bits, kLanesPerWarp> freeReaders_, freeSenders_;
  std::array<size_t, kLanesPerWarp> fullReaders_ = {}, fullSenders_ = {};
  std::vector<int8_t> reads_;  // [round][lane]: the lane read, -1: none
  std::vector<int> sends_;     // [round][lane]: the word offered
  std::vector<int> lastRound_; // [lane][word]: latest round that offers it
};

/// A lower bound on the number of shuffles. A shuffle brings each lane one word and takes one word from each lane, so
/// both the values that a lane lacks and the values that only one lane can send give a bound.
int64_t leastShuffles(const ElementMap &from, const ElementMap &to, const WordMap &words, int warp,
                      std::span<const Source> sources) {
  int bits = words.partBits() * words.partsPerValue();
  std::array<int64_t, kLanesPerWarp> received = {}, sent = {};
  // Each element counts once for each lane that lacks it, and, if it has only one owner, once for the owner.
  std::vector<int8_t> lastReader(static_cast<size_t>(kLanesPerWarp) * from.values(), -1);
  int first = warp * kLanesPerWarp, lanes = std::min(kLanesPerWarp, to.threads() - first);
  for (int lane = 0; lane < lanes; ++lane)
    for (int32_t value = 0; value < to.values(); ++value) {
      Source source = sources[static_cast<size_t>(lane) * to.values() + value];
      int sourceLane = source.thread - first;
      if (source.thread < 0 || sourceLane == lane)
        continue;
      int8_t &reader = lastReader[static_cast<size_t>(sourceLane) * from.values() + source.value];
      if (reader == lane)
        continue;
      received[lane] += bits;
      if (reader < 0 && from.replication() == 1)
        sent[sourceLane] += bits;
      reader = static_cast<int8_t>(lane);
    }
  int64_t most = 0;
  for (int lane = 0; lane < kLanesPerWarp; ++lane)
    most = std::max({most, received[lane], sent[lane]});
  return (most + kWordBits - 1) / kWordBits;
}

} // namespace

WordMap::WordMap(const ElementMap &map, int bitwidth)
    : partBits_(std::min(bitwidth, kWordBits)), partsPerValue_(std::max(bitwidth / kWordBits, 1)) {
  // Layouts of other languages number values, not registers. They count as arrays of values without gaps.
  bool dense = std::holds_alternative<Foreign>(map.layout()) && map.vector() == 1;
  int vector = dense ? std::max(map.values(), 1) : map.vector();
  int64_t registerBits = int64_t(vector) * bitwidth;
  int wordsPerRegister = static_cast<int>((registerBits + kWordBits - 1) / kWordBits);
  words_ = map.values() / vector * wordsPerRegister;
  firstValue_.assign(static_cast<size_t>(words_), -1);
  valueCount_.assign(static_cast<size_t>(words_), 0);
  for (int32_t value = 0; value < map.values(); ++value) {
    int64_t bit = int64_t(value % vector) * bitwidth;
    bit_.push_back(static_cast<uint8_t>(bit % kWordBits));
    for (int part = 0; part < partsPerValue_; ++part) {
      int word = value / vector * wordsPerRegister + static_cast<int>(bit / kWordBits) + part;
      word_.push_back(word);
      if (firstValue_[static_cast<size_t>(word)] < 0)
        firstValue_[static_cast<size_t>(word)] = value;
      ++valueCount_[static_cast<size_t>(word)];
    }
  }
}

WarpPlan planWarp(const ElementMap &from, const ElementMap &to, const WordMap &fromWords, const WordMap &toWords,
                  int warp, std::span<const Source> sources) {
  WarpPlan plan;
  Rounds rounds(fromWords.words());
  std::vector<int> seenWord(static_cast<size_t>(fromWords.words()), -1), seenRound;
  int first = warp * kLanesPerWarp, lanes = std::min(kLanesPerWarp, to.threads() - first);
  for (int word = 0; word < toWords.words(); ++word) {
    int inputs = 0;
    bool permuted = false, moved = false;
    int part = toWords.part(word);
    int32_t begin = toWords.firstValue(word), end = begin + toWords.valueCount(word);
    for (int lane = 0; lane < lanes; ++lane) {
      int only = -1; // the lane's only input; words are numbered first, then shuffles
      for (int32_t value = begin; value < end; ++value) {
        auto [thread, sourceValue] = sources[static_cast<size_t>(lane) * to.values() + value];
        if (thread < 0)
          continue;
        int sourceLane = thread - first;
        int sourceWord = fromWords.word(sourceValue, part), input = sourceWord;
        if (sourceLane == lane) {
          if (seenWord[sourceWord] != word) {
            seenWord[sourceWord] = word;
            ++inputs;
          }
          moved = moved || sourceWord != word;
        } else {
          int round = rounds.demand(lane, sourceLane, sourceWord);
          if (static_cast<size_t>(round) >= seenRound.size())
            seenRound.resize(static_cast<size_t>(round) + 1, -1);
          if (seenRound[static_cast<size_t>(round)] != word) {
            seenRound[static_cast<size_t>(round)] = word;
            ++inputs;
          }
          moved = true;
          input = fromWords.words() + round;
        }
        permuted = permuted || fromWords.bit(sourceValue) != toWords.bit(value) || (only >= 0 && only != input);
        only = input;
      }
    }
    plan.counts.registersMoved += moved || permuted;
    int64_t joins = std::max(inputs - 1, permuted ? 1 : 0);
    (permuted ? plan.counts.prmt : plan.counts.selects) += joins;
  }
  plan.counts.shuffles = rounds.count();
  plan.counts.selects += rounds.selects();
  if (rounds.count() > 0)
    plan.shufflesAtLeast = leastShuffles(from, to, fromWords, warp, sources);
  return plan;
}

} // namespace lanescope::layouts
