// TMA in the im2col modes. Loads are compared with a plain reference, from 3 to 5 dimensions, with padding, strides,
// offsets and swizzles; then stores, reductions and refused forms.
#include "tests/unit/emulator/EmulatorSupport.h"

#include "layouts/support/Text.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace lanescope::core::test {
namespace {

/// Images [N, …, W, C] of f32 and how a kernel reads them. Members with several dimensions start at W and go outwards.
struct Case {
  Shape shape;                             // outermost first
  Shape lower, upper, steps, base, offset; // from W outwards; `base` without channel and image
  int64_t channel = 0, image = 0, pixels = 32, channels = 8;
  int swizzle = 0;
  bool nan = false;
  TmaMode mode = TmaMode::Im2col;
};

size_t axes(const Case &c) { return c.shape.size() - 2; }

std::vector<float> counted(const Shape &shape) {
  std::vector<float> values(static_cast<size_t>(layouts::elementCount(shape)));
  std::iota(values.begin(), values.end(), 1.0f);
  return values;
}

/// The tile without its swizzle. Pixel p is the p-th place of the bounding box after the base, counted across images.
std::vector<float> reference(const Case &c) {
  size_t n = axes(c);
  bool wide = c.mode != TmaMode::Im2col;
  std::vector<float> from = counted(c.shape), out;
  float outside = c.nan ? std::numeric_limits<float>::quiet_NaN() : 0;
  Shape counts(n, 1), start(n, 0);
  for (size_t d = 0; d < (wide ? 1 : n); ++d) {
    int64_t size = c.shape[n - d];
    counts[d] = (size - 1 + c.upper[d] - c.lower[d]) / c.steps[d] + 1;
    start[d] = (c.base[d] - c.lower[d]) / c.steps[d];
  }
  int64_t first = c.image;
  for (size_t d = n; d-- > 0;)
    first = first * counts[d] + start[d];
  for (int64_t p = 0; p < c.pixels; ++p) {
    int64_t rest = first + p, place = 0, stride = c.shape.back();
    bool inside = true;
    for (size_t d = 0; d < n; ++d) {
      int64_t at = rest % counts[d] * c.steps[d] + c.lower[d];
      if (wide && d > 0)
        at = c.base[d];
      at += c.offset[d];
      rest /= counts[d];
      inside &= at >= 0 && at < c.shape[n - d];
      place += at * stride;
      stride *= c.shape[n - d];
    }
    inside &= rest >= 0 && rest < c.shape[0];
    place += rest * stride;
    for (int64_t k = c.channel; k < c.channel + c.channels; ++k)
      out.push_back(inside && k < c.shape.back() ? from[static_cast<size_t>(place + k)] : outside);
  }
  return out;
}

std::vector<float> withoutSwizzle(const std::vector<float> &image, int swizzle) {
  std::vector<float> out(image.size());
  for (size_t k = 0; k < out.size(); ++k) {
    size_t byte = k * 4, chunk = byte / 16;
    size_t turned = swizzle ? (byte / 128) % static_cast<size_t>(swizzle / 16) : 0;
    out[k] = image[((chunk ^ turned) * 16 + byte % 16) / 4];
  }
  return out;
}

std::string joinedList(const std::vector<int64_t> &values) {
  std::string out;
  for (int64_t value : values)
    out += (out.empty() ? "" : ", ") + std::to_string(value);
  return out;
}

std::string coordinatesOf(const Case &c) {
  std::vector<int64_t> all{c.channel};
  all.insert(all.end(), c.base.begin(), c.base.end());
  all.push_back(c.image);
  return joinedList(all);
}

TensorMapSpec mapOf(const Case &c) {
  TensorMapSpec map;
  map.dtype = Dtype::F32;
  map.shape = c.shape;
  int64_t stride = 4;
  for (size_t n = c.shape.size(); n-- > 1;)
    map.stridesBytes.insert(map.stridesBytes.begin(), stride *= c.shape[n]);
  map.swizzle = c.swizzle;
  map.oobNan = c.nan;
  map.mode = c.mode;
  bool wide = c.mode != TmaMode::Im2col;
  map.im2col = {Shape(c.lower.rbegin() + (wide ? static_cast<long>(axes(c)) - 1 : 0), c.lower.rend()),
                Shape(c.upper.rbegin() + (wide ? static_cast<long>(axes(c)) - 1 : 0), c.upper.rend()), c.pixels,
                c.channels};
  map.elementStrides = {1};
  map.elementStrides.insert(map.elementStrides.end(), c.steps.rbegin(), c.steps.rend());
  map.elementStrides.push_back(1);
  return map;
}

/// One thread loads the tile through the descriptor, and all threads copy its bytes to p0. `load` replaces the case's
/// own operands.
Result<RunResult> load(const Case &c, const std::string &load = "", const std::string &target = "sm_100a") {
  uint32_t pixels = c.mode == TmaMode::Im2colW128 ? 128 : static_cast<uint32_t>(c.pixels);
  uint32_t bytes = pixels * static_cast<uint32_t>(c.channels) * 4;
  std::string size = std::to_string(bytes), bar = "[smem+" + size + "]", rank = std::to_string(c.shape.size());
  std::string offsets = c.mode == TmaMode::Im2col ? joinedList(c.offset) : text("0, ", c.offset[0]);
  std::string copy = load.empty() ? text("cp.async.bulk.tensor.", rank, "d.shared::cluster.global.", name(c.mode),
                                         ".mbarrier::complete_tx::bytes [smem], [%d1, {", coordinatesOf(c), "}], ", bar,
                                         ", {", offsets, "};")
                                  : load;
  std::string ptx =
      ".version 9.0\n.target " + target +
      "\n.address_size 64\n.extern .shared .align 1024 .b8 smem[];\n"
      ".visible .entry k(.param .u64 p0, .param .align 64 .b8 map[128])\n{\n.reg .pred %p<9>;\n"
      ".reg .b16 %h<9>;\n.reg .b32 %r<9>;\n.reg .b64 %d<9>;\nld.param.u64 %d0, [p0];\nmov.b64 %d1, map;\n"
      "cvta.param.u64 %d1, %d1;\nmov.u32 %r0, %tid.x;\nsetp.eq.u32 %p1, %r0, 0;\n"
      "@%p1 mbarrier.init.shared::cta.b64 " +
      bar + ", 1;\nfence.mbarrier_init.release.cluster;\nbar.sync 0;\n@!%p1 bra WAIT;\n" +
      "mbarrier.arrive.expect_tx.shared.b64 %d2, " + bar + ", " + size + ";\n" + copy +
      "\nWAIT:\nmbarrier.try_wait.parity.shared.b64 %p2, " + bar +
      ", 0;\n@!%p2 bra.uni WAIT;\nmov.u32 %r1, %r0;\nshl.b32 %r1, %r1, 2;\nmov.b64 %d3, smem;\nCOPY:\n"
      "setp.ge.u32 %p3, %r1, " +
      size +
      ";\n@%p3 bra DONE;\ncvt.u64.u32 %d4, %r1;\nadd.s64 %d5, %d3, %d4;\nld.shared.b32 %r2, [%d5];\n"
      "add.s64 %d6, %d0, %d4;\nst.global.b32 [%d6], %r2;\nadd.u32 %r1, %r1, 128;\nbra COPY;\nDONE:\nret;\n}\n";
  Launch launch;
  launch.entry = "k";
  launch.block = {32, 1, 1};
  launch.dynamicSmem = bytes + 8;
  Array input = Array::zeros(Dtype::F32, c.shape), out = Array::zeros(Dtype::F32, {bytes / 4});
  std::vector<float> values = counted(c.shape);
  std::memcpy(input.bytes.data(), values.data(), input.bytes.size());
  BytesParam block;
  block.size = 128;
  block.buffers = {{Dtype::F32, c.shape, "", "", ""}};
  block.tensorMaps = {mapOf(c)};
  launch.params = {BufferParam{{Dtype::F32, out.shape, "", "", ""}}, block};
  auto again = parseLaunch(Source::make("launch.json", toJson(launch))); // the written description reads back equal
  if (!again)
    return std::unexpected(again.error());
  return emulate(Source::make("k.ptx", ptx), *again, std::vector<Array>{out, input}, {});
}

void expectReference(const Case &c) {
  SCOPED_TRACE(text("shape ", layouts::tupleText(c.shape), " at ", coordinatesOf(c), " offset ", joinedList(c.offset),
                    " steps ", joinedList(c.steps), " swizzle ", c.swizzle, " ", name(c.mode)));
  auto result = load(c);
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  std::vector<float> image(result->outputs[0].bytes.size() / 4);
  std::memcpy(image.data(), result->outputs[0].bytes.data(), image.size() * 4);
  std::vector<float> got = withoutSwizzle(image, c.swizzle), expected = reference(c);
  ASSERT_EQ(got.size(), expected.size());
  for (size_t k = 0; k < got.size(); ++k)
    ASSERT_TRUE(got[k] == expected[k] || (std::isnan(got[k]) && std::isnan(expected[k])))
        << "pixel " << k / static_cast<size_t>(c.channels) << " channel " << k % static_cast<size_t>(c.channels) << ": "
        << got[k] << " for " << expected[k];
}

Case images4() { return {{3, 5, 6, 16}, {-1, -1}, {-1, -1}, {1, 1}, {-1, -1}, {0, 0}}; }

TEST(Im2col, EveryElementOfAFilter) {
  for (int64_t r = 0; r < 3; ++r)
    for (int64_t s = 0; s < 3; ++s) {
      Case c = images4();
      c.offset = {s, r};
      expectReference(c);
    }
}

TEST(Im2col, ThreeToFiveDimensions) {
  expectReference({{4, 9, 16}, {-2}, {-2}, {1}, {3}, {4}});
  expectReference({{4, 9, 16}, {-2}, {1}, {2}, {0}, {0}});
  Case volume{{2, 3, 4, 5, 8}, {-1, -1, -1}, {-1, -1, -1}, {1, 1, 1}, {2, 1, 0}, {2, 1, 2}};
  volume.pixels = 70;
  expectReference(volume);
  volume.steps = {2, 1, 2};
  volume.base = {1, 0, -1};
  volume.pixels = 20;
  expectReference(volume);
}

TEST(Im2col, StridesSkipPixelsAndNotTheirNumber) {
  Case c = images4();
  c.steps = {2, 3};
  c.base = {1, 2};
  c.offset = {1, 1};
  expectReference(c);
  c.steps = {8, 1};
  c.base = {-1, 0};
  expectReference(c);
}

TEST(Im2col, SwizzlesAndChannels) {
  for (int swizzle : {0, 32, 64, 128})
    for (int64_t channels : {8, 16, 32}) {
      if (swizzle && channels * 4 > swizzle)
        continue;
      Case c = images4();
      c.shape = {3, 5, 6, 40};
      c.channels = channels;
      c.channel = 24; // some channels reach beyond the last
      c.swizzle = swizzle;
      c.offset = {2, 0};
      expectReference(c);
    }
}

TEST(Im2col, BehindTheLastImageIsFill) {
  for (bool nan : {false, true}) {
    Case c = images4();
    c.image = 2;
    c.base = {3, 2};
    c.nan = nan;
    expectReference(c);
    c.image = 7;
    c.base = {0, 0};
    expectReference(c);
  }
}

TEST(Im2col, TheIsasExamples) {
  // PTX ISA, "im2col mode", examples 1 to 3, with fewer images and channels.
  Case c{{9, 9, 14, 8}, {-1, -1}, {-1, -1}, {1, 1}, {4, 7}, {0, 0}};
  c.image = 7;
  c.pixels = 64;
  expectReference(c);
  c.lower = {0, 0};
  c.upper = {-2, -2};
  c.base = {4, 5};
  c.offset = {2, 2};
  expectReference(c);
  Case strided{{9, 8, 14, 16}, {-1, -1}, {-1, -1}, {2, 2}, {5, 5}, {1, 1}};
  strided.image = 7;
  strided.channels = 16;
  expectReference(strided);
}

TEST(Im2col, TheWidthAlone) {
  Case c{{20, 3, 6, 16}, {-1, 0}, {-1, 0}, {1, 1}, {2, 1}, {0, 0}};
  c.mode = TmaMode::Im2colW;
  c.channels = 16;
  c.swizzle = 64;
  for (int64_t offset : {0, 1, 2}) {
    c.offset[0] = offset;
    expectReference(c);
  }
  c.steps = {2, 1};
  c.base = {1, 2};
  expectReference(c);
  Case volume{{9, 2, 3, 6, 16}, {-1, 0, 0}, {0, 0, 0}, {1, 1, 1}, {-1, 2, 1}, {1, 0, 0}};
  volume.mode = TmaMode::Im2colW;
  volume.channels = 16;
  volume.swizzle = 128;
  expectReference(volume);
  c = {{30, 3, 6, 16}, {0, 0}, {0, 0}, {1, 1}, {3, 2}, {0, 0}};
  c.mode = TmaMode::Im2colW128;
  c.channels = 16;
  c.swizzle = 64;
  c.pixels = 128;
  expectReference(c);
}

TEST(Im2col, IsTheConvolutionsMatrix) {
  // Columns of all output pixels of a padded, strided 3 x 3 convolution, one load per filter element.
  Case c{{2, 7, 7, 8}, {-1, -1}, {-1, -1}, {2, 2}, {-1, -1}, {0, 0}};
  c.pixels = 32; // 4 x 4 of each of two images
  std::vector<float> from = counted(c.shape);
  for (int64_t r = 0; r < 3; ++r)
    for (int64_t s = 0; s < 3; ++s) {
      c.offset = {s, r};
      auto result = load(c);
      ASSERT_TRUE(result) << errorText(result.error());
      ASSERT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
      for (int64_t pixel = 0; pixel < 32; ++pixel) {
        int64_t h = pixel / 4 % 4 * 2 + r - 1, w = pixel % 4 * 2 + s - 1;
        bool inside = h >= 0 && h < 7 && w >= 0 && w < 7;
        for (int64_t k = 0; k < 8; ++k)
          ASSERT_EQ(result->outputs[0].number(pixel * 8 + k),
                    inside ? from[static_cast<size_t>(((pixel / 16 * 7 + h) * 7 + w) * 8 + k)] : 0);
      }
    }
}

//===------------------------------------ stores and reductions ---------------------------------------------------===//

/// Writes 1, 2, … to shared memory and stores them from `coordinates` on, as 12 pixels of 8 channels, into [3, 4, 5, 8]
/// of tens.
Result<RunResult> store(const std::string &words, const Case &c, const std::string &coordinates) {
  std::string ptx = ".version 9.0\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 smem[];\n"
                    ".visible .entry k(.param .align 64 .b8 map[128])\n{\n.reg .pred %p<9>;\n.reg .b32 %r<9>;\n"
                    ".reg .f32 %f<9>;\n.reg .b64 %d<9>;\nmov.b64 %d1, map;\ncvta.param.u64 %d1, %d1;\n"
                    "mov.u32 %r0, %tid.x;\nadd.u32 %r1, %r0, 1;\ncvt.rn.f32.u32 %f1, %r1;\nmul.wide.u32 %d2, %r0, 4;\n"
                    "mov.b64 %d3, smem;\nadd.s64 %d3, %d3, %d2;\nst.shared.f32 [%d3], %f1;\n"
                    "fence.proxy.async.shared::cta;\nbar.sync 0;\nsetp.eq.u32 %p1, %r0, 0;\n@%p1 " +
                    words + " [%d1, {" + coordinates +
                    "}], [smem];\n@%p1 cp.async.bulk.commit_group;\n@%p1 cp.async.bulk.wait_group 0;\nret;\n}\n";
  Launch launch;
  launch.entry = "k";
  launch.block = {96, 1, 1};
  launch.dynamicSmem = 384;
  BytesParam block;
  block.size = 128;
  block.buffers = {{Dtype::F32, c.shape, "", "", ""}};
  block.tensorMaps = {mapOf(c)};
  launch.params = {block};
  Array array = Array::zeros(Dtype::F32, c.shape);
  for (int64_t k = 0; k < array.size(); ++k)
    array.setNumber(k, 10);
  return emulate(Source::make("k.ptx", ptx), launch, std::vector<Array>{array}, {});
}

Case inner() {
  Case c{{3, 4, 5, 8}, {1, 0}, {-1, -1}, {1, 1}, {0, 0}, {0, 0}}; // W 1…3, H 0…2
  c.pixels = 12;
  return c;
}

TEST(Im2col, StoresAndReductionsWalkAsLoadsDo) {
  for (bool adds : {false, true}) {
    std::string words = adds ? "cp.reduce.async.bulk.tensor.4d.global.shared::cta.add.im2col_no_offs.bulk_group"
                             : "cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group";
    auto result = store(words, inner(), "0, 2, 1, 1");
    ASSERT_TRUE(result) << errorText(result.error());
    ASSERT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
    std::vector<double> expected(480, 10);
    int64_t pixel = 1 * 9 + 1 * 3 + 1; // image, row and column within the box
    for (int64_t n = 0; n < 12; ++n, ++pixel)
      for (int64_t k = 0; k < 8; ++k)
        if (pixel < 27) {
          size_t at = static_cast<size_t>(((pixel / 9 * 4 + pixel / 3 % 3) * 5 + pixel % 3 + 1) * 8 + k);
          expected[at] = static_cast<double>(n * 8 + k + 1) + (adds ? 10 : 0);
        }
    for (size_t k = 0; k < expected.size(); ++k)
      ASSERT_EQ(result->outputs[0].number(static_cast<int64_t>(k)), expected[k]) << k << " adds " << adds;
  }
}

TEST(Im2col, StoresStayInTheArray) {
  const char *words = "cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group";
  Case c = inner();
  c.lower[0] = -1;
  auto result = store(words, c, "0, 1, 1, 1");
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(mentions(result->diagnostics, "a store whose bounding box along W, from -1 to 3, leaves the array"))
      << errorText(result->diagnostics);
  result = store(words, inner(), "0, 1, 1, -1");
  ASSERT_TRUE(result) << errorText(result.error());
  EXPECT_TRUE(mentions(result->diagnostics, "coordinate 3 of this copy to global memory is -1"))
      << errorText(result->diagnostics);
  EXPECT_FALSE(store("cp.async.bulk.tensor.4d.global.shared::cta.im2col.bulk_group", inner(), "0, 1, 1, 1"));
}

//===------------------------------------ refused forms -----------------------------------------------------------===//

TEST(Im2col, WrongUsesAreTold) {
  auto told = [](const Case &c, const std::string &words = "") {
    auto result = load(c, words);
    return result ? errorText(result->diagnostics) : errorText(result.error());
  };
  auto has = [](const std::string &all, std::string_view part) { return all.find(part) != std::string::npos; };
  Case c = images4();
  c.base = {5, 0};
  EXPECT_TRUE(has(told(c), "starts at W = 5, outside of its bounding box from -1 to 4")) << told(c);
  c = images4();
  c.offset = {256, 0};
  EXPECT_TRUE(has(told(c), "the offset 256 along W is not in [0, 256)")) << told(c);
  c = images4();
  std::string bar = text("[smem+", c.pixels * c.channels * 4, "]");
  std::string tiled =
      "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [smem], [%d1, {0, "
      "0, 0, 0}], " +
      bar + ";";
  EXPECT_TRUE(has(told(c, tiled), "the copy has the mode `.tile`, and its descriptor has the mode `.im2col`"));
  std::string two =
      "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [smem], [%d1, {0, 0, "
      "0, 0}], " +
      bar + ", {0};";
  EXPECT_TRUE(has(told(c, two), "expected a vector of 2 offsets after the mbarrier"));
  std::string flat =
      "cp.async.bulk.tensor.2d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [smem], [%d1, {0, "
      "0}], " +
      bar + ", {0};";
  EXPECT_TRUE(has(told(c, flat), "an image has 3 to 5 dimensions"));
  Case wide{{20, 3, 6, 16}, {0, 0}, {0, 0}, {1, 1}, {6, 1}, {0, 0}};
  wide.mode = TmaMode::Im2colW;
  wide.channels = 16;
  wide.swizzle = 64;
  EXPECT_TRUE(has(told(wide), "starts at W = 6, right of its bounding box, which ends at 5")) << told(wide);
  wide.base[0] = 0;
  std::string halo =
      "cp.async.bulk.tensor.4d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes [smem], [%d1, {0, "
      "0, 0, 0}], [smem+2048], {2, 0};";
  EXPECT_TRUE(has(told(wide, halo), "a halo of 2 pixels is not modelled"));
  wide.offset[0] = 32;
  EXPECT_TRUE(has(told(wide), "the offset 32 of the width is not in [0, 32)"));
  wide.offset[0] = 0;
  auto older = load(wide, "", "sm_90a");
  ASSERT_FALSE(older);
  EXPECT_TRUE(mentions(older.error(), "`.im2col::w` needs `.target sm_100`")) << errorText(older.error());
}

TEST(Im2col, PrefetchesAreTaken) {
  Case c = images4();
  uint32_t bytes = static_cast<uint32_t>(c.pixels * c.channels) * 4;
  std::string bar = text("[smem+", bytes, "]");
  std::string copy =
      text("cp.async.bulk.prefetch.tensor.4d.L2.global.im2col [%d1, {0, 0, 0, 0}], {1, 1};\n"
           "cp.async.bulk.tensor.4d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [smem], [%d1, {0, -1, "
           "-1, 0}], ",
           bar, ", {0, 0};");
  auto result = load(c, copy);
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  std::vector<float> expected = reference(c);
  for (size_t k = 0; k < expected.size(); ++k)
    ASSERT_EQ(result->outputs[0].number(static_cast<int64_t>(k)), expected[k]);
}

TEST(ElementStrides, TiledCopiesTakeEverySecondElement) {
  // A box of 5 x 8 over 7 x 8 with a row stride of 2 covers rows 1, 3 and 5.
  Launch launch;
  TensorMapSpec map;
  map.dtype = Dtype::F32;
  map.shape = {7, 8};
  map.stridesBytes = {32};
  map.box = {5, 8};
  map.elementStrides = {2, 1};
  std::string ptx =
      ".version 9.0\n.target sm_90a\n.address_size 64\n.shared .align 128 .b8 tile[96];\n.shared .align 8 .b64 bar;\n"
      ".visible .entry k(.param .u64 p0, .param .align 64 .b8 map[128])\n{\n.reg .pred %p<9>;\n.reg .b32 %r<9>;\n"
      ".reg .b64 %d<9>;\nld.param.u64 %d0, [p0];\nmov.b64 %d1, map;\ncvta.param.u64 %d1, %d1;\n"
      "mbarrier.init.shared::cta.b64 [bar], 1;\nfence.mbarrier_init.release.cluster;\n"
      "mbarrier.arrive.expect_tx.shared.b64 %d2, [bar], 96;\n"
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%d1, {0, 1}], [bar];\n"
      "WAIT:\nmbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n@!%p2 bra.uni WAIT;\nmov.u32 %r1, 0;\n"
      "mov.b64 %d3, tile;\nCOPY:\ncvt.u64.u32 %d4, %r1;\nadd.s64 %d5, %d3, %d4;\nld.shared.b32 %r2, [%d5];\n"
      "add.s64 %d6, %d0, %d4;\nst.global.b32 [%d6], %r2;\nadd.u32 %r1, %r1, 4;\nsetp.lt.u32 %p3, %r1, 96;\n"
      "@%p3 bra COPY;\nret;\n}\n";
  launch.entry = "k";
  launch.block = {1, 1, 1};
  BytesParam block;
  block.size = 128;
  block.buffers = {{Dtype::F32, {7, 8}, "", "", ""}};
  block.tensorMaps = {map};
  launch.params = {BufferParam{{Dtype::F32, {24}, "", "", ""}}, block};
  Array input = Array::zeros(Dtype::F32, {7, 8});
  for (int64_t k = 0; k < 56; ++k)
    input.setNumber(k, static_cast<double>(k));
  auto result =
      emulate(Source::make("k.ptx", ptx), launch, std::vector<Array>{Array::zeros(Dtype::F32, {24}), input}, {});
  ASSERT_TRUE(result) << errorText(result.error());
  ASSERT_TRUE(result->diagnostics.empty()) << errorText(result->diagnostics);
  for (int64_t k = 0; k < 24; ++k)
    EXPECT_EQ(result->outputs[0].number(k), static_cast<double>((1 + k / 8 * 2) * 8 + k % 8));
}

} // namespace
} // namespace lanescope::core::test
