#include "core/gpu/kernel/LaunchCheck.h"
#include "core/gpu/emulator/EmulatorDevice.h"
#include "core/gpu/kernel/DeviceBytes.h"
#include "core/gpu/kernel/TensorMapCheck.h"
#include "core/gpu/runtime/Gpu.h"

#include <gtest/gtest.h>

namespace lanescope::core {
namespace {

TensorMapSpec goodMap() { return {0, 0, Dtype::F16, {8, 2, 8, 64}, {2048, 128, 256}, {8, 2, 8, 64}, 128, false}; }
constexpr uint64_t kBytes = 64 * 128 * 2;

TEST(TensorMapCheck, AcceptsWhatJaxBuilds) {
  EXPECT_TRUE(checkTensorMap(goodMap(), kBytes, "m"));
  EXPECT_TRUE(checkTensorMap({0, 0, Dtype::F16, {128, 128}, {256}, {128, 128}, 0, false}, 32768, "m"));
  EXPECT_TRUE(checkTensorMap({0, 0, Dtype::F4E2M1FN, {64, 128}, {64}, {64, 128}, 64, false}, 4096, "m"));
  EXPECT_TRUE(checkTensorMap({0, 0, Dtype::F32, {64}, {}, {64}, 0, true}, 256, "m"));
}

TEST(TensorMapCheck, ReportsEachBrokenRule) {
  auto message = [](auto change, uint64_t bytes = kBytes) {
    TensorMapSpec map = goodMap();
    change(map);
    Result<void> good = checkTensorMap(map, bytes, "descriptor 0");
    return good ? std::string("fine") : good.error()[0].message;
  };
  EXPECT_EQ(message([](auto &m) { m.box[3] = 128; }), "descriptor 0: the box is 256 bytes wide, which is more than the "
                                                      "swizzle's 128; make its innermost size at most 64");
  EXPECT_NE(message([](auto &m) { m.box[3] = 4; }).find("not a multiple of 16 bytes"), std::string::npos);
  EXPECT_NE(message([](auto &m) { m.box[0] = 0; }).find("box size of 0"), std::string::npos);
  EXPECT_NE(message([](auto &m) { m.box[0] = 257; }).find("box size of 257"), std::string::npos);
  EXPECT_NE(message([](auto &m) { m.stridesBytes[1] = 24; }).find("stride of 24 bytes"), std::string::npos);
  EXPECT_NE(message([](auto &m) { m.stridesBytes[1] = int64_t{1} << 40; }).find("below 2^40"), std::string::npos);
  EXPECT_NE(message([](auto &m) { m.shape[0] = 0; }).find("size of 0"), std::string::npos);
  EXPECT_NE(message([](auto &m) { m.swizzle = 16; }).find("swizzle of 16"), std::string::npos);
  EXPECT_NE(message([](auto &m) {
              m.dtype = Dtype::I16;
              m.oobNan = true;
            }).find("float type"),
            std::string::npos);
  EXPECT_NE(message([](auto &m) { m.stridesBytes.pop_back(); }).find("strides 2"), std::string::npos);
  EXPECT_NE(message([](auto &m) { m.shape.clear(); }).find("1 to 5 dimensions"), std::string::npos);
  EXPECT_NE(message([](auto &m) {}, kBytes - 2).find("reach to byte 16384 of a buffer of 16382"), std::string::npos);
  EXPECT_NE(message([](auto &m) {
              m.shape[0] = int64_t{1} << 32;
              m.stridesBytes[0] = (int64_t{1} << 40) - 16;
            }).find("reach to byte 18446744073709551615"),
            std::string::npos);
}

TEST(TensorMapCheck, PixelsOfImages) {
  TensorMapSpec good{0, 0, Dtype::F16, {4, 8, 8, 64}, {8192, 1024, 128}, {}, 128, false};
  good.mode = TmaMode::Im2col;
  good.im2col = {{-1, -1}, {-1, -1}, 64, 64};
  good.elementStrides = {1, 2, 2, 1};
  constexpr uint64_t kImages = 4 * 8 * 8 * 64 * 2;
  EXPECT_TRUE(checkTensorMap(good, kImages, "m"));
  auto message = [&](auto change) {
    TensorMapSpec map = good;
    change(map);
    Result<void> checked = checkTensorMap(map, kImages, "m");
    return checked ? std::string("fine") : checked.error()[0].message;
  };
  EXPECT_EQ(message([](auto &m) { m.im2col.lower[0] = -129; }),
            "m: the corners -129 and -1 of its bounding box are not in [-128, 127], which is what a rank of 4 allows");
  EXPECT_EQ(message([](auto &m) { m.im2col.upper[1] = -10; }), "m: its bounding box from -1 to -3 is empty");
  EXPECT_EQ(message([](auto &m) { m.im2col.lower.pop_back(); }),
            "m: the corners of a bounding box of im2col have 2 numbers each, not 1 and 2");
  EXPECT_EQ(message([](auto &m) { m.im2col.pixels = 1025; }), "m: a copy of 1025 pixels is not in [1, 1024]");
  EXPECT_EQ(message([](auto &m) { m.im2col.channels = 257; }), "m: a pixel's 257 channels are not in [1, 256]");
  EXPECT_NE(message([](auto &m) { m.im2col.channels = 4; }).find("not a multiple of 16 bytes"), std::string::npos);
  EXPECT_NE(message([](auto &m) { m.im2col.channels = 128; }).find("more than the swizzle's 128"), std::string::npos);
  EXPECT_EQ(message([](auto &m) { m.elementStrides[1] = 9; }), "m: an element stride of 9 is not in [1, 8]");
  EXPECT_EQ(message([](auto &m) { m.elementStrides[0] = 2; }),
            "m: an element stride of 2 over images; they are taken one by one");
  EXPECT_EQ(message([](auto &m) { m.elementStrides.pop_back(); }),
            "m: its shape has 4 dimensions and its element strides 3");
  EXPECT_EQ(message([](auto &m) {
              m.shape = {8, 64};
              m.stridesBytes = {128};
              m.elementStrides = {};
            }),
            "m: images have 3 to 5 dimensions, [N, …, W, C], not 2");
  auto wide = [](auto &m) {
    m.mode = TmaMode::Im2colW;
    m.im2col.lower = m.im2col.upper = {-1};
  };
  EXPECT_EQ(message(wide), "fine");
  EXPECT_EQ(message([&](auto &m) {
              wide(m);
              m.swizzle = 0;
            }),
            "m: im2col::w needs a swizzle of 64 or 128, not 0");
  TensorMapSpec volume{0, 0, Dtype::F16, {1, 4, 8, 8, 64}, {32768, 8192, 1024, 128}, {}, 128, false};
  volume.mode = TmaMode::Im2col;
  volume.im2col = {{-17, 0, 0}, {0, 0, 0}, 64, 64};
  Result<void> far = checkTensorMap(volume, kImages, "m");
  ASSERT_FALSE(far);
  EXPECT_NE(far.error()[0].message.find("not in [-16, 15]"), std::string::npos);
}

CompiledKernel kernel() {
  CompiledKernel kernel;
  kernel.name = "k";
  kernel.launch.entry = "k";
  BytesParam block;
  block.size = 144;
  block.buffers = {{Dtype::F16, {64, 128}, "", "", "x"}, {Dtype::F16, {64, 128}, "", "", "out"}};
  block.tensorMaps = {goodMap()};
  block.pointers = {{128, 0}, {136, 1}};
  kernel.launch.params = {block};
  kernel.outputs = {1};
  return kernel;
}

TEST(LaunchCheck, AcceptsAndRefuses) {
  auto message = [](auto change) {
    CompiledKernel k = kernel();
    change(k.launch, std::get<BytesParam>(k.launch.params[0]));
    Result<void> good = checkLaunch(k.launch);
    return good ? std::string("fine") : good.error()[0].message;
  };
  EXPECT_EQ(message([](auto &, auto &) {}), "fine");
  EXPECT_NE(message([](auto &l, auto &) { l.block = {1024, 2, 1}; }).find("1024"), std::string::npos);
  EXPECT_NE(message([](auto &l, auto &) { l.block = {1, 1, 65}; }).find("64"), std::string::npos);
  EXPECT_NE(message([](auto &l, auto &) { l.block = {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}; }), "fine");
  EXPECT_NE(message([](auto &l, auto &) { l.grid = {0, 1, 1}; }), "fine");
  EXPECT_NE(message([](auto &l, auto &) { l.grid = {1, 65536, 1}; }), "fine");
  EXPECT_NE(message([](auto &l, auto &) { l.grid = {3, 1, 1}, l.cluster = {2, 1, 1}; }).find("multiple"),
            std::string::npos);
  EXPECT_NE(message([](auto &l, auto &) { l.grid = {32, 1, 1}, l.cluster = {32, 1, 1}; }), "fine");
  EXPECT_NE(message([](auto &, auto &b) { b.pointers[1].offset = 140; }), "fine");
  EXPECT_NE(message([](auto &, auto &b) { b.pointers[1].buffer = 2; }), "fine");
  EXPECT_NE(message([](auto &, auto &b) { b.tensorMaps[0].offset = 32; }), "fine");
  EXPECT_NE(message([](auto &, auto &b) { b.tensorMaps[0].shape[0] = 9; }).find("TMA descriptor 0 over `x`"),
            std::string::npos);
}

TEST(LaunchCheck, ComparesInputsWithArguments) {
  CompiledKernel k = kernel();
  Array tile = Array::zeros(Dtype::F16, {64, 128});
  EXPECT_TRUE(checkInputs(k, std::vector{tile, tile}));
  EXPECT_FALSE(checkInputs(k, std::vector{tile}));
  Result<void> wrong = checkInputs(k, std::vector{tile, Array::zeros(Dtype::F32, {64, 128})});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error()[0].message, "`out` of kernel `k` is f16(64, 128); the array given is f32(64, 128)");
  k.profiled = true; // the last buffer then belongs to the profiler
  EXPECT_TRUE(checkInputs(k, std::vector{tile}));
  k.outputs = {7};
  EXPECT_FALSE(checkInputs(k, std::vector{tile}));
}

TEST(LaunchCheck, TheEmulatorRefusesWithTheSameWords) {
  std::unique_ptr<Device> emulator = makeEmulatorDevice();
  Array tile = Array::zeros(Dtype::F16, {64, 128});
  auto refusal = [&](auto change, const std::vector<Array> &inputs) {
    CompiledKernel k = kernel();
    change(k);
    k.ptx = ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .align 64 .b8 p[144])\n"
            "{\nret;\n}\n";
    auto ran = emulator->run(k, inputs, {});
    return ran ? std::string("fine") : render(ran.error());
  };
  auto rules = [&](auto change, const std::vector<Array> &inputs) {
    CompiledKernel k = kernel();
    change(k);
    Result<void> good = checkLaunch(k.launch);
    if (good)
      good = checkInputs(k, inputs);
    return good ? std::string("fine") : render(good.error());
  };
  auto same = [&](auto change, const std::vector<Array> &inputs) {
    std::string words = rules(change, inputs);
    EXPECT_EQ(refusal(change, inputs), words);
    return words;
  };
  EXPECT_EQ(same([](CompiledKernel &) {}, {tile, tile}), "fine");
  EXPECT_NE(same([](CompiledKernel &k) { k.launch.block = {1, 1, 65}; }, {tile, tile}), "fine");
  EXPECT_NE(same([](CompiledKernel &k) { k.launch.grid = {1, 65536, 1}; }, {tile, tile}), "fine");
  EXPECT_NE(same([](CompiledKernel &k) { std::get<BytesParam>(k.launch.params[0]).tensorMaps[0].box[0] = 257; },
                 {tile, tile}),
            "fine");
  EXPECT_NE(same([](CompiledKernel &) {}, {tile}), "fine");
}

