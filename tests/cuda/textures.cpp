// Textures and surfaces: their coordinates, filters and formats; and what is wrong about one.
#include "tests/cuda/CudaProgram.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

using namespace program;

namespace {

/// An entry that fetches with one instruction, at four numbers per thread, and stores four.
std::string fetching(std::string_view instruction) {
  return std::string(R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry fetch(.param .u64 texture, .param .u64 at, .param .u64 out)
{
  .reg .b32 %r<12>; .reg .b64 %rd<8>; .reg .b16 %h<2>;
  ld.param.u64 %rd1, [texture]; ld.param.u64 %rd2, [at]; ld.param.u64 %rd3, [out];
  mov.u32 %r1, %tid.x; mul.wide.u32 %rd4, %r1, 16;
  add.s64 %rd5, %rd2, %rd4; add.s64 %rd6, %rd3, %rd4;
  ld.global.v4.b32 {%r2, %r3, %r4, %r5}, [%rd5];
  mov.b32 %r6, 0; mov.b32 %r7, 0; mov.b32 %r8, 0; mov.b32 %r9, 0;
  )") + std::string(instruction) +
         R"(
  st.global.v4.b32 [%rd6], {%r6, %r7, %r8, %r9};
  ret;
})";
}

unsigned bits(float value) {
  unsigned out = 0;
  std::memcpy(&out, &value, 4);
  return out;
}
float number(unsigned value) {
  float out = 0;
  std::memcpy(&out, &value, 4);
  return out;
}

using Words = std::vector<unsigned>;

/// Fetches at coordinates of four words each.
Words fetch(std::string_view instruction, unsigned long long texture, const Words &at) {
  Function *kernel = load(fetching(instruction).c_str(), "fetch");
  DevicePointer places = reserve(at.size() * 4), out = reserve(at.size() * 4);
  CALL(cuMemcpyHtoD_v2(places, at.data(), at.size() * 4));
  CALL(launch(kernel, 1, static_cast<unsigned>(at.size() / 4), nullptr, texture, places, out));
  return read<unsigned>(out, at.size());
}
/// Only the first channel.
std::vector<float> floats(std::string_view instruction, unsigned long long texture, const Words &at) {
  std::vector<float> out;
  Words all = fetch(instruction, texture, at);
  for (size_t n = 0; n < all.size(); n += 4)
    out.push_back(number(all[n]));
  return out;
}
Words along(std::initializer_list<float> places, float second = 0) {
  Words out;
  for (float one : places)
    out.insert(out.end(), {bits(one), bits(second), 0, 0});
  return out;
}

enum { kWrap, kClamp, kMirror, kBorder };
TextureDescriptor sampling(int outside, bool filtered, unsigned flags) {
  TextureDescriptor out{};
  for (int &one : out.outside)
    one = outside;
  out.filter = filtered;
  out.flags = flags;
  out.border[0] = 9;
  return out;
}

TexelArray *arrayOf(size_t width, size_t height, size_t depth, unsigned flags, const std::vector<float> &texels) {
  ArrayDescriptor3D shape{width, height, depth, kFloat, 1, flags};
  TexelArray *array = nullptr;
  CALL(cuArray3DCreate_v2(&array, &shape));
  Copy3D copy{};
  copy.srcType = kHostMemory;
  copy.srcHost = texels.data();
  copy.srcPitch = copy.width = width * 4;
  copy.srcHeight = copy.height = std::max<size_t>(height, 1);
  copy.dstType = kArrayMemory;
  copy.dstArray = array;
  copy.depth = std::max<size_t>(depth, 1);
  CALL(cuMemcpy3D_v2(&copy));
  return array;
}
/// The texels of a plane of four in a row.
std::vector<float> read4(TexelArray *array, size_t height) {
  std::vector<float> out(4 * height);
  Copy2D copy{};
  copy.srcType = kArrayMemory;
  copy.srcArray = array;
  copy.dstType = kHostMemory;
  copy.dstHost = out.data();
  copy.dstPitch = copy.width = 16;
  copy.height = height;
  CALL(cuMemcpy2D_v2(&copy));
  return out;
}
unsigned long long textureOf(TexelArray *array, const TextureDescriptor &how) {
  ResourceDescriptor from{};
  from.array = array;
  unsigned long long out = 0;
  CALL(cuTexObjectCreate(&out, &from, &how, nullptr));
  return out;
}

