// The dump view without a window: what is chosen, what is highlighted with it, what is drawn, and what is sent to the
// console.
#include "viz/gui/dump/DumpModel.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace lanescope::viz {
namespace {

std::shared_ptr<const DumpPage> somePage(size_t more = 0) {
  auto page = std::make_shared<DumpPage>();
  page->name = "k_7";
  ViewSpec wgmma{.layout = "WGMMA", .shape = {64, 16}, .dtype = layouts::Dtype::F32, .view = View::Grid};
  page->rows = {
      {.line = 1, .name = "arith.constant", .values = {{.role = "result 0", .type = "i32"}}},
      {.line = 2,
       .name = "wgmma",
       .values = {{.role = "operand 0", .source = 0},
                  {.role = "result 0", .type = "f32[64x16]", .storage = "WGMMA", .view = wgmma, .why = {{"said", 2}}}}},
      {.line = 3, .name = "store", .values = {{.role = "operand 0", .storage = "WGMMA", .view = wgmma, .source = 1}}}};
  for (size_t i = 0; i < more; ++i)
    page->rows.push_back({.line = 4, .name = "addf", .values = {{.role = "operand 0", .source = i}}});
  page->first = 1;
  page->memory = {{.offset = 0, .size = 64, .first = 0, .last = 1, .name = "smem"}};
  return page;
}

void settle(Requests &requests) {
  while (requests.busy()) {
    requests.deliver();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

} // namespace

TEST(DumpModel, ChoosesWhatHasAPicture) {
  Requests requests;
  DumpModel model;
  EXPECT_TRUE(model.empty());
  EXPECT_EQ(model.linkOf(0), DumpModel::Link::None);
  EXPECT_EQ(model.whatIf("WGMMA"), "");
  model.show(somePage(), requests);
  settle(requests);
  EXPECT_EQ(model.row(), 1u);
  EXPECT_EQ(model.value(), 1u); // the result
  ASSERT_TRUE(model.picture.scene());
  EXPECT_EQ(model.linkOf(0), DumpModel::Link::Source);
  EXPECT_EQ(model.linkOf(1), DumpModel::Link::Chosen);
  EXPECT_EQ(model.linkOf(2), DumpModel::Link::User);
  EXPECT_EQ(model.valueWords(), "result 0: f32[64x16]\nWGMMA\nwhy: said (line 2)\n");
  EXPECT_EQ(model.whatIf("WGMMA_ROW"), "dump = dump.cast(2, WGMMA_ROW, result=0)\ndump\nshow(dump)\n");
  EXPECT_EQ(model.whatIf(""), "");
  // The row under the pointer takes precedence over the chosen one.
  model.hover(2);
  EXPECT_EQ(model.linkOf(1), DumpModel::Link::Source);
  EXPECT_EQ(model.linkOf(0), DumpModel::Link::None);
  model.hover(std::nullopt);
  EXPECT_EQ(model.linkOf(0), DumpModel::Link::Source);
}

TEST(DumpModel, SaysWhyThereIsNoPicture) {
  Requests requests;
  DumpModel model;
  model.show(somePage(), requests);
  model.choose(0, requests);
  settle(requests);
  EXPECT_FALSE(model.picture.scene());
  EXPECT_EQ(model.problem, "this value has no layout to draw");
  model.choose(99, requests); // there is no such row, so nothing changes
  EXPECT_EQ(model.row(), 0u);
  model.showSide(DumpModel::Side::SharedMemory, requests);
  settle(requests);
  EXPECT_TRUE(model.picture.scene());
  model.showSide(DumpModel::Side::TensorMemory, requests);
  settle(requests);
  EXPECT_EQ(model.problem, "this kernel has none");
}

TEST(DumpModel, AnotherPageKeepsTheOperation) {
  Requests requests;
  DumpModel model;
  model.show(somePage(), requests);
  model.choose(2, requests);
  model.show(somePage(5), requests); // the same kernel with more operations
  EXPECT_EQ(model.row(), 2u);
  auto empty = std::make_shared<DumpPage>();
  model.show(empty, requests);
  settle(requests);
  EXPECT_EQ(model.side, DumpModel::Side::Page);
  EXPECT_EQ(model.valueWords(), "");
}

} // namespace lanescope::viz
