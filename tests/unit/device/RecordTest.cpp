// The recorder's front end, and its launch descriptions. tests/cuda/record.py tests the library's recordings with
// programs.
#include "core/gpu/emulator/Emulator.h"
#include "core/gpu/kernel/LaunchBuffers.h"
#include "core/gpu/record/RecordProgram.h"

#include <cstring>
#include <gtest/gtest.h>

namespace lanescope::core::record {
namespace {

TEST(RecordSettings, TravelAsText) {
  RecordSettings settings;
  settings.folder = "a folder; with=signs";
  settings.kernel = "^triton_.*|x=1$";
  settings.ptxFolders = {"dump", "other dump"};
  settings.launch = 7;
  settings.maxBytes = 4096;
  settings.every = settings.list = true;
  settings.arrays = false;
  RecordSettings read = recordSettingsFromText(toText(settings));
  EXPECT_EQ(toText(read), toText(settings));
  EXPECT_EQ(read.folder, settings.folder);
  EXPECT_EQ(read.ptxFolders, settings.ptxFolders);
  EXPECT_FALSE(read.arrays);
  RecordSettings changed = recordSettingsFromText("kernel=add\nfolder=other", read);
  EXPECT_EQ(changed.kernel, "add");
  EXPECT_EQ(changed.folder, "other");
  EXPECT_EQ(changed.launch, 7u); // what the text does not have stays
}

TEST(RecordWords, AreOptionsAndAProgram) {
  auto request = readRecordWords({"--kernel", "add", "--max-bytes", "8M", "--every", "launch", "--", "prog", "--list"});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->settings.kernel, "add");
  EXPECT_EQ(request->settings.maxBytes, 8u << 20);
  EXPECT_TRUE(request->settings.every);
  EXPECT_FALSE(request->settings.list);
  EXPECT_FALSE(request->touched);
  EXPECT_EQ(request->program, (std::vector<std::string>{"prog", "--list"}));
  auto others = readRecordWords({"--touched", "--paused", "--", "prog"});
  ASSERT_TRUE(others);
  EXPECT_TRUE(others->touched && others->settings.paused);
}

TEST(RecordWords, RefuseWhatTheyDoNotKnow) {
  for (const std::vector<std::string> &words : std::vector<std::vector<std::string>>{
           {"--other", "1"}, {"--launch", "0"}, {"--every", "second"}, {"--max-bytes", "much"}, {"-o"}}) {
    auto request = readRecordWords(words);
    ASSERT_FALSE(request) << words[0];
    EXPECT_EQ(request.error().front().kind, "usage");
    EXPECT_NE(request.error().front().message.find(words[0]), std::string::npos);
  }
}

TEST(RecordProgram, SaysWhatIsMissing) {
  auto none = recordProgram({});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().front().kind, "usage");
  RecordRequest request{.settings = {}, .program = {"true"}};
  request.settings.kernel = "(";
  auto expression = recordProgram(request);
  ASSERT_FALSE(expression);
  EXPECT_NE(expression.error().front().message.find("regular expression"), std::string::npos);
  EXPECT_EQ(expression.error().front().kind, "usage");
  request.settings.kernel.clear();
  // Under sanitizers the error is instead that there is no library to load.
  request.settings.folder = "/dev/full/folder";
  auto nowhere = recordProgram(request);
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().front().kind, "record");
}

constexpr char kPtx[] = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry copy(.param .u64 to, .param .align 8 .b8 from[16])
{
  .reg .b32 %r<2>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [from+8]; ld.global.u32 %r1, [%rd1];
  ld.param.u64 %rd2, [to]; st.global.u32 [%rd2], %r1;
  ret;
}
)";

TEST(LaunchBuffers, AStructPointsToAnotherParametersBuffer) {
  std::string json = R"({"entry": "copy", "grid": [1], "block": [1], "params": [
    {"kind": "buffer", "dtype": "u32", "shape": [4]},
    {"kind": "bytes", "size": 16, "align": 8, "pointers": [{"offset": 8, "launch_buffer": 0, "at": 8}]}]})";
  auto launch = parseLaunch(Source::make("launch.json", json));
  ASSERT_TRUE(launch) << render(launch.error());
  auto again = parseLaunch(Source::make("launch.json", toJson(*launch)));
  ASSERT_TRUE(again) << render(again.error());
  const PointerSpec &pointer = std::get<BytesParam>(again->params[1]).pointers[0];
  EXPECT_TRUE(isOfLaunch(pointer.buffer));
  EXPECT_EQ(launchBuffer(pointer.buffer, 5), 0u);
  Array array = Array::zeros(Dtype::U32, {4});
  const uint32_t numbers[] = {1, 2, 3, 4};
  std::memcpy(array.bytes.data(), numbers, sizeof numbers);
  auto result = emulate(Source::make("copy.ptx", kPtx), *again, std::vector{array}, {});
  ASSERT_TRUE(result) << render(result.error());
  EXPECT_EQ(result->outputs[0].integer(0), 3);
}

TEST(LaunchBuffers, ANumberBeyondTheLaunchIsRefused) {
  auto launch = parseLaunch(Source::make("launch.json", R"({"entry": "copy", "grid": [1], "block": [1], "params": [
    {"kind": "bytes", "size": 16, "pointers": [{"offset": 8, "launch_buffer": 3}]}]})"));
  ASSERT_FALSE(launch);
  EXPECT_NE(launch.error().front().message.find("buffer 3"), std::string::npos);
}

} // namespace
} // namespace lanescope::core::record