constexpr std::string_view k1d = "tex.1d.v4.f32.f32 {%r6, %r7, %r8, %r9}, [%rd1, {%r2}];";
constexpr std::string_view k1dIntegers = "tex.1d.v4.s32.s32 {%r6, %r7, %r8, %r9}, [%rd1, {%r2}];";
constexpr std::string_view k2d = "tex.2d.v4.f32.f32 {%r6, %r7, %r8, %r9}, [%rd1, {%r2, %r3}];";
constexpr std::string_view k3d = "tex.3d.v4.f32.f32 {%r6, %r7, %r8, %r9}, [%rd1, {%r2, %r3, %r4, %r5}];";
constexpr std::string_view kLayers = "tex.a2d.v4.f32.f32 {%r6, %r7, %r8, %r9}, [%rd1, {%r2, %r3, %r4, %r5}];";
constexpr std::string_view kCube = "tex.cube.v4.f32.f32 {%r6, %r7, %r8, %r9}, [%rd1, {%r2, %r3, %r4, %r5}];";
constexpr std::string_view kGather = "tld4.r.2d.v4.f32.f32 {%r6, %r7, %r8, %r9}, [%rd1, {%r2, %r3}];";

using Floats = std::vector<float>;

void linearMemory() {
  int values[] = {-5, 6, 7};
  DevicePointer memory = reserve(sizeof values);
  CALL(cuMemcpyHtoD_v2(memory, values, sizeof values));
  ResourceDescriptor from{};
  from.type = kLinearResource;
  from.linear = {memory, kSignedInt32, 1, sizeof values};
  TextureDescriptor how = sampling(kClamp, false, kReadAsInteger);
  unsigned long long texture = 0;
  CALL(cuTexObjectCreate(&texture, &from, &how, nullptr));
  Words out = fetch(k1dIntegers, texture, {0, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, ~0u, 0, 0, 0});
  EXPECT(out[0] == static_cast<unsigned>(-5) && out[4] == 7);
  EXPECT(out[8] == 0 && out[12] == 0); // outside of linear memory
  ResourceDescriptor same{};
  CALL(cuTexObjectGetResourceDesc(&same, texture));
  EXPECT(same.linear.address == memory);
}

void outside() {
  TexelArray *array = arrayOf(4, 0, 0, 0, {0, 1, 2, 3});
  Words at = along({-0.75f, -0.25f, 0.25f, 1.25f, 1.75f});
  EXPECT((floats(k1d, textureOf(array, sampling(kWrap, false, kNormalisedCoordinates)), at) == Floats{1, 3, 1, 1, 3}));
  EXPECT(
      (floats(k1d, textureOf(array, sampling(kMirror, false, kNormalisedCoordinates)), at) == Floats{2, 0, 1, 2, 0}));
  EXPECT((floats(k1d, textureOf(array, sampling(kClamp, false, kNormalisedCoordinates)), at) == Floats{0, 0, 1, 3, 3}));
  EXPECT(
      (floats(k1d, textureOf(array, sampling(kBorder, false, kNormalisedCoordinates)), at) == Floats{9, 9, 1, 9, 9}));
  // Texels, not parts of the whole: these cannot repeat.
  EXPECT((floats(k1d, textureOf(array, sampling(kWrap, false, 0)), along({-1, 1.5f, 5})) == Floats{0, 1, 3}));
}

void filters() {
  TexelArray *line = arrayOf(4, 0, 0, 0, {0, 1, 2, 4});
  unsigned long long texture = textureOf(line, sampling(kClamp, true, 0));
  EXPECT((floats(k1d, texture, along({0, 0.5f, 1, 2.75f, 3, 9})) == Floats{0, 0, 0.5f, 2.5f, 3, 4}));
  // A weight has eight bits.
  EXPECT((floats(k1d, texture, along({0.5f + 1.0f / 1024, 0.5f + 3.0f / 256})) == Floats{0, 3.0f / 256}));
  TexelArray *plane = arrayOf(2, 2, 0, 0, {0, 1, 2, 3});
  EXPECT((floats(k2d, textureOf(plane, sampling(kClamp, true, 0)), along({1}, 1)) == Floats{1.5f}));
  EXPECT((floats(k2d, textureOf(plane, sampling(kBorder, true, 0)), along({0.5f}, 0)) == Floats{4.5f}));
  EXPECT((fetch(kGather, textureOf(plane, sampling(kClamp, false, 0)), along({1}, 1)) ==
          Words{bits(2), bits(3), bits(1), bits(0)}));
  TexelArray *space = arrayOf(2, 2, 2, 0, {0, 1, 2, 3, 4, 5, 6, 7});
  unsigned long long inSpace = textureOf(space, sampling(kClamp, true, kNormalisedCoordinates));
  EXPECT((floats(k3d, inSpace, {bits(0.5f), bits(0.5f), bits(0.5f), 0}) == Floats{3.5f}));
  EXPECT((floats(k3d, inSpace, {bits(0.75f), bits(0.25f), bits(0.75f), 0}) == Floats{5}));
}

