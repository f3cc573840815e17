// The cases of tests/golden/readings, shared by the tests of all paths.
#pragma once

#include "layouts/Reading.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace lanescope {

struct ReadingCase {
  std::string text;
  std::optional<layouts::Shape> shape, reads;
  layouts::Memory memory = layouts::Memory::Registers;
  std::optional<std::string> note;
};

inline std::vector<ReadingCase> readingCases() {
  std::ifstream file(LANESCOPE_SOURCE_DIR "/tests/golden/readings/cases.json");
  nlohmann::json all = nlohmann::json::parse(file, nullptr, false);
  EXPECT_TRUE(all.is_array());
  std::vector<ReadingCase> out;
  auto shape = [](const nlohmann::json &value) {
    return value.is_null() ? std::nullopt : std::optional(value.get<layouts::Shape>());
  };
  for (const nlohmann::json &each : all)
    out.push_back({each["text"], shape(each["shape"]), shape(each["reads"]),
                   *layouts::memoryNamed(each["memory"].get<std::string>()),
                   each["note"].is_null() ? std::nullopt : std::optional(each["note"].get<std::string>())});
  EXPECT_GE(out.size(), 60u);
  return out;
}

} // namespace lanescope
