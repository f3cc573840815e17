#include "Cases.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace lanescope::repl {

static std::string fileName(std::string name) {
  for (char &c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)))
      c = '_';
  return name + ".py";
}

void runCases(const std::string &group, const std::vector<Case> &cases, size_t sample) {
  ASSERT_FALSE(cases.empty());
  bool full = std::getenv("LANESCOPE_FULL") != nullptr;
  const char *directory = std::getenv("LANESCOPE_CASES");
  size_t count = full || directory ? cases.size() : std::min(sample, cases.size());
  for (size_t i = 0; i < count; ++i) {
    // The sample is evenly spread and includes the first and the last case.
    const Case &each = cases[count == 1 ? 0 : i * (cases.size() - 1) / (count - 1)];
    if (directory) {
      std::filesystem::create_directories(directory);
      std::ofstream file(std::filesystem::path(directory) / fileName(group + "_" + each.name));
      file << "# " << group << ": " << each.name << "\n" << each.text;
    }
    Snippet done(each.text);
    EXPECT_TRUE(done.ok) << group << ", case " << each.name << ": " << done.errors;
    if (!done.ok && ::testing::Test::HasFatalFailure())
      return;
  }
}

} // namespace lanescope::repl