void layersAndFaces() {
  TexelArray *layers = arrayOf(2, 2, 3, kArrayLayered, {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23});
  unsigned long long texture = textureOf(layers, sampling(kClamp, false, 0));
  EXPECT((floats(kLayers, texture, {1, bits(1.5f), bits(0.5f), 0, 9, 0, bits(1), 0}) == Floats{11, 22}));
  std::vector<float> faces;
  for (unsigned n = 0; n < 24; ++n)
    faces.push_back(static_cast<float>(n / 4));
  TexelArray *cube = arrayOf(2, 2, 6, kArrayCube, faces);
  float one = 1, back = -1;
  EXPECT((floats(kCube, textureOf(cube, sampling(kClamp, false, kNormalisedCoordinates)),
                 {bits(one), 0,          0, 0, bits(back), 0, 0,         0, 0, bits(one), 0,          0,
                  0,         bits(back), 0, 0, 0,          0, bits(one), 0, 0, 0,         bits(back), 0}) ==
          Floats{0, 1, 2, 3, 4, 5}));
}

void furtherForms() {
  // Layers of cubes: the layer comes first.
  std::vector<float> faces;
  for (unsigned n = 0; n < 48; ++n)
    faces.push_back(static_cast<float>(n / 4));
  TexelArray *cubes = arrayOf(2, 2, 12, kArrayCube | kArrayLayered, faces);
  EXPECT((floats("tex.acube.v4.f32.f32 {%r6, %r7, %r8, %r9}, [%rd1, {%r2, %r3, %r4, %r5}];",
                 textureOf(cubes, sampling(kClamp, false, kNormalisedCoordinates)),
                 {0, bits(-1), 0, 0, 1, bits(-1), 0, 0, 1, 0, 0, bits(1), 9, 0, bits(1), 0}) == Floats{1, 7, 10, 8}));

  // A sampler of its own: filter and addressing are the second handle's.
  TexelArray *line = arrayOf(4, 0, 0, 0, {0, 1, 2, 4});
  unsigned long long near = textureOf(line, sampling(kClamp, false, 0)),
                     other = textureOf(arrayOf(1, 0, 0, 0, {7}), sampling(kBorder, true, 0));
  auto half = [](unsigned long long value, bool upper) { return static_cast<unsigned>(value >> (upper ? 32 : 0)); };
  Words at = {bits(2.75f), 0, half(other, false), half(other, true),
              bits(4.0f),  0, half(other, false), half(other, true),
              bits(2.75f), 0, half(near, false),  half(near, true)};
  EXPECT((floats("mov.b64 %rd7, {%r4, %r5}; tex.1d.v4.f32.f32 {%r6, %r7, %r8, %r9}, [%rd1, %rd7, {%r2}];", near, at) ==
          Floats{2.5f, 6.5f, 2}));

  // Offsets, in texels.
  EXPECT((floats("tex.1d.v4.f32.f32 {%r6, %r7, %r8, %r9}, [%rd1, {%r2}], {%r3};", near,
                 {bits(0.5f), 1, 0, 0, bits(0.5f), static_cast<unsigned>(-3), 0, 0, bits(1.5f), 2, 0, 0}) ==
          Floats{1, 0, 4}));
  TexelArray *plane = arrayOf(2, 2, 0, 0, {0, 1, 2, 3});
  unsigned long long flat = textureOf(plane, sampling(kClamp, false, kNormalisedCoordinates));
  EXPECT((floats("tex.2d.v4.f32.f32 {%r6, %r7, %r8, %r9}, [%rd1, {%r2, %r3}], {%r4, %r5};", flat,
                 {bits(0.25f), bits(0.25f), 1, 1, bits(0.75f), bits(0.75f), 0, static_cast<unsigned>(-1)}) ==
          Floats{3, 1}));
  EXPECT((floats("tex.3d.v4.f32.f32 {%r6, %r7, %r8, %r9}, [%rd1, {%r2, %r2, %r2, %r2}], {%r3, %r4, %r5, %r5};",
                 textureOf(arrayOf(2, 2, 2, 0, {0, 1, 2, 3, 4, 5, 6, 7}), sampling(kClamp, false, 0)),
                 {bits(0.5f), 0, 1, 1, bits(0.5f), 1, 0, 1}) == Floats{6, 5}));
  TexelArray *wide = arrayOf(3, 2, 0, 0, {0, 1, 2, 3, 4, 5});
  EXPECT((fetch("tld4.r.2d.v4.f32.f32 {%r6, %r7, %r8, %r9}, [%rd1, {%r2, %r3}], {%r4, %r5};",
                textureOf(wide, sampling(kClamp, false, 0)),
                {bits(1), bits(1), 1, 0}) == Words{bits(4), bits(5), bits(2), bits(1)}));

  // A level of a texture that has one: coordinates are integers.
  EXPECT(
      (fetch("tex.level.1d.v4.s32.s32 {%r6, %r7, %r8, %r9}, [%rd1, {%r2}], %r3;", near, {2, 0, 0, 0})[0] == bits(2)));

  // Halves; and the predicate that says if the texel is there.
  ArrayDescriptor two{1, 0, kFloat, 2};
  TexelArray *pair = nullptr;
  CALL(cuArrayCreate_v2(&pair, &two));
  float values[] = {1, -2};
  CALL(cuMemcpyHtoA_v2(pair, 0, values, sizeof values));
  EXPECT((fetch("tex.1d.v2.f16x2.f32 {%r6, %r7}, [%rd1, {%r2}];", textureOf(pair, sampling(kClamp, false, 0)),
                {0, 0, 0, 0}) == Words{0xC0003C00, 0, 0, 0}));
  EXPECT((fetch(".reg .pred %p1; tex.1d.v4.f32.f32 {%r6, %r7, %r8, %r9}|%p1, [%rd1, {%r2}]; selp.u32 %r7, 5, 6, %p1;",
                near, {bits(3), 0, 0, 0})[1] == 5));
}