TEST(DeviceBytes, PacksHalfBytes) {
  for (Dtype dtype : {Dtype::I4, Dtype::U4, Dtype::F4E2M1FN, Dtype::I8, Dtype::F16}) {
    Array array = Array::zeros(dtype, {3, 5});
    for (int64_t i = 0; i < 15; ++i)
      array.setInteger(i, i % 4);
    Bytes device = toDevice(array);
    EXPECT_EQ(device.size(), deviceBytes(dtype, array.shape));
    EXPECT_EQ(fromDevice(dtype, array.shape, device).bytes, array.bytes) << layouts::name(dtype);
  }
  Array nibbles = Array::zeros(Dtype::I4, {3});
  nibbles.setInteger(0, 1);
  nibbles.setInteger(1, -2);
  nibbles.setInteger(2, 3);
  EXPECT_EQ(toDevice(nibbles), (Bytes{std::byte{0xE1}, std::byte{0x03}}));
  EXPECT_EQ(fromDevice(Dtype::I4, {3}, toDevice(nibbles)).integer(1), -2);
}

TEST(Gpu, KnowsWhichPtxRunsWhere) {
  GpuInfo hopper;
  hopper.name = "H200";
  hopper.major = 9;
  for (const char *arch : {"sm_90a", "sm_90", "sm_80", "sm_90f", "", "unknown"})
    EXPECT_TRUE(checkArch(arch, hopper)) << arch;
  for (const char *arch : {"sm_100a", "sm_100", "sm_80a", "sm_100f"})
    EXPECT_FALSE(checkArch(arch, hopper)) << arch;
  EXPECT_NE(checkArch("sm_100a", hopper).error()[0].message.find("--arch sm_90a"), std::string::npos);
  GpuInfo ampere = hopper;
  ampere.major = 8;
  EXPECT_NE(checkArch("sm_90a", ampere).error()[0].message.find("--arch sm_80"), std::string::npos);
  GpuInfo turing = hopper; // no target is compiled for it here
  turing.major = 7, turing.minor = 5;
  std::string said = checkArch("sm_90a", turing).error()[0].message;
  EXPECT_EQ(said.find("--arch"), std::string::npos) << said;
  EXPECT_NE(said.find("--device emulator"), std::string::npos) << said;
  EXPECT_EQ(cudaVersionText(12040), "12.4");
}

} // namespace
} // namespace lanescope::core
