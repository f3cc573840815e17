#include "core/gpu/kernel/Launch.h"

#include "core/data/Files.h"
#include "core/gpu/kernel/LaunchCheck.h"
#include "layouts/support/Text.h"

#include <gtest/gtest.h>

namespace lanescope::core {
namespace {

// The example of docs/launch.md.
constexpr const char *kExample =
    R"({"entry": "kernel_name", "grid": [1, 2, 3], "cluster": [1, 1, 1], "block": [128, 1, 1], "dynamic_smem": 24584,
 "params": [{"kind": "buffer", "dtype": "f32", "shape": [64, 128], "out": "c.npy"},
            {"kind": "scalar", "dtype": "i32", "value": -3},
            {"kind": "bytes", "size": 136, "align": 64,
             "buffers": [{"dtype": "f16", "shape": [64, 128], "data": "b.npy"}],
             "tensor_maps": [{"offset": 0, "buffer": 0, "dtype": "f16", "shape": [8, 2, 8, 64], "strides_bytes": [2048, 128, 256],
                              "box": [8, 2, 8, 64], "swizzle": 128, "oob_fill": "zeros"}],
             "pointers": [{"offset": 128, "buffer": 0}]}]})";

Result<Launch> parse(std::string json) { return parseLaunch(Source::make("launch.json", std::move(json))); }

TEST(Launch, ReadsTheDocumentedForm) {
  Result<Launch> launch = parse(kExample);
  ASSERT_TRUE(launch) << render(launch.error());
  EXPECT_EQ(launch->entry, "kernel_name");
  EXPECT_EQ(launch->grid, (std::array<uint32_t, 3>{1, 2, 3}));
  EXPECT_EQ(launch->dynamicSmem, 24584u);
  ASSERT_EQ(launch->params.size(), 3u);
  EXPECT_EQ(std::get<ScalarParam>(launch->params[1]).bits, 0xFFFFFFFDu);
  const auto &block = std::get<BytesParam>(launch->params[2]);
  ASSERT_EQ(block.tensorMaps.size(), 1u);
  EXPECT_EQ(block.tensorMaps[0].stridesBytes, (Shape{2048, 128, 256}));
  EXPECT_EQ(block.pointers[0].offset, 128u);
  ASSERT_EQ(launch->buffers().size(), 2u);
  EXPECT_EQ(launch->buffers()[0]->out, "c.npy");
  EXPECT_EQ(launch->buffers()[1]->data, "b.npy");
}

TEST(Launch, PrintsWhatItReads) {
  Result<Launch> launch = parse(kExample);
  ASSERT_TRUE(launch);
  std::string printed = toJson(*launch);
  Result<Launch> again = parse(printed);
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(toJson(*again), printed);
}

TEST(Launch, MemoryComesBetweenParametersAndVariables) {
  Result<Launch> launch = parse(R"({"entry": "k", "grid": 1, "block": 1,
    "params": [{"kind": "buffer", "dtype": "f32", "shape": [1], "name": "first"}],
    "memory": [{"dtype": "u8", "shape": [64], "data": "m.npy", "out": "after.npy", "name": "second"}],
    "variables": [{"variable": "v", "dtype": "f32", "shape": [1], "name": "third"}]})");
  ASSERT_TRUE(launch) << render(launch.error());
  std::string names;
  for (const BufferSpec *buffer : launch->buffers())
    names += text(buffer->name, ' ');
  EXPECT_EQ(names, "first second third ");
  EXPECT_EQ(launch->sharedBuffers(), 2u);
  Result<Launch> again = parse(toJson(*launch));
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(toJson(*again), toJson(*launch));
  EXPECT_FALSE(parse(R"({"entry": "k", "grid": 1, "block": 1, "params": [], "memory": [{"kind": "buffer"}]})"));
}