void queries() {
  TexelArray *layers = arrayOf(5, 3, 2, kArrayLayered | kArraySurface, std::vector<float>(30));
  unsigned long long texture = textureOf(layers, sampling(kClamp, false, kNormalisedCoordinates));
  EXPECT((fetch("txq.width.b32 %r6, [%rd1]; txq.height.b32 %r7, [%rd1]; txq.depth.b32 %r8, [%rd1]; "
                "txq.array_size.b32 %r9, [%rd1];",
                texture, {0, 0, 0, 0}) == Words{5, 3, 1, 2}));
  EXPECT((fetch("txq.normalized_coords.b32 %r6, [%rd1]; txq.force_unnormalized_coords.b32 %r7, [%rd1]; "
                "txq.num_mipmap_levels.b32 %r8, [%rd1]; txq.level.width.b32 %r9, [%rd1], %r2;",
                texture, {1, 0, 0, 0}) == Words{1, 0, 1, 2}));
  ResourceDescriptor from{};
  from.array = layers;
  unsigned long long surface = 0;
  CALL(cuSurfObjectCreate(&surface, &from));
  EXPECT((fetch("suq.width.b32 %r6, [%rd1]; suq.height.b32 %r7, [%rd1]; suq.array_size.b32 %r8, [%rd1]; "
                "suq.memory_layout.b32 %r9, [%rd1];",
                surface, {0, 0, 0, 0}) == Words{5, 3, 2, 0}));
  constexpr std::string_view kKinds =
      ".reg .pred %p<4>; istypep.texref %p1, %rd1; istypep.surfref %p2, %rd1; istypep.samplerref %p3, %rd1; "
      "selp.u32 %r6, 1, 0, %p1; selp.u32 %r7, 1, 0, %p2; selp.u32 %r8, 1, 0, %p3;";
  EXPECT((fetch(kKinds, texture, {0, 0, 0, 0}) == Words{1, 0, 0, 0}));
  EXPECT((fetch(kKinds, surface, {0, 0, 0, 0}) == Words{0, 1, 0, 0}));
  EXPECT((fetch(kKinds, 77, {0, 0, 0, 0}) == Words{0, 0, 0, 0}));
  CALL(cuSurfObjectDestroy(surface));
}

