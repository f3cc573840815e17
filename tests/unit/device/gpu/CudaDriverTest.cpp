// The parts of the driver that need no program: settings, the address space.
#include "core/gpu/driver/AddressSpace.h"
#include "core/gpu/driver/GpuModels.h"
#include "core/gpu/driver/Settings.h"
#include "core/gpu/kernel/GpuTarget.h"

#include <gtest/gtest.h>

#include <cstring>

namespace lanescope::core::driver {
namespace {

TEST(CudaSettings, comeBackAsTheyWere) {
  Settings settings;
  settings.gpu = "b200";
  settings.devices = 3;
  settings.seed = 7;
  settings.fast = settings.keepGoing = true;
  settings.strictRules = {"race", "word-end"};
  settings.timeLimit = 2.5;
  settings.journal = "/tmp/a;b=c";
  Settings back = settingsFromText(toText(settings));
  EXPECT_EQ(toText(back), toText(settings));
  EXPECT_EQ(back.journal, settings.journal);
  EXPECT_EQ(back.strictRules, settings.strictRules);
  EXPECT_DOUBLE_EQ(back.timeLimit, 2.5);
}

TEST(CudaSettings, whatIsNotUnderstoodChangesNothing) {
  EXPECT_EQ(toText(settingsFromText("nonsense;gpu=a100;;=;devices=x")), toText(settingsFromText("gpu=a100")));
}

TEST(AddressSpace, devicePointersAreNoneOfTheHosts) {
  AddressSpace space;
  Allocation *one = space.allocate(Allocation::Kind::Device, 100, 0);
  ASSERT_TRUE(one);
  EXPECT_GE(one->address, uint64_t{1} << 47);
  EXPECT_EQ(space.find(one->address + 99), one);
  EXPECT_EQ(space.find(one->address + 101), nullptr);
  EXPECT_EQ(space.resolve(one->address + 96, 4), one->host + 96);
  EXPECT_EQ(space.resolve(one->address + 97, 4), nullptr);
}

TEST(AddressSpace, freedMemoryIsNotUsedAgainAtOnce) {
  AddressSpace space;
  uint64_t first = space.allocate(Allocation::Kind::Device, 8, 0)->address;
  EXPECT_FALSE(space.free(first + 4));
  EXPECT_TRUE(space.free(first));
  EXPECT_FALSE(space.free(first));
  EXPECT_NE(space.allocate(Allocation::Kind::Device, 8, 0)->address, first);
  auto pieces = space.pieces();
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[0].name, "allocation 1 (freed)");
  EXPECT_TRUE(pieces[0].bytes.empty());
  EXPECT_EQ(pieces[1].bytes.size(), 8u);
}

TEST(AddressSpace, manyAllocationsTakeFewRegions) {
  AddressSpace space;
  uint64_t most = 0;
  for (int n = 0; n < 1000; ++n) {
    uint64_t address = space.allocate(Allocation::Kind::Device, 8, 0)->address;
    most = std::max(most, address);
    space.free(address);
  }
  EXPECT_LT((most - emulator::kGlobalBase) >> emulator::kRegionShift, 256u + 70);
  EXPECT_EQ(space.usedOnDevice(), 0u);
}

TEST(AddressSpace, managedMemoryIsWhereKernelsSeeIt) {
  AddressSpace space;
  Allocation *one = space.allocate(Allocation::Kind::Managed, 64, 0);
  ASSERT_TRUE(one);
  EXPECT_EQ(reinterpret_cast<uint64_t>(one->host), one->address);
  std::memset(one->host, 1, 64);
  EXPECT_EQ(space.findOnHost(one->host + 63), one);
  EXPECT_EQ(space.findOnHost(one->host + 64), nullptr);
}

TEST(AddressSpace, registeredMemoryIsRegisteredOnce) {
  AddressSpace space;
  int own[16] = {};
  Allocation *one = space.enlist(own, sizeof own);
  ASSERT_TRUE(one);
  EXPECT_EQ(space.enlist(own + 4, 4), nullptr);
  EXPECT_EQ(space.enlist(reinterpret_cast<char *>(own) - 4, 8), nullptr);
  EXPECT_EQ(space.resolve(one->address + 4, 4), reinterpret_cast<std::byte *>(own + 1));
  EXPECT_TRUE(space.free(one->address));
  EXPECT_TRUE(space.enlist(own, sizeof own));
}

TEST(GpuModels, areFoundByName) {
  EXPECT_EQ(findGpuModel("rtx5090")->major, 12);
  EXPECT_EQ(findGpuModel("voodoo"), nullptr);
  EXPECT_EQ(gpuModels().front().name, "h100");
  for (const GpuModel &model : gpuModels())
    EXPECT_NE(core::findGpuTarget(model.major, model.minor), nullptr) << model.name;
}

} // namespace
} // namespace lanescope::core::driver
