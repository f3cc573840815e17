#include "core/gpu/runtime/Doctor.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace lanescope::core {
namespace {

TEST(Doctor, SaysWhatIsMissingAndHowToGetIt) {
  std::vector<Finding> findings = examineMachine("echo no worker here >&2; exit 9");
  std::vector<std::string> names;
  for (const Finding &finding : findings) {
    names.push_back(finding.name);
    EXPECT_FALSE(finding.detail.empty()) << finding.name;
    EXPECT_TRUE(finding.found || !finding.howToGet.empty()) << finding.name;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"worker", "CUDA driver", "GPU", "ptxas", "nvdisasm", "display"}));
  EXPECT_FALSE(findings[0].found);
  EXPECT_NE(findings[0].detail.find("exit status 9"), std::string::npos) << findings[0].detail;
  EXPECT_FALSE(findings[2].found);
  std::string text = findingsText(findings);
  EXPECT_NE(text.find("no   GPU"), std::string::npos) << text;
  EXPECT_NE(text.find("--device emulator"), std::string::npos) << text;
}

} // namespace
} // namespace lanescope::core