void formats() {
  struct {
    int format;
    unsigned channels;
    std::vector<unsigned char> texel;
    unsigned flags;
    Words wanted;
  } cases[] = {
      {kUnsignedInt8, 4, {0, 255, 51, 102}, 0, {bits(0), bits(1), bits(0.2f), bits(0.4f)}},
      {kUnsignedInt8, 4, {0, 255, 51, 102}, kReadAsInteger, {0, 255, 51, 102}},
      {kSignedInt8, 2, {0x80, 127}, 0, {bits(-1), bits(1), 0, 0}},
      {kSignedInt16, 1, {0xFE, 0xFF}, kReadAsInteger, {static_cast<unsigned>(-2), 0, 0, 0}},
      {kHalf, 2, {0x00, 0x3C, 0x00, 0xC0}, 0, {bits(1), bits(-2), 0, 0}},
      {kUnsignedInt32, 1, {1, 2, 3, 4}, 0, {0x04030201, 0, 0, 0}},
      {kUnsignedInt8, 1, {255}, kSrgb, {bits(1), 0, 0, 0}},
  };
  for (const auto &one : cases) {
    ArrayDescriptor shape{1, 0, one.format, one.channels};
    TexelArray *array = nullptr;
    CALL(cuArrayCreate_v2(&array, &shape));
    CALL(cuMemcpyHtoA_v2(array, 0, one.texel.data(), one.texel.size()));
    EXPECT(fetch(k1d, textureOf(array, sampling(kClamp, false, one.flags)), {0, 0, 0, 0}) == one.wanted);
    CALL(cuArrayDestroy(array));
  }
  TexelArray *array = nullptr;
  ArrayDescriptor wrong{1, 0, kFloat, 3};
  EXPECT(cuArrayCreate_v2(&array, &wrong) == kInvalidValue);
}

void pitchedMemory() {
  std::vector<float> rows(2 * 32);
  rows[1] = 5;
  rows[32] = 6;
  DevicePointer memory = reserve(rows.size() * 4);
  CALL(cuMemcpyHtoD_v2(memory, rows.data(), rows.size() * 4));
  ResourceDescriptor from{};
  from.type = kPitchedResource;
  from.pitched = {memory, kFloat, 1, 2, 2, 128};
  TextureDescriptor how = sampling(kClamp, false, 0);
  unsigned long long texture = 0;
  CALL(cuTexObjectCreate(&texture, &from, &how, nullptr));
  EXPECT((floats(k2d, texture, {bits(1), bits(0), 0, 0, 0, bits(7), 0, 0}) == Floats{5, 6}));
  from.pitched.pitch = 100;
  EXPECT(cuTexObjectCreate(&texture, &from, &how, nullptr) == kInvalidValue);
}

void surfaces() {
  TexelArray *array = arrayOf(4, 2, 0, kArraySurface, {0, 1, 2, 3, 4, 5, 6, 7});
  ResourceDescriptor from{};
  from.array = array;
  unsigned long long surface = 0;
  CALL(cuSurfObjectCreate(&surface, &from));
  constexpr std::string_view kTurn = "suld.b.2d.b32.trap {%r6}, [%rd1, {%r2, %r3}]; add.s32 %r10, %r6, 1; "
                                     "sust.b.2d.b32.clamp [%rd1, {%r4, %r3}], {%r10};";
  Words out = fetch(kTurn, surface, {8, 1, 0, 0, 4, 0, 4000, 0});
  EXPECT(out[0] == bits(6) && out[4] == bits(1));
  std::vector<float> after = read4(array, 2);
  EXPECT(bits(after[4]) == bits(6) + 1 && bits(after[3]) == bits(1) + 1);
  Words pair = fetch("suld.b.2d.v2.b32.zero {%r6, %r7}, [%rd1, {%r2, %r3}];", surface, {8, 1, 0, 0, 16, 1, 0, 0});
  EXPECT(pair[0] == bits(6) && pair[1] == bits(7) && pair[4] == 0 && pair[5] == 0);
  CALL(cuSurfObjectDestroy(surface));
}

