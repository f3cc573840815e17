#include "core/gpu/dumps/PtxSummary.h"

#include "core/gpu/codegen/Assembler.h"

#include "layouts/support/Text.h"
#include "layouts/support/Words.h"

#include <algorithm>
#include <array>

namespace lanescope::core::dumps {

namespace {

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> out;
  while (!(text = trimmed(text)).empty()) {
    size_t end = std::min(text.find_first_of(" \t,;"), text.size());
    if (end > 0)
      out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

/// The counted families, by the beginning of the instruction's name.
constexpr std::array<std::string_view, 22> kFamilies{
    "wgmma.mma_async",   "tcgen05.mma", "tcgen05.ld",    "tcgen05.st",
    "tcgen05.cp",        "mma.sync",    "ldmatrix",      "stmatrix",
    "ld.shared",         "st.shared",   "ld.global",     "st.global",
    "ld.local",          "st.local",    "cp.async.bulk", "cp.async",
    "cp.reduce.async",   "shfl.sync",   "prmt",          "bar.sync",
    "mbarrier.try_wait", "atom",
};

/// The instruction in a line, without labels, predicates and braces; empty if there is none.
std::string_view instructionOf(std::string_view line) {
  line = trimmed(line);
  if (size_t comment = line.find("//"); comment != std::string_view::npos)
    line = trimmed(line.substr(0, comment));
  while (!line.empty() && (line.front() == '{' || line.front() == '}'))
    line = trimmed(line.substr(1));
  if (line.starts_with("@"))
    line = trimmed(line.substr(std::min(line.find_first_of(" \t"), line.size())));
  if (line.empty() || line.front() == '.' || line.front() == '$' || line.find(';') == std::string_view::npos ||
      line.front() < 'a' || line.front() > 'z')
    return "";
  return line.substr(0, std::min(line.find_first_of(" \t;"), line.size()));
}

} // namespace

PtxSummary summaryOf(const SourceRef &source) {
  PtxSummary out{.source = source};
  std::map<std::string, std::string, std::less<>> files; // `.file` directives are at the end, after the code
  std::map<std::pair<std::string, std::string>, size_t> numbers;
  std::vector<std::pair<std::string, std::string>> keys;
  std::optional<size_t> current;
  auto placeAt = [&](std::pair<std::string, std::string> key) {
    auto [found, fresh] = numbers.try_emplace(key, out.places.size());
    if (fresh)
      out.places.emplace_back(), keys.push_back(std::move(key));
    return found->second;
  };
  std::string_view rest = source->text();
  for (uint32_t number = 1; !rest.empty(); ++number) {
    size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.starts_with(".loc")) {
      if (auto parts = words(line); parts.size() >= 3)
        current = placeAt({std::string(parts[1]), std::string(parts[2])});
    } else if (line.starts_with(".file")) {
      auto parts = words(line);
      size_t open = line.find('"'), close = line.rfind('"');
      if (parts.size() >= 3 && open != std::string_view::npos && close > open)
        files[std::string(parts[1])] = std::string(line.substr(open + 1, close - open - 1));
    } else if (line.starts_with(".target")) {
      if (auto parts = words(line); parts.size() >= 2)
        out.target = std::string(parts[1]);
    } else if (std::string_view instruction = instructionOf(line); !instruction.empty()) {
      ++out.total;
      if (auto family = std::ranges::find_if(kFamilies, [&](auto one) { return instruction.starts_with(one); });
          family != kFamilies.end())
        ++out.instructions[std::string(*family)];
      out.places[current ? *current : placeAt({})].lines.push_back(number);
    }
  }
  for (size_t i = 0; i < out.places.size(); ++i) {
    if (keys[i].second.empty())
      continue;
    auto file = files.find(keys[i].first);
    std::string name = file == files.end() ? text("file ", keys[i].first) : file->second;
    out.places[i].place = text(name.substr(name.rfind('/') + 1), ":", keys[i].second);
    out.hasPlaces = true;
  }
  std::erase_if(out.places, [](const PtxPlace &place) { return place.lines.empty(); });
  return out;
}

std::string ptxasWords(std::string_view report) {
  auto said = parseAssemblyReport(report);
  if (!said)
    return {};
  return text(said->registers, " registers, ", said->spillStoreBytes, " bytes spilled, ", said->spillLoadBytes,
              " bytes read back");
}

} // namespace lanescope::core::dumps
