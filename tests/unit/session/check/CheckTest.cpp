// `lanescope check` as a function: inputs that cannot be checked, by their diagnostic kind. tests/cli/check.py tests
// the findings.
#include "repl/check/Check.h"
#include "tests/unit/TemporaryFolder.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace lanescope::repl {
namespace {

namespace fs = std::filesystem;

TEST(Check, WhatCannotBeCheckedSaysWhy) {
  const TemporaryFolder own;
  const fs::path folder = own.path();
  fs::create_directories(folder / "empty");
  std::ofstream(folder / "k.ptx") << ".version 8.0\n";
  std::ofstream(folder / "k.txt") << "";
  auto kindOf = [](const fs::path &path, const CheckOptions &options = {}) {
    auto checked = check(path, options);
    if (checked)
      return checked->problems.empty() ? std::string("nothing") : checked->problems.front().kind;
    return checked.error().front().kind;
  };
  EXPECT_EQ(kindOf(folder / "k.ptx"), "no-launch");
  EXPECT_EQ(kindOf(folder), "no-launch");
  EXPECT_EQ(kindOf(folder / "empty"), "no-ptx");
  EXPECT_EQ(kindOf(folder / "k.txt"), "file-kind");
  EXPECT_EQ(kindOf(folder / "k.ptx", {.rules = {"race", "raec"}}), "no-rule");
}

} // namespace
} // namespace lanescope::repl
