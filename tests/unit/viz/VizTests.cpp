#include "Golden.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace lanescope::viz::test {

bool updateGolden = false;

std::string compareGolden(std::string_view name, std::string_view actual) {
  std::string path = std::string(LANESCOPE_SOURCE_DIR) + "/tests/golden/viz/" + std::string(name);
  if (updateGolden) {
    std::ofstream(path, std::ios::binary) << actual;
    return "";
  }
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return "there is no " + path + "; run unit_viz --update and look at the picture";
  std::stringstream expected;
  expected << file.rdbuf();
  std::string want = expected.str();
  if (want == actual)
    return "";
  size_t at = 0;
  while (at < want.size() && at < actual.size() && want[at] == actual[at])
    ++at;
  size_t from = at < 80 ? 0 : at - 80;
  return std::string(name) + " differs at byte " + std::to_string(at) + "; golden: …" + want.substr(from, 160) +
         "…\nnow: …" + std::string(actual.substr(std::min(from, actual.size()), 160)) +
         "…\nif the change is meant: unit_viz --update";
}

} // namespace lanescope::viz::test

/// The leak checker of sanitized builds reads this: fontconfig, which Cairo uses, keeps its caches until the process
/// ends.
extern "C" const char *__lsan_default_suppressions();
extern "C" const char *__lsan_default_suppressions() { return "leak:libfontconfig"; }

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i)
    lanescope::viz::test::updateGolden |= std::string_view(argv[i]) == "--update";
  return RUN_ALL_TESTS();
}