TEST(Launch, SizesMayLeaveOutTheirEnd) {
  auto gridOf = [](std::string_view grid) {
    Result<Launch> launch = parse(R"({"entry": "k", "block": 32, "params": [], "grid": )" + std::string(grid) + "}");
    return launch ? text(launch->grid[0], "x", launch->grid[1], "x", launch->grid[2]) : render(launch.error());
  };
  EXPECT_EQ(gridOf("7"), "7x1x1");
  EXPECT_EQ(gridOf("[7]"), "7x1x1");
  EXPECT_EQ(gridOf("[7, 5]"), "7x5x1");
  EXPECT_EQ(gridOf("[7, 5, 3]"), "7x5x3");
  for (const char *wrong : {"[]", "[1, 1, 1, 1]"})
    EXPECT_NE(gridOf(wrong).find("entries where 1 to 3 are wanted: x, y, z"), std::string::npos) << gridOf(wrong);
  for (const char *wrong : {"0", "[0]", "-1", "1.5", "\"4\"", "[1, null]", "true", "{}", "99999999999999999999"})
    EXPECT_NE(gridOf(wrong).find("error: "), std::string::npos) << wrong;
}

TEST(Launch, SavesEachBufferToAFileOfItsOwn) {
  auto said = [](std::string_view first, std::string_view second) {
    std::string json = R"({"entry": "k", "grid": [1, 1, 1], "block": [1, 1, 1], "params": [)"
                       R"({"kind": "buffer", "dtype": "f32", "shape": [4], "out": ")" +
                       std::string(first) + R"("}, {"kind": "bytes", "size": 8, "pointers": [], "buffers": [)" +
                       R"({"dtype": "f32", "shape": [4], "out": ")" + std::string(second) + "\"}]}]}";
    Result<Launch> launch = parse(json);
    return launch ? std::string() : render(launch.error());
  };
  EXPECT_EQ(said("a.npy", "b.npy"), "");
  EXPECT_EQ(said("a.npy", "A.npy"), "");
  for (const char *same : {"a.npy", "./a.npy", "x/../a.npy", ".//a.npy"})
    EXPECT_NE(said("a.npy", same).find("another buffer is saved to"), std::string::npos) << said("a.npy", same);
  EXPECT_NE(said("a.npy", "a.npy").find("launch.json:1:"), std::string::npos);
}

TEST(Launch, ReadsImagesForIm2col) {
  std::string json = kExample;
  std::string box = R"("box": [8, 2, 8, 64])";
  json.replace(json.find(box), box.size(),
               R"("im2col": {"mode": "im2col", "lower": [-1, -2], "upper": [0, 1], "pixels": 64, "channels": 32},
                  "element_strides": [1, 2, 2, 1])");
  Result<Launch> launch = parse(json);
  ASSERT_TRUE(launch) << render(launch.error());
  const TensorMapSpec &map = std::get<BytesParam>(launch->params[2]).tensorMaps[0];
  EXPECT_EQ(map.mode, TmaMode::Im2col);
  EXPECT_EQ(map.im2col, (Im2colSpec{{-1, -2}, {0, 1}, 64, 32}));
  EXPECT_EQ(map.elementStrides, (Shape{1, 2, 2, 1}));
  std::string printed = toJson(*launch);
  Result<Launch> again = parse(printed);
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(toJson(*again), printed);
  auto refused = [&](std::string_view from, std::string_view to) {
    std::string changed = json;
    changed.replace(changed.find(from), from.size(), to);
    Result<Launch> bad = parse(changed);
    return bad ? std::string() : render(bad.error());
  };
  EXPECT_NE(refused("\"mode\": \"im2col\"", "\"mode\": \"rows\"").find("`rows` is none of `im2col`"),
            std::string::npos);
  EXPECT_NE(refused("\"mode\": \"im2col\"", "\"mode\": \"im2col::w\"").find("lower"), std::string::npos);
  EXPECT_NE(refused("\"element_strides\"", "\"box\": [1, 1, 1, 1], \"element_strides\"").find("not both"),
            std::string::npos);
  EXPECT_NE(refused("\"pixels\": 64", "\"pixels\": 0").find("pixels"), std::string::npos);
}