/// Runs one instruction on a new line of texels, and returns their bytes.
std::vector<unsigned char> changed(int format, unsigned channels, std::vector<unsigned char> texels,
                                   std::string_view instruction, const Words &at) {
  const size_t width =
      texels.size() / (channels * (format == kFloat || format == kUnsignedInt32 || format == kSignedInt32 ? 4
                                   : format == kUnsignedInt8 || format == kSignedInt8                     ? 1
                                                                                                          : 2));
  ArrayDescriptor3D shape{width, 0, 0, format, channels, kArraySurface};
  TexelArray *array = nullptr;
  CALL(cuArray3DCreate_v2(&array, &shape));
  CALL(cuMemcpyHtoA_v2(array, 0, texels.data(), texels.size()));
  ResourceDescriptor from{};
  from.array = array;
  unsigned long long surface = 0;
  CALL(cuSurfObjectCreate(&surface, &from));
  fetch(instruction, surface, at);
  CALL(cuMemcpyAtoH_v2(texels.data(), array, 0, texels.size()));
  CALL(cuSurfObjectDestroy(surface));
  return texels;
}

void formattedStores() {
  using Bytes = std::vector<unsigned char>;
  constexpr std::string_view kPair = "sust.p.1d.v2.u32.trap [%rd1, {%r2}], {%r3, %r4};";
  EXPECT((changed(kUnsignedInt8, 2, Bytes(6), kPair, {1, 300, 7, 0}) == Bytes{0, 0, 255, 7, 0, 0}));
  EXPECT((changed(kSignedInt8, 2, Bytes(4), "sust.p.1d.v2.s32.clamp [%rd1, {%r2}], {%r3, %r4};",
                  {9, static_cast<unsigned>(-300), 7, 0}) == Bytes{0, 0, 0x80, 7}));
  EXPECT((changed(kHalf, 1, Bytes(4), "sust.p.1d.f32.trap [%rd1, {%r2}], {%r3};", {1, bits(-2), 0, 0}) ==
          Bytes{0, 0, 0, 0xC0}));
  EXPECT((changed(kFloat, 1, Bytes(4), "sust.p.1d.b32.zero [%rd1, {%r2}], {%r3};", {0, 0x04030201, 0, 0}) ==
          Bytes{1, 2, 3, 4}));
  EXPECT((changed(kFloat, 1, Bytes(4), "sust.p.1d.b32.zero [%rd1, {%r2}], {%r3};", {1, 0x04030201, 0, 0}) == Bytes(4)));
}

void reductions() {
  using Bytes = std::vector<unsigned char>;
  const Bytes words = {5, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF};
  constexpr std::string_view kAdd = "sured.b.add.1d.u32.trap [%rd1, {%r2}], %r3;";
  // Two threads add to one place.
  EXPECT((changed(kUnsignedInt32, 1, words, kAdd, {0, 2, 0, 0, 0, 3, 0, 0}) ==
          Bytes{10, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF}));
  EXPECT((changed(kSignedInt32, 1, words, "sured.b.max.1d.s32.trap [%rd1, {%r2}], %r3;", {4, 1, 0, 0}) ==
          Bytes{5, 0, 0, 0, 1, 0, 0, 0}));
  EXPECT((changed(kUnsignedInt32, 1, words, "sured.b.min.1d.u32.zero [%rd1, {%r2}], %r3;", {4, 1, 0, 0, 8, 0, 0, 0}) ==
          Bytes{5, 0, 0, 0, 1, 0, 0, 0}));
  EXPECT((changed(kUnsignedInt32, 1, words, "sured.p.and.1d.b32.trap [%rd1, {%r2}], %r3;", {1, 0x0F, 0, 0}) ==
          Bytes{5, 0, 0, 0, 0x0F, 0, 0, 0}));
  EXPECT((changed(kUnsignedInt32, 1, words, "sured.p.or.1d.b32.clamp [%rd1, {%r2}], %r3;",
                  {static_cast<unsigned>(-9), 8, 0, 0}) == Bytes{13, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF}));
  EXPECT((changed(kUnsignedInt32, 2, words, "sured.b.add.1d.u64.trap [%rd1, {%r2}], %rd1;", {0, 0, 0, 0}) != words));
}

