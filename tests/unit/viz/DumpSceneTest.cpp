// The page of a dumped kernel: memory over time as a scene, and the HTML file.
#include "Fixtures.h"

#include "viz/export/DumpHtml.h"
#include "viz/export/Export.h"
#include "viz/scene/DumpPage.h"
#include "viz/scene/DumpScene.h"

namespace lanescope::viz::test {
namespace {

DumpPage somePage() {
  DumpPage page;
  page.name = "k_7<&>";
  page.summary = "k_7, sm_90\n";
  ViewSpec wgmma{.layout = "WGMMA", .shape = {64, 16}, .dtype = Dtype::F32, .view = View::Grid};
  page.rows = {
      {.line = 3, .name = "mosaic_gpu.slice_smem", .values = {{.role = "result 0", .type = "smem f16[64x64]"}}},
      {.line = 4,
       .name = "mosaic_gpu.vector_load",
       .place = "kernel.py:12:3",
       .values = {{.role = "operand 0", .type = "smem f16[64x64]", .source = 0},
                  {.role = "result 0",
                   .type = "f32[64x16]",
                   .storage = "WGMMA",
                   .view = wgmma,
                   .why = {{"`WGMMA`, as this operation says", 4}}}},
       .costs = {"bank conflicts: 96"}},
      {.line = 5,
       .name = "arith.addf",
       .values = {{.role = "operand 0", .storage = "WGMMA", .view = wgmma, .source = 1}}}};
  page.memory = {{.offset = 0, .size = 8192, .first = 0, .last = 1, .name = "smem f16[64x64]", .storage = "rows"},
                 {.offset = 8192, .size = 8, .first = 0, .last = 2, .name = "barriers[1]"},
                 {.tensor = true, .offset = 0, .size = 64, .first = 1, .last = 2, .name = "tmem f32[128x64]"}};
  page.sections = {{"Relayouts", "#3 addf: 32 shuffles\n"}};
  page.module = "module {\n  slice\n  load\n  add\n}\n";
  page.ptx = "ld.shared.b32 %r1, [%r2];\nret;\n";
  page.ptxPlaces = {"kernel.py:12", ""};
  page.ours = "ld.shared.b64 %rd1, [%r1];\n";
  page.oursFrom = {4};
  return page;
}

size_t count(const std::string &text, std::string_view what) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size())
    ++found;
  return found;
}

TEST(DumpPage, MemoryOverTheOperations) {
  DumpPage page = somePage();
  auto shared = memoryScene(page, false);
  ASSERT_TRUE(shared);
  ASSERT_EQ(shared->body.boxes.size(), 2u);
  const Box &first = shared->body.boxes[0], &second = shared->body.boxes[1];
  EXPECT_DOUBLE_EQ(first.rect.x, 0);
  EXPECT_DOUBLE_EQ(first.rect.width * 3, second.rect.width * 2); // two of three operations
  EXPECT_DOUBLE_EQ(second.rect.y, first.rect.y + first.rect.height);
  EXPECT_EQ(first.tooltip, "smem f16[64x64], rows: bytes of shared memory 0 to 8191, from operation 1 to 2");
  EXPECT_GE(shared->body.height, second.rect.y + second.rect.height);
  auto tensor = memoryScene(page, true, ColourTheme::Dark);
  ASSERT_TRUE(tensor);
  EXPECT_EQ(tensor->body.boxes.size(), 1u);
  EXPECT_EQ(tensor->theme, ColourTheme::Dark);
  page.memory.clear();
  EXPECT_FALSE(memoryScene(page, false));
  EXPECT_FALSE(memoryScene({}, false));
}

TEST(DumpPage, HtmlLinksValuesAndDrawsEachLayoutOnce) {
  std::string html = dumpHtml(std::vector{somePage()});
  EXPECT_EQ(count(html, "<figure class=\"pic\""), 1u);
  EXPECT_EQ(count(html, "<tr class=\"op\""), 3u);
  EXPECT_NE(html.find("data-from=\"1 \" data-pics=\"picture0 \""), std::string::npos);
  EXPECT_NE(html.find("k_7&lt;&amp;&gt;"), std::string::npos);
  EXPECT_EQ(html.find("k_7<&>"), std::string::npos);
  EXPECT_EQ(count(html, "data-p=\"kernel.py:12\""), 2u); // a line of the module and one of the PTX
  EXPECT_EQ(count(html, "data-n=\"4\""), 2u);            // a line of the module and one of our own IR
  EXPECT_NE(html.find("as this operation says (line 4)"), std::string::npos);
  EXPECT_EQ(count(html, "class=\"kernel\""), 1u);
  EXPECT_EQ(count(dumpHtml(std::vector{somePage(), somePage()}), "class=\"kernel\""), 2u);
  EXPECT_NE(dumpHtml(std::vector{DumpPage{.name = "nothing"}}).find("nothing"), std::string::npos);
}

TEST(DumpPage, ValuesAreRequestsOfPictures) {
  core::DumpValue value;
  EXPECT_FALSE(dumpValueView(value));
  value.shape = {64, 64}, value.dtype = Dtype::F16;
  EXPECT_FALSE(dumpValueView(value));
  value.layout = catalogue::wgmma();
  EXPECT_EQ(dumpValueView(value)->layout, "WGMMA");
  value.layout.reset();
  value.transforms = core::SmemTransforms{.tiling = layouts::Shape{8, 64}, .swizzle = 128};
  auto view = dumpValueView(value);
  ASSERT_TRUE(view);
  EXPECT_EQ(view->view, View::Smem);
  EXPECT_TRUE(viewScene(*view)) << viewText(*view);
}

} // namespace
} // namespace lanescope::viz::test
