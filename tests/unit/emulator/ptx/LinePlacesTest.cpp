// Findings in other compilers' PTX are reported at the lines that `.file` and `.loc` name.
#include "tests/unit/emulator/EmulatorSupport.h"
#include "tests/unit/TemporaryFolder.h"

#include <filesystem>

namespace lanescope::core::test {
namespace {

namespace fs = std::filesystem;

/// A kernel of 64 threads that race at `place`, which is a `.loc`. `files` are directives.
Diagnostics racing(const fs::path &folder, const std::string &files, const std::string &place) {
  Kernel kernel;
  kernel.params = 1;
  kernel.threads = 64;
  kernel.dynamicSmem = 256;
  kernel.declarations = files + "\n.extern .shared .align 16 .b8 smem[];";
  kernel.body = "mov.u32 %r0, %tid.x;\n" + place + "\nst.shared.b32 [smem], %r0;\nret;";
  std::vector<Array> arrays = {u32Array({1})};
  auto result = emulate(Source::make((folder / "k.ptx").string(), kernel.ptx()), launchOf(kernel, arrays), arrays, {});
  EXPECT_TRUE(result) << errorText(result.error());
  EXPECT_EQ(result->diagnostics.size(), 1u);
  return result->diagnostics;
}

struct Place {
  std::string file;
  uint32_t line = 0, column = 0;
  bool operator==(const Place &) const = default;
};
Place placeOf(const Span &span) {
  LineColumn at = span.source->lineColumn(span.begin);
  return {fs::path(span.source->name()).filename().string(), at.line, at.column};
}
void PrintTo(const Place &place, std::ostream *out) { *out << place.file << ":" << place.line << ":" << place.column; }

class LinePlaces : public testing::Test {
protected:
  LinePlaces() { std::ofstream(folder_ / "k.cu") << "one\n  two\n    three\n      four\n"; }

  const TemporaryFolder own_;
  const fs::path folder_ = own_.path();
};

TEST_F(LinePlaces, AreOfTheSourceBesideThePtx) {
  Diagnostics found = racing(folder_, ".file 1 \"built/elsewhere/k.cu\"", ".loc 1 3 5");
  EXPECT_EQ(placeOf(found[0].span), (Place{"k.cu", 3, 5}));
  EXPECT_TRUE(mentions(found, "    three\n      ^")) << errorText(found);
  ASSERT_FALSE(found[0].notes.empty());
  EXPECT_EQ(placeOf(found[0].notes[0].span).file, "k.ptx");
}

TEST_F(LinePlaces, HaveALineWhereTheSourceIsNotThere) {
  Diagnostics found = racing(folder_, ".file 7 \"gone/away.py\"", ".loc 7 31 9");
  EXPECT_EQ(placeOf(found[0].span), (Place{"away.py", 31, 1}));
}

TEST_F(LinePlaces, AreOfTheKernelsFileWhereAHeadersFunctionIsInlined) {
  std::string files = ".file 1 \"k.cu\"\n.file 2 \"helpers.cuh\"\n.file 3 \"ptx.hpp\"";
  Diagnostics found = racing(folder_, files,
                             ".loc 1 4 7\n.loc 2 14 1, function_name $a, inlined_at 1 4 7\n"
                             ".loc 3 99 2, function_name $b, inlined_at 2 14 1");
  EXPECT_EQ(placeOf(found[0].span), (Place{"k.cu", 4, 7}));
  ASSERT_GE(found[0].notes.size(), 3u);
  EXPECT_EQ(placeOf(found[0].notes[1].span), (Place{"ptx.hpp", 99, 1}));
  EXPECT_EQ(placeOf(found[0].notes[2].span), (Place{"helpers.cuh", 14, 1}));
}

// The mistake is in a function of the kernel's own file; the report names its caller too.
TEST_F(LinePlaces, AreInTheInnermostFunctionOfTheKernelsFile) {
  Diagnostics found = racing(folder_, ".file 1 \"k.cu\"",
                             ".loc 1 1 1, function_name $a, inlined_at 1 4 7\nmov.u32 %r1, 0;\n"
                             ".loc 1 2 3, function_name $a, inlined_at 1 4 7");
  EXPECT_EQ(placeOf(found[0].span), (Place{"k.cu", 2, 3}));
  ASSERT_GE(found[0].notes.size(), 2u);
  EXPECT_EQ(placeOf(found[0].notes[1].span), (Place{"k.cu", 4, 7}));
  EXPECT_EQ(found[0].notes[1].message, "the function is inlined here");
}

// A function of one line only names an instruction, so the mistake is at its call.
TEST_F(LinePlaces, AreTheCallsOfFunctionsOfOneLine) {
  Diagnostics found = racing(folder_, ".file 1 \"k.cu\"",
                             ".loc 1 1 1, function_name $a, inlined_at 1 4 7\nmov.u32 %r1, 0;\n"
                             ".loc 1 3 5, function_name $a, inlined_at 1 4 7\n"
                             ".loc 1 2 3, function_name $b, inlined_at 1 3 5");
  EXPECT_EQ(placeOf(found[0].span), (Place{"k.cu", 3, 5}));
  ASSERT_GE(found[0].notes.size(), 3u);
  EXPECT_EQ(placeOf(found[0].notes[1].span), (Place{"k.cu", 2, 3}));
  EXPECT_EQ(placeOf(found[0].notes[2].span), (Place{"k.cu", 4, 7}));
}

// All code of the kernel is in a library's header.
TEST_F(LinePlaces, AreTheInnermostWhereAllIsHeaders) {
  Diagnostics found = racing(folder_, ".file 1 \"device_kernel.h\"\n.file 2 \"copy.hpp\"",
                             ".loc 2 8 1, function_name $a, inlined_at 1 4 7");
  EXPECT_EQ(placeOf(found[0].span), (Place{"copy.hpp", 8, 1}));
}

TEST_F(LinePlaces, AreInThePtxWithoutLines) {
  EXPECT_EQ(placeOf(racing(folder_, "", "")[0].span).file, "k.ptx");
  EXPECT_EQ(placeOf(racing(folder_, ".file 1 \"k.cu\"", "")[0].span).file, "k.ptx");
}

} // namespace
} // namespace lanescope::core::test