// A grid on two devices, with peers' and multicast addresses in every place that accepts one.
constexpr const char *kTwoDevices =
    R"({"entry": "k", "grid": [1, 1, 1], "block": [32, 1, 1], "devices": 2,
 "params": [{"kind": "buffer", "dtype": "f32", "shape": [2, 64]},
            {"kind": "pointer", "buffer": 0, "at": 64, "peer": [1, 0]},
            {"kind": "collective_metadata"},
            {"kind": "bytes", "size": 144, "collective_metadata": 136, "buffers": [{"dtype": "f32", "shape": [2, 8, 8]}],
             "tensor_maps": [{"offset": 0, "buffer": 0, "dtype": "f32", "shape": [8, 8], "strides_bytes": [32],
                              "box": [8, 8], "peer": "multicast"}],
             "pointers": [{"offset": 128, "buffer": 0, "peer": 1}]}],
 "pointers": [{"in": 0, "offset": 248, "buffer": 1, "at": 8, "peer": [1, 0]}]})";

TEST(Launch, PlacesADescriptorsArrayInItsBuffer) {
  auto withAt = [](const std::string &at) {
    std::string json = kExample;
    std::string before = R"("offset": 0, "buffer": 0, "dtype")";
    return json.replace(json.find(before), before.size(), R"("offset": 0, "buffer": 0, "at": )" + at + R"(, "dtype")");
  };
  Result<Launch> launch = parse(withAt("64"));
  ASSERT_TRUE(launch) << render(launch.error());
  EXPECT_EQ(std::get<BytesParam>(launch->params[2]).tensorMaps[0].at, 64u);
  Result<Launch> again = parse(toJson(*launch));
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(std::get<BytesParam>(again->params[2]).tensorMaps[0].at, 64u);
  // The array fills the buffer, so from byte 64 on it would leave it.
  Result<void> good = checkLaunch(*launch);
  ASSERT_FALSE(good);
  EXPECT_NE(render(good.error()).find("reach to byte 16448 of a buffer of 16384 bytes"), std::string::npos)
      << render(good.error());
  Result<Launch> odd = parse(withAt("8"));
  ASSERT_FALSE(odd);
  EXPECT_NE(render(odd.error()).find("at a multiple of 16 bytes, not at byte 8"), std::string::npos)
      << render(odd.error());
}

TEST(Launch, NamesArraysInSharedMemory) {
  std::string json = kExample;
  json.pop_back();
  json +=
      R"(, "shared": [{"name": "tile", "dtype": "f16", "shape": [2, 64, 64], "offset": 1024, "tiling": [8, 64], "swizzle": 128},
                      {"name": "sums", "dtype": "f32", "shape": [64], "offset": 17408}]})";
  Result<Launch> launch = parse(json);
  ASSERT_TRUE(launch) << render(launch.error());
  std::vector<SharedArray> expected{{"tile", Dtype::F16, {2, 64, 64}, {8, 64}, 128, 1024},
                                    {.name = "sums", .dtype = Dtype::F32, .shape = {64}, .offset = 17408}};
  EXPECT_EQ(launch->sharedArrays, expected);
  Result<Launch> again = parse(toJson(*launch));
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(again->sharedArrays, expected);
}

