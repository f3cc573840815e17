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

TEST(Check, FindingsStayBesideTheFailureOfASnippet) {
  const TemporaryFolder own;
  const std::string kernel = R"(@kernel(num_threads=1, scratch=[SMEM((64, 64), f32)])
def ones(out: Out((64, 64), f32), tile):
  tile[...] = full((64, 64), 1, f32)
  commit_smem()
  copy_smem_to_gmem(tile, out)
)";
  auto checkedWith = [&](const std::string &end) {
    std::ofstream(own.path() / "ones.py") << kernel << end;
    return check(own.path() / "ones.py", {});
  };
  auto right = checkedWith("assert all(ones() == 1)\n");
  ASSERT_TRUE(right.has_value());
  ASSERT_EQ(right->findings.size(), 1u);
  EXPECT_EQ(right->findings.front().kind, "unfinished-copy");
  EXPECT_TRUE(right->problems.empty());

  auto wrong = checkedWith("assert all(ones() == 2)\n");
  ASSERT_TRUE(wrong.has_value());
  ASSERT_EQ(wrong->findings.size(), 1u);
  EXPECT_EQ(wrong->findings.front().kind, "unfinished-copy");
  ASSERT_EQ(wrong->problems.size(), 1u);
  EXPECT_EQ(wrong->problems.front().kind, "assertion");

  EXPECT_FALSE(checkedWith("assert 1 == 2\n").has_value());
}

} // namespace
} // namespace lanescope::repl
