// The texels that a fetch reads: every coordinate of small textures against a plain reading of the guide's formulas.
#include "core/gpu/emulator/instructions/TextureTaps.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

namespace lanescope::core::emulator {
namespace {

constexpr Outside kAllOutsides[] = {Outside::Wrap, Outside::Clamp, Outside::Mirror, Outside::Border};

Texture lineOf(uint32_t width, Outside outside, bool normalised, bool filtered) {
  Texture texture;
  texture.sizes = {width, 1, 1};
  texture.outside = {outside, outside, outside};
  texture.normalised = normalised;
  texture.filtered = filtered;
  return texture;
}

TextureTaps at(const Texture &texture, float x) {
  return tapsOf(texture, {.bits = {std::bit_cast<uint32_t>(x)}, .shape = TextureShape::Line}, false);
}

/// The guide's rules for a coordinate of a point-sampled texture. -1: the border.
int64_t reference(const Texture &texture, float x) {
  double size = texture.sizes[0], u = x;
  Outside outside = texture.outside[0];
  if (texture.normalised && outside == Outside::Wrap)
    u -= std::floor(u);
  else if (texture.normalised && outside == Outside::Mirror)
    u = std::fmod(std::floor(u), 2) == 0 ? u - std::floor(u) : 1 - (u - std::floor(u));
  double place = std::floor(texture.normalised ? u * size : u);
  if (outside == Outside::Border && (place < 0 || place >= size))
    return -1;
  return static_cast<int64_t>(std::min(std::max(place, 0.0), size - 1));
}

TEST(TextureTaps, PointsFollowTheGuide) {
  for (Outside outside : kAllOutsides)
    for (bool normalised : {false, true})
      for (uint32_t width : {1u, 2u, 8u})
        for (float x = -2.9375f; x < 3; x += 0.125f) { // the middle of an eighth, so that no edge is hit
          Texture texture = lineOf(width, outside, normalised, false);
          TextureTaps taps = at(texture, x);
          ASSERT_EQ(taps.count, 1u);
          int64_t wanted = reference(texture, x);
          EXPECT_EQ(taps.taps[0].inside, wanted >= 0) << x;
          if (wanted >= 0)
            EXPECT_EQ(taps.taps[0].offset, static_cast<uint64_t>(wanted) * 4) << x << ' ' << width;
        }
}

TEST(TextureTaps, WeightsHaveEightBitsAndSumToOne) {
  for (Outside outside : kAllOutsides)
    for (float x = -1.3f; x < 6; x += 0.0173f) {
      TextureTaps taps = at(lineOf(4, outside, false, true), x);
      ASSERT_EQ(taps.count, 2u);
      EXPECT_EQ(taps.taps[0].weight + taps.taps[1].weight, 1.0);
      EXPECT_EQ(std::floor(taps.taps[1].weight * 256), taps.taps[1].weight * 256);
      if (outside != Outside::Clamp)
        continue;
      double place = 0; // the weighted mean of the texels' places
      for (size_t n = 0; n < 2; ++n)
        place += taps.taps[n].weight * static_cast<double>(taps.taps[n].offset) / 4;
      EXPECT_NEAR(place, std::min(std::max(x - 0.5, 0.0), 3.0), 0.5 / 256 + 1e-6) << x;
    }
  TextureTaps middle = at(lineOf(4, Outside::Clamp, false, true), 2.5f);
  EXPECT_EQ(middle.taps[0].weight, 1.0);
  EXPECT_EQ(middle.taps[0].offset, 8u);
}

TEST(TextureTaps, OddCoordinatesStayInside) {
  for (float x : {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, -0.0f})
    for (bool filtered : {false, true})
      for (Outside outside : kAllOutsides)
        for (bool normalised : {false, true}) {
          TextureTaps taps = at(lineOf(4, outside, normalised, filtered), x);
          for (size_t n = 0; n < taps.count; ++n)
            EXPECT_LE(taps.taps[n].offset, 12u);
        }
}

TEST(TextureTaps, IntegersAreNeitherFilteredNorNormalised) {
  Texture texture = lineOf(4, Outside::Clamp, true, true);
  for (int x : {-1, 0, 2, 3, 4}) {
    TextureTaps taps =
        tapsOf(texture, {.bits = {static_cast<uint32_t>(x)}, .shape = TextureShape::Line, .integers = true}, false);
    ASSERT_EQ(taps.count, 1u);
    EXPECT_EQ(taps.taps[0].offset, 4u * static_cast<uint64_t>(std::min(std::max(x, 0), 3)));
  }
}

TEST(TextureTaps, LayersStopAtTheLastOne) {
  Texture texture = lineOf(2, Outside::Clamp, false, false);
  texture.slice = 8;
  texture.layers = 3;
  for (auto [layer, wanted] : {std::pair(-1, 0u), {0, 0u}, {2, 16u}, {7, 16u}}) {
    TextureTaps taps = tapsOf(texture, {.bits = {static_cast<uint32_t>(layer)}, .shape = TextureShape::Lines}, false);
    EXPECT_EQ(taps.taps[0].offset, wanted);
  }
}

TEST(TextureTaps, FacesMeetTheirAxes) {
  Texture texture;
  texture.sizes = {4, 4, 1};
  texture.pitch = 16;
  texture.slice = 64;
  texture.layers = 6;
  auto face = [&](float x, float y, float z) {
    auto bits = [](float v) { return std::bit_cast<uint32_t>(v); };
    return tapsOf(texture, {.bits = {bits(x), bits(y), bits(z)}, .shape = TextureShape::Cube}, false).taps[0].offset /
           64;
  };
  EXPECT_EQ(face(2, 1, -1), 0u);
  EXPECT_EQ(face(-2, 1, -1), 1u);
  EXPECT_EQ(face(1, 2, -1), 2u);
  EXPECT_EQ(face(1, -2, -1), 3u);
  EXPECT_EQ(face(1, 1, 2), 4u);
  EXPECT_EQ(face(1, 1, -2), 5u);
  EXPECT_EQ(face(0, 0, 0), 0u);
}

TEST(TextureTaps, TexelsBecomeNumbers) {
  Texture texture;
  texture.channels = 2;
  texture.channelBytes = 2;
  texture.channel = Channel::Signed;
  const int16_t texel[] = {-32768, 32767};
  auto from = reinterpret_cast<const std::byte *>(texel);
  EXPECT_EQ(texelWords(texture, from), (TexelWords{static_cast<uint32_t>(-32768), 32767, 0, 0}));
  texture.fraction = true;
  EXPECT_EQ(texelWords(texture, from), (TexelWords{std::bit_cast<uint32_t>(-1.0f), std::bit_cast<uint32_t>(1.0f)}));
  texture.border = {0.5f, 2, 3, 4};
  EXPECT_EQ(borderWords(texture)[0], std::bit_cast<uint32_t>(0.5f));
  EXPECT_EQ(borderWords(texture)[2], 0u);
}

/// The weights of an H200, in 256ths, at coordinates whose products of fractions have to be rounded.
TEST(TextureTaps, WeightsOfPlanesAndSpacesAreRounded) {
  struct Case {
    std::array<int, 3> fraction;
    std::array<int, 8> weights; // x first, then y, then z
  };
  const Case cases[] = {
      {{134, 184, 171}, {12, 12, 29, 32, 23, 25, 58, 65}}, {{194, 213, 192}, {3, 8, 12, 41, 8, 25, 38, 121}},
      {{208, 175, 142}, {7, 29, 14, 64, 9, 36, 18, 79}},   {{156, 133, 175}, {15, 24, 17, 25, 33, 51, 35, 56}},
      {{155, 187, 148}, {12, 18, 31, 47, 16, 24, 42, 66}}, {{209, 174, 178}, {4, 20, 10, 44, 11, 46, 22, 99}}};
  Texture texture = lineOf(4, Outside::Clamp, false, true);
  texture.sizes = {4, 4, 4};
  for (const Case &one : cases) {
    TextureCoordinates at{.shape = TextureShape::Space};
    for (size_t n = 0; n < 3; ++n)
      at.bits[n] = std::bit_cast<uint32_t>(0.5f + static_cast<float>(one.fraction[n]) / 256);
    TextureTaps taps = tapsOf(texture, at, false);
    ASSERT_EQ(taps.count, 8u);
    for (size_t n = 0; n < 8; ++n)
      EXPECT_EQ(taps.taps[n].weight * 256, one.weights[n]) << n;
  }
  TextureCoordinates plane{.shape = TextureShape::Plane};
  plane.bits = {std::bit_cast<uint32_t>(0.5f + 61.0f / 256), std::bit_cast<uint32_t>(1.0f)};
  TextureTaps taps = tapsOf(texture, plane, false);
  ASSERT_EQ(taps.count, 4u);
  for (auto [n, weight] : {std::pair(0, 98), {1, 30}, {2, 97}, {3, 31}})
    EXPECT_EQ(taps.taps[static_cast<size_t>(n)].weight * 256, weight) << n;
}

} // namespace
} // namespace lanescope::core::emulator
