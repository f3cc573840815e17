// Scenes that several tests draw.
#pragma once

#include "core/data/Files.h"
#include "layouts/Catalogue.h"
#include "viz/scene/LayoutScene.h"
#include "viz/scene/SmemScene.h"
#include "viz/scene/TraceScene.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <cstdlib>

namespace lanescope::viz::test {

using layouts::Dtype;
namespace catalogue = layouts::catalogue;

inline AnyLayout any(const layouts::TiledLayout &layout) { return layouts::RegisterLayout(layout); }

/// The scene, or an empty scene and a failed test.
inline Scene drawn(Result<Scene> scene) {
  EXPECT_TRUE(scene.has_value()) << (scene ? "" : render(scene.error()));
  return scene ? std::move(*scene) : Scene{};
}

inline Scene wgmma(layouts::Shape shape = {64, 8}, LayoutSceneOptions options = {}) {
  return drawn(layoutScene(any(catalogue::wgmma()), shape, Dtype::F32, options));
}

/// Two warpgroups, each with load and compute (with one nested step), a gap, and a store.
inline std::shared_ptr<const core::Trace> smallTrace() {
  core::Trace trace;
  trace.names = {"load", "compute", "step", "store"};
  for (int i = 0; i < 2; ++i) {
    double at = 1000 + 40 * i;
    trace.tracks.push_back(
        {1,
         1 + i,
         "SM 0",
         "block (0, 0, 0) warpgroup " + std::to_string(i),
         {{0, 0, at, at + 300}, {1, 0, at + 300, at + 800}, {2, 1, at + 350, at + 500}, {3, 0, at + 850, at + 1000}}});
  }
  return std::make_shared<const core::Trace>(std::move(trace));
}

/// The text of the form in viz/export/LinePacking.h, as the page's script unpacks it.
inline std::string unpackedLines(const std::string &form) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < form.size(); at = form.find('\n', at) + 1)
    lines.push_back(form.substr(at, form.find('\n', at) - at));
  if (lines.size() < 2)
    return {};
  auto numbers = [](const std::string &line) {
    std::vector<int64_t> out;
    char *end = nullptr;
    for (const char *at = line.c_str(); *at; at = *end == ',' ? end + 1 : end)
      out.push_back(std::strtoll(at, &end, 10));
    return out;
  };
  const auto kinds = nlohmann::json::parse(lines[0]);
  std::vector<std::vector<std::vector<int64_t>>> columns;
  size_t next = 2;
  for (const auto &pieces : kinds)
    for (auto &of = columns.emplace_back(); of.size() + 1 < pieces.size();)
      of.push_back(numbers(lines.at(next++)));
  std::vector<size_t> row(kinds.size());
  std::vector<std::vector<int64_t>> sums(kinds.size());
  std::string out;
  for (int64_t each : numbers(lines[1])) {
    auto kind = static_cast<size_t>(each);
    out += kinds[kind][0].get<std::string>();
    sums[kind].resize(columns[kind].size());
    for (size_t i = 0; i < columns[kind].size(); ++i)
      out += std::to_string(sums[kind][i] += columns[kind][i].at(row[kind])) + kinds[kind][i + 1].get<std::string>();
    ++row[kind];
    out += '\n';
  }
  out.pop_back();
  return out;
}

/// The page in the form of small pages: the compressed part of a large page is replaced by its text.
inline std::string plainPage(std::string html) {
  constexpr std::string_view kBegin = "<script id=\"packed\" type=\"text/plain\">";
  size_t at = html.find(kBegin);
  if (at == std::string::npos)
    return html;
  const size_t from = at + kBegin.size(), end = html.find('<', from);
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (size_t i = from; i < end && html[i] != '='; ++i) {
    const char c = html[i];
    bits = bits << 6 | static_cast<uint32_t>(c >= 'a'   ? c - 'a' + 26
                                             : c >= 'A' ? c - 'A'
                                             : c >= '0' ? c - '0' + 52
                                             : c == '+' ? 62
                                                        : 63);
    if ((count += 6) >= 8)
      bytes += static_cast<char>(bits >> (count -= 8) & 255);
  }
  auto content = core::gunzip(bytes, "page", uint64_t{1} << 30);
  EXPECT_TRUE(content) << (content ? "" : render(content.error()));
  return html.replace(at, html.find('>', end) + 1 - at, unpackedLines(content.value_or("")));
}

/// The data of a plain page's pictures.
inline nlohmann::json dataOf(const std::string &plain) {
  constexpr std::string_view kBegin = "<script type=\"application/json\">";
  const size_t from = std::min(plain.find(kBegin), plain.size() - kBegin.size()) + kBegin.size();
  return nlohmann::json::parse(plain.substr(from, plain.find('<', from) - from), nullptr, false);
}

} // namespace lanescope::viz::test