TEST(Launch, RefusesSharedArraysThatLieNowhere) {
  auto said = [](std::string array) {
    Result<Launch> launch = parse(
        R"({"entry": "k", "grid": [1, 1, 1], "cluster": [1, 1, 1], "block": [32, 1, 1], "dynamic_smem": 64, "params": [], "shared": [)" +
        array + "]}");
    return launch ? std::string("accepted") : launch.error().front().message;
  };
  EXPECT_EQ(said(R"({"name": "x", "dtype": "f16", "shape": [8], "offset": 0})"), "accepted");
  EXPECT_NE(said(R"({"name": "x", "dtype": "f16", "shape": [8], "offset": 0, "swizzle": 48})")
                .find("must be 0, 32, 64 or 128"),
            std::string::npos);
  EXPECT_NE(said(R"({"name": "x", "dtype": "f16", "shape": [12], "offset": 0, "tiling": [8]})"),
            "accepted"); // not a multiple of the tile
  EXPECT_NE(said(R"({"name": "x", "dtype": "f16", "shape": [8], "offset": -1})"), "accepted");
  EXPECT_NE(said(R"({"name": "x", "shape": [8], "offset": 0})"), "accepted");
}

TEST(SharedArrays, BytesAreElements) {
  constexpr uint32_t kStart = 1024; // the address of dynamic shared memory
  SharedArray plain{.name = "x", .dtype = Dtype::F16, .shape = {4, 8}, .offset = 64};
  EXPECT_EQ(elementsAt({&plain, 1}, 64, 2, kStart), "`x[0, 0]`");
  EXPECT_EQ(elementsAt({&plain, 1}, 64 + 16 + 4, 8, kStart), "`x[1, 2:6]`");
  EXPECT_EQ(elementsAt({&plain, 1}, 64, 32, kStart), "`x[0:2, 0:8]`");
  EXPECT_EQ(elementsAt({&plain, 1}, 64 + 12, 8, kStart), "`x[0, 6]` to `x[1, 1]`");
  EXPECT_EQ(elementsAt({&plain, 1}, 60, 8, kStart), "`x[0, 0:2]`"); // begins before the array
  EXPECT_EQ(elementsAt({&plain, 1}, 62, 2, kStart), "");
  EXPECT_EQ(elementsAt({&plain, 1}, 128, 2, kStart), "");

  SharedArray halves{.name = "h", .dtype = Dtype::I4, .shape = {16}, .offset = 0};
  EXPECT_EQ(elementsAt({&halves, 1}, 3, 1, kStart), "`h[6:8]`");

  std::vector<SharedArray> both{{.name = "a", .dtype = Dtype::F32, .shape = {16}, .offset = 0},
                                {.name = "b", .dtype = Dtype::I8, .shape = {4, 16}, .offset = 0}};
  EXPECT_EQ(elementsAt(both, 20, 4, kStart), "`a[5]` or `b[1, 4:8]`");
}

TEST(SharedArrays, TilesAndSwizzlesAreFollowed) {
  // Tiles of 8 x 64 halves are rows of 128 bytes. A 128-byte swizzle moves the 16-byte pieces of row r by r (PTX ISA,
  // "Swizzling modes").
  SharedArray tile{"tile", Dtype::F16, {2, 64, 64}, {8, 64}, 128, 1024};
  EXPECT_EQ(elementsAt({&tile, 1}, 1024, 16, 1024), "`tile[0, 0, 0:8]`");
  EXPECT_EQ(elementsAt({&tile, 1}, 1024 + 3 * 128, 16, 1024), "`tile[0, 3, 24:32]`");
  EXPECT_EQ(elementsAt({&tile, 1}, 1024 + 3 * 128 + 3 * 16, 16, 1024), "`tile[0, 3, 0:8]`");
  EXPECT_EQ(elementsAt({&tile, 1}, 1024 + 8192 + 8 * 128, 128, 1024), "`tile[1, 8, 0:64]`");
}

