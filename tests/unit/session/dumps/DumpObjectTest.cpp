// Dumps of JAX as values of a session: printing, changing a layout, and running them.
#include "layouts/support/Text.h"
#include "repl/session/Session.h"

#include <gtest/gtest.h>

namespace lanescope::repl {
namespace {

class DumpValues : public testing::Test {
protected:
  /// The output of the lines, or the first error.
  std::string run(std::string lines) {
    out_.clear();
    auto done = session_.entry(Source::make("<1>", std::move(lines)));
    if (done)
      return out_;
    const Diagnostic &first = done.error().front();
    return text(first.kind, ": ", first.message);
  }
  void SetUp() override {
    ASSERT_EQ(run(text("d = open_dump(\"", LANESCOPE_SOURCE_DIR, "/tests/golden/jax_dumps/wgmma_Warpgroup\")\n")), "");
  }
  bool says(const std::string &lines, std::string_view words) {
    std::string said = run(lines);
    bool found = said.find(words) != std::string::npos;
    EXPECT_TRUE(found) << lines << " says\n" << said;
    return found;
  }

  std::string out_;
  Session session_{{.kernels = {.device = "emulator"},
                    .output = [this](std::string_view said) { out_ += said; },
                    .files = {.reads = {LANESCOPE_SOURCE_DIR "/tests/golden"}}}};
};

TEST_F(DumpValues, PrintTheirPage) {
  says("d", "k_7, sm_90");
  says("d.page", "the same for every value");
  says("len(d)", "12\n");
  says("d.op(11)", "why result 0\n  `WGMMA`, as this operation says (line 102)");
  says("d.layout(11) == WGMMA", "True");
  says("d.layout(12, operand=0) == WGMMA", "True");
  says("(d.relayouts, d.conflicts, d.registers)", "(0, 0, 64)");
  says("d.module", "gpu.launch");
  says("show(d)", "shared memory in bytes, over the operations");
  says("d.compare(d)", "the same: 12 operations");
}

TEST_F(DumpValues, WhatIfPrintsWhatChangesAndRuns) {
  says("e = d.cast(11, WGMMA_TRANSPOSED)\ne", "relayouts 0 -> 1 (+1), shuffles 0 -> 32 per thread (+32)");
  says("allclose(e.run().outputs[0], d.run().outputs[0])", "True");
  says("a = ones((64, 64), f16)\nb = ones((64, 128), f16)\nd.run(a, b).outputs[0][0, 0]", "64");
  says("d.cast(4, (TilingTransform((8, 32)), SwizzleTransform(64)))",
       "tile (8, 64), swizzle 128 -> tile (8, 32), swizzle 64");
  says("d.cast(12, WGMMA_TRANSPOSED, operand=0)", "+ #12 layout_cast");
  // Changes the cast's own layout back; the dump from which it was made is unchanged.
  says("e.cast(12, WGMMA)", "relayouts 1 -> 0 (-1)");
  says("d.relayouts", "0\n");
}

TEST_F(DumpValues, RefuseWhatIsNotThere) {
  EXPECT_EQ(run("d.op(0)"), "value: `number` of `op`: operations are numbered 1 to 12");
  says("d.op(13)", "operations are numbered 1 to 12");
  says("d.cast(11, 5)", "a layout of registers or of tensor memory, or a tuple of transforms");
  says("d.cast(2, WGMMA)", "is no array in registers");
  says("d.cast(11, WGMMA, operand=0, result=0)", "leave one of them out");
  says("d.cast(11, WGMMA, operand=9)", "has 3 operands, counted from 0");
  says("d.cast(11, WGMMA_ROW)", "there are no layouts for all operations");
  says("d.layout(2)", "has no layout of registers or tensor memory");
  says("d.run(1)", "an input of a dump's kernel is an array");
  says("d.run(ones((2, 2), f16))", "holds f16 of shape (2, 2)");
  says("d.nothing", "nothing");
  says("open_dump(\"/nothing/at/all\")", "all");
  says(text("open_dump(\"", LANESCOPE_SOURCE_DIR, "/tests/golden/jax_dumps\")"), "name one");
  says(text("open_dump(\"", LANESCOPE_SOURCE_DIR, "/tests/golden/jax_dumps/add_Lane\")"),
       "there is no module of kernel");
}

} // namespace
} // namespace lanescope::repl
