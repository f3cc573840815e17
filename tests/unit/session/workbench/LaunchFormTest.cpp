// A launch as texts: each field reads back as it was written, and errors say which values are accepted.
#include "repl/workbench/LaunchForm.h"

#include "core/data/Files.h"
#include "tests/unit/TemporaryFolder.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace lanescope::repl {
namespace {

using core::Array;
using core::Dtype;

/// x: f32[4, 8], the numbers 7 and 2.5, and a parameter block with an array and its descriptor.
struct Form {
  core::Launch launch;
  std::vector<Array> arrays;
  Form() {
    launch.entry = "k";
    launch.grid = {4, 2, 1};
    core::BytesParam block{.size = 128, .align = 64, .buffers = {{Dtype::F16, {64, 64}, "", "", "tile"}}};
    block.tensorMaps = {{.buffer = 0, .dtype = Dtype::F16, .shape = {64, 64}}};
    launch.params = {core::BufferParam{{Dtype::F32, {4, 8}, "x.npy", "", "x"}}, core::ScalarParam{Dtype::I32, 7},
                     core::ScalarParam{Dtype::F32, 0x40200000}, core::BufferParam{{Dtype::I8, {3}, "", "", "3"}},
                     block};
    for (const core::BufferSpec *buffer : launch.buffers())
      arrays.push_back(Array::zeros(buffer->dtype, buffer->shape));
  }
  std::string value(std::string_view name) const {
    auto fields = launchFields(launch);
    auto at = std::ranges::find(fields, name, &LaunchField::name);
    return at == fields.end() ? "none" : at->value;
  }
  /// The error, or empty.
  std::string set(std::string_view name, std::string_view to, const std::filesystem::path &folder = {}) {
    auto done = setLaunchField(launch, arrays, name, to, folder);
    if (done)
      return "";
    EXPECT_EQ(done.error().front().kind, "launch-field");
    return done.error().front().message;
  }
};

TEST(LaunchForm, HoldsWhatPtxDoesNotSay) {
  std::string all;
  for (const LaunchField &field : launchFields(Form().launch))
    all += field.name + "=" + field.value + "\n";
  EXPECT_EQ(all, "grid=4, 2\nblock=128\ndynamic smem=0\nx=f32[4, 8]\nparam 1=7\nparam 2=2.5\nparam 3=i8[3]\n"
                 "tile=f16[64, 64]\n");
  Form form;
  form.launch.cluster = {2, 1, 1};
  EXPECT_EQ(form.value("cluster"), "2");
}

TEST(LaunchForm, EachFieldReadsBack) {
  Form form;
  const core::Launch before = form.launch;
  for (const LaunchField &field : launchFields(form.launch))
    EXPECT_EQ(form.set(field.name, field.value), "") << field.name;
  EXPECT_EQ(core::toJson(form.launch), core::toJson(before)) << "x.npy is read as before";
}

TEST(LaunchForm, TakesSizesAsPeopleWriteThem) {
  Form form;
  for (const char *written : {"8, 3", "8 3", "8x3", "(8, 3, 1)", "[8,3]", " 8 x 3 x 1 "}) {
    EXPECT_EQ(form.set("grid", written), "") << written;
    EXPECT_EQ(form.launch.grid, (std::array<uint32_t, 3>{8, 3, 1})) << written;
  }
  EXPECT_EQ(form.set("dynamic smem", "4096"), "");
  EXPECT_EQ(form.launch.dynamicSmem, 4096u);
}

TEST(LaunchForm, MakesArrays) {
  Form form;
  EXPECT_EQ(form.set("x", "i32[300] ramp"), "");
  EXPECT_EQ(form.value("x"), "i32[300]");
  EXPECT_EQ(form.arrays[0].integer(299), 299);
  EXPECT_EQ(form.set("x", "ones"), "");
  EXPECT_EQ(form.arrays[0].integer(299), 1);
  EXPECT_EQ(form.set("param 3", "i8[200] ramp"), "");
  EXPECT_EQ(form.arrays[1].integer(130), 2) << "narrow types hold the numbers below 128";
  EXPECT_EQ(form.set("tile", "random"), "");
  EXPECT_FALSE(std::ranges::all_of(form.arrays[2].bytes, [](std::byte each) { return each == std::byte{0}; }));
  EXPECT_EQ(form.set("tile", "f16[64, 64] zeros"), "");
  for (const core::BufferSpec *buffer : form.launch.buffers())
    EXPECT_EQ(buffer->data, "") << "the file is none of it any more";
  EXPECT_EQ(form.arrays[0].shape, (layouts::Shape{300}));
}

TEST(LaunchForm, TakesArraysOfFiles) {
  TemporaryFolder folder;
  Array numbers = Array::zeros(Dtype::I32, {5, 3});
  numbers.setInteger(14, 99);
  ASSERT_TRUE(core::saveNpy(folder / "a [1].npy", numbers));
  ASSERT_TRUE(core::saveNpy(folder / "part.npy", Array::zeros(Dtype::F16, {64, 32})));
  ASSERT_TRUE(core::saveNpy(folder / "tile.npy", Array::zeros(Dtype::F16, {64, 64})));
  Form form;
  EXPECT_EQ(form.set("x", "a [1].npy", folder.path()), "");
  EXPECT_EQ(form.value("x"), "i32[5, 3]") << "the file says its type and shape";
  EXPECT_EQ(form.arrays[0].integer(14), 99);
  EXPECT_EQ(form.set("x", "zeros"), "");
  EXPECT_EQ(form.set("x", "i32[5, 3] " + (folder / "a [1].npy").string()), "") << "a path that is absolute";
  EXPECT_EQ(form.arrays[0].integer(14), 99);
  EXPECT_EQ(form.set("tile", "tile.npy", folder.path()), "");
  const core::Launch before = form.launch;
  // The error names the file and the accepted values.
  std::string missing = form.set("x", "b.npy", folder.path());
  EXPECT_NE(missing.find("`x` cannot be `b.npy`"), std::string::npos) << missing;
  EXPECT_NE(missing.find("`zeros`"), std::string::npos) << missing;
  EXPECT_NE(form.set("x", "i32[5, 4] a [1].npy", folder.path()).find("the file holds i32[5, 3]"), std::string::npos);
  EXPECT_NE(form.set("tile", "part.npy", folder.path()).find("its descriptor says f16[64, 64]"), std::string::npos);
  EXPECT_NE(form.set("tile", "a [1].npy", folder.path()).find("where f16 is wanted"), std::string::npos);
  ASSERT_TRUE(core::writeFile(folder / "c.npy", "no array"));
  EXPECT_NE(form.set("x", "c.npy", folder.path()), "");
  EXPECT_EQ(core::toJson(form.launch), core::toJson(before));
}

TEST(LaunchForm, TakesNumbers) {
  Form form;
  EXPECT_EQ(form.set("param 1", "-3"), "");
  EXPECT_EQ(form.value("param 1"), "-3");
  EXPECT_EQ(form.set("param 2", "1e-3"), "");
  EXPECT_EQ(form.value("param 2"), "0.0010000000474974513");
}

TEST(LaunchForm, SaysWhatWouldDo) {
  Form form;
  const core::Launch before = form.launch;
  EXPECT_EQ(form.set("y", "3"), "the launch has no `y`");
  for (const char *bad : {"", "x", "0", "1, 2, 3, 4", "-1", "1e9", "99999999999999999999", "3.5"})
    EXPECT_NE(form.set("grid", bad).find("one to three whole numbers"), std::string::npos) << bad;
  for (const char *bad : {"", "three", "3.5", "99999999999", "1 2"})
    EXPECT_NE(form.set("param 1", bad), "") << bad;
  EXPECT_NE(form.set("param 1", "3000000000").find("does not hold it"), std::string::npos);
  for (const char *bad : {"f33[4]", "f32[4", "f32[]", "f32[x]", "many", "f32[4] many", "[4]"})
    EXPECT_NE(form.set("x", bad).find("a type and a shape"), std::string::npos) << bad;
  for (const char *large : {"f32[99999999999]", "f32[4294967296, 4294967296, 4294967296]", "f32[3000000000]"})
    EXPECT_NE(form.set("x", large).find("at most 4 GiB"), std::string::npos) << large;
  EXPECT_NE(form.set("tile", "f16[64, 32]").find("its descriptor says that it is f16[64, 64]"), std::string::npos);
  EXPECT_NE(form.set("dynamic smem", "1000000").find("at most 262144"), std::string::npos);
  EXPECT_EQ(core::toJson(form.launch), core::toJson(before)) << "what is wrong changes nothing";
}

} // namespace
} // namespace lanescope::repl
