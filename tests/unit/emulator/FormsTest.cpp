// Every form of an instruction that public libraries' headers for sm_100 write is decoded, and a kernel that has it
// runs (tests/emulator/sm100_forms.txt says which).
#include "tests/unit/emulator/Support.h"

#include <cctype>
#include <fstream>

namespace lanescope::core::test {
namespace {

/// The operands as registers of their own, after the declarations of all of them.
std::string statement(const std::string &form) {
  size_t blank = std::min(form.find(' '), form.size());
  std::string declared, operands;
  int count = 0;
  auto made = [&](char kind) {
    const char *type = kind == 'r'   ? "b32"
                       : kind == 'l' ? "b64"
                       : kind == 'h' ? "b16"
                       : kind == 'q' ? "b128"
                       : kind == 'f' ? "f32"
                                     : "pred";
    std::string name = "%x" + std::to_string(count++);
    declared += std::string(".reg .") + type + " " + name + ";\n";
    return name;
  };
  for (size_t at = blank; at < form.size(); ++at) {
    if (!std::isalpha(static_cast<unsigned char>(form[at]))) {
      operands += form[at];
    } else if (at + 1 < form.size() && form[at + 1] == '*') { // {r*4}
      int times = std::stoi(form.substr(at + 2));
      for (int n = 0; n < times; ++n)
        operands += (n ? ", " : "") + made(form[at]);
      at = form.find('}', at) - 1;
    } else {
      operands += made(form[at]);
    }
  }
  return declared + "ret;\n" + form.substr(0, blank) + operands + ";\nret;";
}

TEST(Forms, OfPublicHeadersAreDecoded) {
  std::ifstream file(LANESCOPE_SOURCE_DIR "/tests/emulator/sm100_forms.txt");
  int forms = 0;
  for (std::string form; std::getline(file, form);) {
    if (form.empty() || form.starts_with('#'))
      continue;
    ++forms;
    Kernel kernel;
    kernel.target = "sm_100a";
    kernel.params = 0;
    kernel.body = statement(form);
    auto result = run(kernel, {});
    EXPECT_TRUE(result) << form << "\n" << errorText(result.error());
    if (result)
      EXPECT_TRUE(result->diagnostics.empty()) << form << "\n" << errorText(result->diagnostics);
  }
  EXPECT_GT(forms, 800);
}

} // namespace
} // namespace lanescope::core::test
