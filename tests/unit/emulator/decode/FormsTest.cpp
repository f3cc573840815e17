// Every form of an instruction in public libraries' headers for sm_100, and every form of sm_90 in the ISA, decodes,
// and a kernel that contains it runs (tests/emulator/sm100_forms.txt, sm90_forms.txt).
#include "tests/unit/emulator/EmulatorSupport.h"

#include <cctype>
#include <fstream>

namespace lanescope::core::test {
namespace {

/// The form with a register of its own for each operand, after the declarations of all registers.
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
                       : kind == 'd' ? "f64"
                       : kind == 'c' ? "b8"
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

/// Returns the number of forms in the file. Each is decoded, and a kernel that contains it runs.
int decodeAll(const std::string &name, const std::string &target) {
  std::ifstream file(LANESCOPE_SOURCE_DIR "/tests/emulator/" + name);
  int forms = 0;
  for (std::string form; std::getline(file, form);) {
    if (form.empty() || form.starts_with('#'))
      continue;
    ++forms;
    Kernel kernel;
    kernel.target = target;
    kernel.params = 0;
    kernel.body = statement(form);
    EmulatorOptions options;
    options.threads = 1;
    auto result = run(kernel, {}, options);
    EXPECT_TRUE(result) << form << "\n" << errorText(result.error());
    if (result)
      EXPECT_TRUE(result->diagnostics.empty()) << form << "\n" << errorText(result->diagnostics);
  }
  return forms;
}

TEST(Forms, OfPublicHeadersAreDecoded) { EXPECT_GT(decodeAll("sm100_forms.txt", "sm_100a"), 800); }

TEST(Forms, OfTheIsaAreDecoded) { EXPECT_GT(decodeAll("sm90_forms.txt", "sm_90a"), 3000); }

TEST(Forms, WhatIsNoneIsRefused) { // ptxas refuses all of them
  for (const char *form : {"cvt.rn.f32.f32 f, f",
                           "cvt.sat.u64.u32 l, r",
                           "cvt.rni.f32.f16 f, h",
                           "cvt.f32.s32 f, r",
                           "cvt.rn.ftz.f64.s32 d, r",
                           "cvt.rn.sat.bf16.f32 h, f",
                           "ld.relaxed.gpu.local.b32 r, [l]",
                           "st.const.b32 [l], r",
                           "ld.global.v8.b32 {r*8}, [l]",
                           "ld.volatile.param.b32 r, [l]",
                           "ld.relaxed.global.b32 r, [l]",
                           "ld.gpu.global.b32 r, [l]",
                           "ld.weak.gpu.global.b32 r, [l]",
                           "ld.release.gpu.global.b32 r, [l]",
                           "st.acquire.gpu.global.b32 [l], r",
                           "ld.mmio.sys.global.b32 r, [l]",
                           "ld.mmio.relaxed.sys.shared.b32 r, [l]",
                           "ld.shared.L1::evict_last.b32 r, [l]",
                           "ld.local.L2::128B.b32 r, [l]",
                           "ld.volatile.global.L1::no_allocate.b32 r, [l]",
                           "st.shared.L1::evict_last.b32 [l], r",
                           "st.global.L2::128B.b32 [l], r",
                           "ld.global.L2::evict_last.b32 r, [l]",
                           "ld.global.f16 h, [l]",
                           "st.global.bf16 [l], h",
                           "ld.volatile.global.ca.b32 r, [l]",
                           "ld.global.wb.b32 r, [l]",
                           "st.global.ca.b32 [l], r",
                           "ld.shared.nc.b32 r, [l]",
                           "red.acquire.gpu.global.add.u32 [l], r",
                           "fence",
                           "fence.sc",
                           "fence.gl",
                           "membar.gpu",
                           "fence.mbarrier_init",
                           "fence.proxy",
                           "fence.proxy.async.shared",
                           "fence.proxy.async.gpu",
                           "fence.release.sync_restrict::shared::cluster.cluster",
                           "prefetch.global [l]",
                           "prefetchu.L2 [l]",
                           "discard.L2 [l], 64",
                           "applypriority.L2::evict_last [l], 128"}) {
    Kernel kernel;
    kernel.params = 0;
    kernel.body = statement(form);
    EXPECT_FALSE(run(kernel, {})) << form;
  }
}

} // namespace
} // namespace lanescope::core::test
