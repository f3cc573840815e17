#include "viz/export/LinePacking.h"

#include <nlohmann/json.hpp>

#include <charconv>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace lanescope::viz {

namespace {

constexpr size_t kMostDigits = 15; // the script's numbers are exact up to this many digits

/// A group of lines that differ only in their numbers.
struct Kind {
  std::vector<std::string> pieces;           // the texts between the numbers: one more than there are numbers
  std::vector<std::vector<int64_t>> columns; // differences from the previous line of this kind
  std::vector<int64_t> last;
};

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Splits a line at its numbers. A number with a leading zero or with too many digits is kept as text, because the
/// script must restore it exactly.
void split(std::string_view line, std::vector<std::string_view> &pieces, std::vector<int64_t> &numbers) {
  pieces.clear(), numbers.clear();
  size_t begin = 0;
  for (size_t at = 0; at < line.size();) {
    if (!isDigit(line[at])) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < line.size() && isDigit(line[end]))
      ++end;
    if (end - at <= kMostDigits && (line[at] != '0' || end - at == 1)) {
      pieces.push_back(line.substr(begin, at - begin));
      std::from_chars(line.data() + at, line.data() + end, numbers.emplace_back());
      begin = end;
    }
    at = end;
  }
  pieces.push_back(line.substr(begin));
}

void appendNumbers(std::string &out, const std::vector<int64_t> &numbers) {
  char room[24];
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0)
      out += ',';
    out.append(room, std::to_chars(room, room + sizeof room, numbers[i]).ptr);
  }
  out += '\n';
}

} // namespace

std::string packedLines(std::string_view text) {
  std::unordered_map<std::string, size_t> known; // the key is the pieces, each followed by a line break
  std::vector<Kind> kinds;
  std::vector<int64_t> order, numbers;
  std::vector<std::string_view> pieces;
  std::string key;
  for (size_t at = 0; at <= text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    split(text.substr(at, end - at), pieces, numbers);
    key.clear();
    for (std::string_view piece : pieces)
      key.append(piece) += '\n';
    auto [found, isNew] = known.try_emplace(key, kinds.size());
    if (isNew)
      kinds.push_back({{pieces.begin(), pieces.end()},
                       std::vector<std::vector<int64_t>>(numbers.size()),
                       std::vector<int64_t>(numbers.size())});
    Kind &kind = kinds[found->second];
    for (size_t i = 0; i < numbers.size(); ++i) {
      kind.columns[i].push_back(numbers[i] - kind.last[i]);
      kind.last[i] = numbers[i];
    }
    order.push_back(static_cast<int64_t>(found->second));
    at = end + 1;
  }
  nlohmann::json all = nlohmann::json::array();
  for (Kind &kind : kinds)
    all.push_back(std::move(kind.pieces));
  std::string out = all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  appendNumbers(out, order);
  for (const Kind &kind : kinds)
    for (const std::vector<int64_t> &column : kind.columns)
      appendNumbers(out, column);
  return out;
}

} // namespace lanescope::viz
