#include "core/LinkTable.h"

#include <algorithm>
#include <map>

namespace lanescope::core {

LinkTable::Lists LinkTable::inverted(const Lists &lists, size_t count) {
  Lists out;
  out.begins.assign(count + 1, 0);
  out.items.resize(lists.items.size());
  for (uint32_t item : lists.items)
    ++out.begins[item + 1];
  for (size_t i = 0; i < count; ++i)
    out.begins[i + 1] += out.begins[i];
  std::vector<uint32_t> at(out.begins.begin(), out.begins.end() - 1);
  for (size_t index = 0; index < lists.size(); ++index)
    for (uint32_t item : lists.of(index))
      out.items[at[item]++] = static_cast<uint32_t>(index + 1);
  return out;
}

LinkTable::LinkTable(const std::vector<const Stage *> &stages) {
  std::map<std::pair<const Source *, uint32_t>, uint32_t> numbers;
  for (const Stage *stage : stages) {
    Text &text = texts_.emplace_back();
    text.id = stage->kind.id, text.madeFrom = stage->madeFrom;
    for (const LineOrigin &origin : stage->origins) {
      size_t begin = text.keys.items.size();
      for (const Span &place : origin.places) {
        uint32_t line = place.source->lineColumn(place.begin).line;
        auto number = static_cast<uint32_t>(numbers.size());
        number = numbers.try_emplace({place.source.get(), line}, number).first->second;
        if (std::find(text.keys.items.begin() + static_cast<ptrdiff_t>(begin), text.keys.items.end(), number) ==
            text.keys.items.end())
          text.keys.items.push_back(number);
      }
      text.keys.begins.push_back(static_cast<uint32_t>(text.keys.items.size()));
      text.before.push_back(origin.before);
    }
  }
  for (Text &text : texts_) {
    text.lines = inverted(text.keys, numbers.size());
    if (text.madeFrom.empty())
      continue;
    Lists before;
    for (uint32_t line : text.before) {
      if (line > 0)
        before.items.push_back(line - 1);
      before.begins.push_back(static_cast<uint32_t>(before.items.size()));
    }
    uint32_t last = text.before.empty() ? 0 : std::ranges::max(text.before);
    text.after = inverted(before, last);
  }
}

std::vector<uint32_t> LinkTable::linked(size_t from, uint32_t line, size_t to) const {
  if (from >= texts_.size() || to >= texts_.size() || line == 0)
    return {};
  const Text &source = texts_[from], &target = texts_[to];
  if (from != to && !target.madeFrom.empty() && target.madeFrom == source.id) {
    std::span<const uint32_t> found = target.after.of(line - 1);
    return {found.begin(), found.end()};
  }
  if (from != to && !source.madeFrom.empty() && source.madeFrom == target.id) {
    uint32_t before = line <= source.before.size() ? source.before[line - 1] : 0;
    return before ? std::vector<uint32_t>{before} : std::vector<uint32_t>{};
  }
  std::vector<uint32_t> out;
  std::span<const uint32_t> keys = source.keys.of(line - 1);
  for (uint32_t key : keys) {
    std::span<const uint32_t> found = target.lines.of(key);
    out.insert(out.end(), found.begin(), found.end());
  }
  if (from == to)
    out.push_back(line);
  if (keys.size() > 1 || from == to) {
    std::ranges::sort(out);
    out.erase(std::ranges::unique(out).begin(), out.end());
  }
  return out;
}

} // namespace lanescope::core
