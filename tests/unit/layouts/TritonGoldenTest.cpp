// Linear layouts of Triton attributes against the values that Triton's own unit tests expect
// (tests/golden/triton_layouts.txt: unittest/Dialect/TritonGPU/LinearLayoutConversionsTest.cpp).
#include "layouts/linear/TritonLayout.h"
#include "layouts/notation/triton/Triton.h"
#include "layouts/support/Text.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace lanescope::layouts {
namespace {

std::vector<std::string> split(const std::string &line, const std::string &separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t end; (end = line.find(separator, begin)) != std::string::npos; begin = end + separator.size())
    parts.push_back(line.substr(begin, end - begin));
  parts.push_back(line.substr(begin));
  return parts;
}

std::string basesText(const LinearLayout &layout) {
  std::string out;
  for (const LinearLayout::Input &input : layout.inputs()) {
    std::string bases;
    for (const LinearLayout::Basis &basis : input.bases)
      bases += text(bases.empty() ? "" : ",", '[', joined(basis, ","), ']');
    out += text(out.empty() ? "" : "; ", input.name, " [", bases, ']');
  }
  return out;
}

TEST(TritonGolden, EqualsTritonsOwnTests) {
  std::ifstream file(LANESCOPE_SOURCE_DIR "/tests/golden/triton_layouts.txt");
  ASSERT_TRUE(file);
  int rows = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#'))
      continue;
    std::vector<std::string> parts = split(line, "|");
    ASSERT_EQ(parts.size(), 4u) << line;
    SCOPED_TRACE(parts[0] + ": " + parts[1] + " of " + parts[2]);
    Shape shape;
    std::istringstream sizes(parts[2]);
    for (int64_t size; sizes >> size;)
      shape.push_back(size);
    Scanner in(Source::make("golden", parts[1]));
    Diagnostics remarks;
    Result<Layout> layout = parseTriton(in, &remarks);
    ASSERT_TRUE(layout) << render(layout.error());
    EXPECT_TRUE(remarks.empty());
    EXPECT_EQ(layoutText(*layout), parts[1]);
    Result<LinearLayout> linear = std::get<Foreign>(*layout).as<TritonLayout>()->linear(shape);
    ASSERT_TRUE(linear) << render(linear.error());
    // Upstream leaves the trivial block out of some expectations.
    std::string found = basesText(*linear), expected = parts[3];
    if (expected.find("block") == std::string::npos && found.ends_with("; block []"))
      found.resize(found.size() - std::string("; block []").size());
    EXPECT_EQ(found, expected);
    EXPECT_EQ(linear->outputShape(), shape);
    ++rows;
  }
  EXPECT_EQ(rows, 226);
}

} // namespace
} // namespace lanescope::layouts