void copies() {
  TexelArray *array = arrayOf(4, 3, 0, 0, std::vector<float>(12));
  float block[] = {1, 2, 3, 4};
  Copy2D in{};
  in.srcType = kHostMemory;
  in.srcHost = block;
  in.srcPitch = 8;
  in.dstType = kArrayMemory;
  in.dstArray = array;
  in.dstX = 8;
  in.dstY = 1;
  in.width = 8;
  in.height = 2;
  CALL(cuMemcpy2D_v2(&in));
  std::vector<float> back = read4(array, 3);
  EXPECT(back[6] == 1 && back[7] == 2 && back[10] == 3 && back[11] == 4 && back[5] == 0);
  in.dstX = 12;
  EXPECT(cuMemcpy2D_v2(&in) == kInvalidValue);
  TexelArray *line = arrayOf(4, 0, 0, 0, std::vector<float>(4));
  CALL(cuMemcpyHtoA_v2(line, 8, block, 8));
  float tail[4] = {};
  CALL(cuMemcpyAtoH_v2(tail, line, 0, sizeof tail));
  EXPECT(tail[1] == 0 && tail[2] == 1 && tail[3] == 2);
  EXPECT(cuMemcpyHtoA_v2(line, 12, block, 8) == kInvalidValue);
}

} // namespace

int main(int argc, char **argv) {
  begin();
  if (std::string_view wrong = argc > 1 ? argv[1] : ""; !wrong.empty()) {
    TexelArray *array = arrayOf(4, 0, 0, kArraySurface, {0, 1, 2, 3});
    unsigned long long texture = textureOf(array, sampling(kClamp, false, 0));
    std::string_view instruction = k1d;
    if (wrong == "freed")
      CALL(cuTexObjectDestroy(texture));
    if (wrong == "array-freed")
      CALL(cuArrayDestroy(array));
    if (wrong == "number")
      texture = 77;
    if (wrong == "surface")
      instruction = "suld.b.1d.b32.trap {%r6}, [%rd1, {%r2}];";
    if (wrong == "beyond") {
      ResourceDescriptor from{};
      from.array = array;
      CALL(cuSurfObjectCreate(&texture, &from));
      instruction = "sust.b.1d.b32.trap [%rd1, {%r2}], {%r2};";
    }
    if (wrong == "stale")
      instruction = "st.global.b32 [%rd6], 5; tex.1d.v4.s32.s32 {%r6, %r7, %r8, %r9}, [%rd1, {%r1}];";
    if (wrong == "depths")
      instruction = "tex.2d.v4.f32.f32 {%r6, %r7, %r8, %r9}, [%rd1, {%r2, %r3}], %f1;";
    if (wrong == "query")
      instruction = "txq.filter_mode.b32 %r6, [%rd1];";
    if (wrong == "samples") {
      ResourceDescriptor from{};
      from.array = array;
      CALL(cuSurfObjectCreate(&texture, &from));
      instruction = "sust.p.1d.u32.trap [%rd1, {%r1}], {%r2};";
    }
    if (wrong == "form")
      instruction = "tex.2dms.v4.f32.s32 {%r6, %r7, %r8, %r9}, [%rd1, {%r2, %r3, %r4, %r5}];";
    Function *kernel = load(fetching(instruction).c_str(), "fetch");
    DevicePointer places = reserve(16), out = reserve(16);
    if (wrong == "stale") {
      ResourceDescriptor from{};
      from.type = kLinearResource;
      from.linear = {out, kSignedInt32, 1, 16};
      TextureDescriptor how = sampling(kClamp, false, kReadAsInteger);
      CALL(cuTexObjectCreate(&texture, &from, &how, nullptr));
    }
    unsigned far = 16;
    CALL(cuMemcpyHtoD_v2(places, &far, 4));
    const char *name = nullptr;
    cuGetErrorName(launch(kernel, 1, 1, nullptr, texture, places, out), &name);
    std::printf("%s gives %s\n", argv[1], name);
    return 0;
  }
  linearMemory();
  outside();
  filters();
  layersAndFaces();
  furtherForms();
  queries();
  formats();
  pitchedMemory();
  surfaces();
  formattedStores();
  reductions();
  copies();
  std::printf("textures are read\n");
}
