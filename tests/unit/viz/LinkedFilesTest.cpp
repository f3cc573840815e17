// The files of a kernel in a link.
#include "viz/host/LinkedFiles.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace lanescope::viz {
namespace {

using nlohmann::json;

Result<std::vector<LinkedFile>> read(const json &files) {
  auto parsed = core::parseJson(Source::make("link", files.dump()));
  return parsed ? linkedFilesOf(*parsed) : Result<std::vector<LinkedFile>>(std::unexpected(parsed.error()));
}

TEST(LinkedFiles, surviveALink) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte)
    all += char(byte);
  std::vector<LinkedFile> files = {
      {"k.ptx", "// µ\n\tret;\r\n"}, {"x.npy", all}, {"a/b.cu", ""}, {"y", "\xff"}, {"z", std::string(1, '\0')}};
  json written = linkedFilesJson(files);
  EXPECT_TRUE(written[0].contains("text"));
  EXPECT_TRUE(written[1].contains("base64"));
  auto again = read(written);
  ASSERT_TRUE(again);
  ASSERT_EQ(again->size(), files.size());
  for (size_t n = 0; n < files.size(); ++n) {
    EXPECT_EQ((*again)[n].name, files[n].name);
    EXPECT_EQ((*again)[n].content, files[n].content);
  }
}

TEST(LinkedFiles, stayInTheirFolder) {
  auto message = [](const json &files) {
    auto read_ = read(files);
    return read_ ? std::string("read") : read_.error().front().message;
  };
  auto named = [](const std::string &name) { return json::array({{{"name", name}, {"text", ""}}}); };
  EXPECT_EQ(message(named("k.ptx")), "read");
  for (std::string name : {"../k.ptx", "/k.ptx", "a/../../k.ptx", "./k.ptx", "", "a/", "a//b", "..", "."})
    EXPECT_NE(message(named(name)).find("outside of its folder"), std::string::npos) << name;
  EXPECT_NE(message(named(std::string("k\0.ptx", 6))), "read");
  for (const char *bad : {"{}", "[]", "[7]", R"([{"name": "k"}])", R"([{"name": "k", "base64": "%"}])"})
    EXPECT_NE(message(json::parse(bad)), "read") << bad;
}

} // namespace
} // namespace lanescope::viz