TEST(Launch, SeveralDevicesAreAnAxisOfEveryBuffer) {
  Result<Launch> launch = parse(kTwoDevices);
  ASSERT_TRUE(launch) << render(launch.error());
  EXPECT_EQ(launch->devices, 2u);
  EXPECT_EQ(launch->sharedBuffers(), 2u);
  EXPECT_EQ(launch->shapeOnDevice(*launch->buffers()[1]), (Shape{8, 8}));
  EXPECT_EQ(std::get<PointerParam>(launch->params[1]).peer.peers, (std::vector<uint32_t>{1, 0}));
  const auto &block = std::get<BytesParam>(launch->params[3]);
  EXPECT_EQ(block.metadata, 136u);
  EXPECT_TRUE(block.tensorMaps[0].peer.multicast);
  EXPECT_EQ(block.pointers[0].peer.peers, (std::vector<uint32_t>{1, 1}));
  std::string printed = toJson(*launch);
  Result<Launch> again = parse(printed);
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(toJson(*again), printed);
}

TEST(Launch, WhatIsOfSeveralDevicesIsRefusedWithoutThem) {
  auto refused = [](std::string_view from, std::string_view to) {
    std::string json = kTwoDevices;
    json.replace(json.find(from), from.size(), to);
    Result<Launch> launch = parse(json);
    return launch ? std::string() : render(launch.error());
  };
  EXPECT_NE(refused(R"("devices": 2,)", "").find("`peer` is for a launch with `devices`"), std::string::npos);
  EXPECT_NE(refused(R"("devices": 2,)", "").find("collective metadata are for a launch"), std::string::npos);
  EXPECT_NE(refused("[2, 64]", "[64]").find("a buffer's shape begins with 2; this one is (64,)"), std::string::npos);
  EXPECT_NE(refused("[1, 0]", "[1, 2]").find("`peer` is one of the 2 devices"), std::string::npos);
  EXPECT_NE(refused("\"offset\": 248", "\"offset\": 256").find("which has 256 bytes"), std::string::npos);
  EXPECT_NE(refused("\"devices\": 2", "\"devices\": 100").find("devices"), std::string::npos);
}

TEST(Launch, ReadsScalarsOfEveryKind) {
  auto bits = [](std::string dtype, std::string value) -> std::optional<uint64_t> {
    Result<Launch> launch =
        parse(R"({"entry": "k", "grid": [1,1,1], "block": [1,1,1], "params": [{"kind": "scalar", "dtype": ")" + dtype +
              R"(", "value": )" + value + "}]}");
    if (!launch)
      return std::nullopt;
    return std::get<ScalarParam>(launch->params[0]).bits;
  };
  EXPECT_EQ(bits("f32", "1"), 0x3F800000u);
  EXPECT_EQ(bits("f16", "0.5"), 0x3800u);
  EXPECT_EQ(bits("f64", "1e0"), 0x3FF0000000000000u);
  EXPECT_EQ(bits("u64", "18446744073709551615"), ~uint64_t{0});
  EXPECT_EQ(bits("i64", "-1"), ~uint64_t{0});
  EXPECT_EQ(bits("i1", "true"), 1u);
  EXPECT_EQ(bits("i64", "18446744073709551615"), std::nullopt);
  EXPECT_EQ(bits("u64", "-1"), std::nullopt);
  EXPECT_EQ(bits("i8", "128"), std::nullopt);
  EXPECT_EQ(bits("i32", "1.5"), std::nullopt);
  EXPECT_EQ(bits("i32", "\"1\""), std::nullopt);
  EXPECT_EQ(bits("f32", "\"inf\""), 0x7F800000u);
  EXPECT_EQ(bits("f16", "\"-inf\""), 0xFC00u);
  EXPECT_EQ(bits("f64", "\"nan\"").value_or(0) >> 51, 0xFFFu);
  EXPECT_EQ(bits("i32", "\"inf\""), std::nullopt);
  EXPECT_EQ(bits("f32", "\"2.5\""), std::nullopt);
}

TEST(Launch, ErrorsPointAtTheirPlace) {
  std::string json = kExample;
  json.replace(json.find("\"f16\", \"shape\": [8"), 5, "\"f17\"");
  Result<Launch> launch = parse(json);
  ASSERT_FALSE(launch);
  ASSERT_EQ(launch.error().size(), 1u) << render(launch.error());
  const Diagnostic &problem = launch.error()[0];
  EXPECT_EQ(problem.kind, "launch");
  ASSERT_TRUE(problem.span.source);
  EXPECT_EQ(json.substr(problem.span.begin, problem.span.end - problem.span.begin), "\"f17\"");
  EXPECT_NE(problem.message.find("bf16"), std::string::npos);
}

TEST(Launch, RefusesWhatMakesNoSense) {
  struct Case {
    const char *from, *to;
  };
  for (auto [from, to] : std::initializer_list<Case>{{"\"entry\": \"kernel_name\"", "\"entry\": 3"},
                                                     {"[1, 2, 3]", "[1, 2, 3, 1]"},
                                                     {"[1, 2, 3]", "[1, 0, 3]"},
                                                     {"[1, 2, 3]", "\"123\""},
                                                     {"\"buffer\"", "\"buffers\""},
                                                     {"[64, 128]", "[64, -1]"},
                                                     {"[64, 128]", "[1000000000, 1000000000]"},
                                                     {"\"size\": 136", "\"size\": 120"},
                                                     {"\"align\": 64", "\"align\": 65"},
                                                     {"\"buffer\": 0", "\"buffer\": 1"},
                                                     {"\"swizzle\": 128", "\"swizzle\": 100"},
                                                     {"[2048, 128, 256]", "[2048, 128]"},
                                                     {"\"zeros\"", "\"ones\""},
                                                     {"\"pointers\"", "\"pointer\""},
                                                     {"\"offset\": 128", "\"offset\": 129"},
                                                     {"\"params\": [", "\"params\": [3, "},
                                                     {"]}]}", "]}]"},
                                                     {"]}]}", "]}]} x"},
                                                     {"]}]}", "]}]}}"}}) {
    std::string json = kExample;
    size_t at = json.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    json.replace(at, std::string(from).size(), to);
    Result<Launch> launch = parse(json);
    ASSERT_FALSE(launch) << to;
    EXPECT_TRUE(launch.error()[0].span.source) << to;
  }
  for (const char *json : {"", " ", "3", "null", "[]", "{}", "{\"entry\"", "\xff", "{\"entry\": \"\xff\"}"})
    EXPECT_FALSE(parse(json)) << json;
  EXPECT_FALSE(parse(std::string(100000, '[')));
  std::string deep;
  for (int i = 0; i < 1000; ++i)
    deep += "{\"params\":";
  EXPECT_FALSE(parse(deep));
}

// A broken rule of a descriptor is reported at the member that breaks it.
TEST(Launch, DescriptorsAreToldWhereTheyAreWrong) {
  struct Case {
    const char *from, *to, *at, *says;
  };
  for (auto [from, to, at, says] :
       {Case{"\"swizzle\": 128", "\"swizzle\": 64", "[8, 2, 8, 64], \"swizzle\"", "more than the swizzle's 64"},
        Case{"\"box\": [8, 2, 8, 64]", "\"box\": [8, 2, 8, 3]", "[8, 2, 8, 3]", "not a multiple of 16 bytes"},
        Case{"[2048, 128, 256]", "[2048, 120, 256]", "[2048, 120, 256]", "a stride of 120 bytes"}}) {
    std::string json = kExample;
    size_t found = json.find(from);
    ASSERT_NE(found, std::string::npos) << from;
    json.replace(found, std::string(from).size(), to);
    Result<Launch> launch = parse(json);
    ASSERT_FALSE(launch) << to;
    EXPECT_NE(launch.error()[0].message.find(says), std::string::npos) << launch.error()[0].message;
    EXPECT_EQ(launch.error()[0].span.begin, json.find(at)) << render(launch.error());
  }
}

TEST(Launch, EveryTruncationIsAnError) {
  std::string json = kExample;
  for (size_t size = 0; size < json.size(); ++size)
    EXPECT_FALSE(parse(json.substr(0, size))) << size;
}

} // namespace
} // namespace lanescope::core
