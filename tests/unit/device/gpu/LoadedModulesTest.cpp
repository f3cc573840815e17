// On a fake driver: a kernel that is called again is not compiled by the driver again.
#include "tests/unit/device/gpu/FakeCuda.h"

#include "core/gpu/runtime/Gpu.h"

#include <gtest/gtest.h>

namespace lanescope::core {
namespace {

class LoadedModulesTest : public testing::Test {
protected:
  LoadedModulesTest() {
    cuda_.kernel = [](const FakeLaunch &) { return cuda::kSuccess; };
    gpu_ = std::move(*Gpu::open(cuda_.api(), {}));
  }

  void run(const std::string &ptx, uint32_t devices = 0) {
    RunRequest request;
    request.kernel = request.launch.entry = "k";
    request.arch = "sm_90a";
    request.launch.devices = devices;
    request.ptx = ptx;
    request.timeoutSeconds = 20;
    Result<RunReply> reply = gpu_->run(request, [](const char *) {});
    ASSERT_TRUE(reply) << render(reply.error());
  }
  void prepare(const std::string &ptx, const std::string &arch = "sm_90a") { gpu_->prepare({arch, ptx}); }
  std::string kernel(int n) const { return ".visible .entry k() { mov.b32 %r1, " + std::to_string(n) + "; }"; }

  FakeCuda cuda_{1};
  std::unique_ptr<Gpu> gpu_;
};

TEST_F(LoadedModulesTest, TheSamePtxIsLoadedOnce) {
  for (int n = 0; n < 3; ++n)
    run(kernel(1));
  EXPECT_EQ(cuda_.count("load"), 1);
  run(kernel(2));
  run(kernel(1));
  EXPECT_EQ(cuda_.count("load"), 2);
  EXPECT_EQ(cuda_.count("unload"), 0);
  EXPECT_EQ(cuda_.count("launch"), 5);
}

TEST_F(LoadedModulesTest, VariablesBeginAnew) {
  for (const char *variable : {".global .align 4 .b8 count[4];\n", ".visible .global\t.u32 count;\n",
                               ".extern .global .align 8 .b8 count[];\n"})
    for (int n = 0; n < 2; ++n)
      run(variable + kernel(1));
  EXPECT_EQ(cuda_.count("load"), 6);
  EXPECT_EQ(cuda_.count("unload"), 6);
}

TEST_F(LoadedModulesTest, WhatNamesGlobalMemoryOtherwiseStays) {
  for (int n = 0; n < 2; ++n)
    run(".visible .entry k(.param .u64 .ptr .global .align 16 x) { ld.global.b32 %r1, [%rd1]; cvta.to.global.u64 "
        "%rd1, %rd2; cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 16; }");
  EXPECT_EQ(cuda_.count("load"), 1);
}

TEST_F(LoadedModulesTest, WhatIsAnnouncedIsCompiledAhead) {
  prepare(kernel(1));
  prepare(kernel(1));
  run(kernel(1));
  prepare(kernel(1));
  run(kernel(1));
  EXPECT_EQ(cuda_.count("load"), 1);
  prepare(kernel(2)); // announced, but not run next
  run(kernel(1));
  run(kernel(2));
  EXPECT_EQ(cuda_.count("load"), 2);
  prepare(kernel(3), "sm_100a"); // for another GPU
  run(kernel(1));
  EXPECT_EQ(cuda_.count("load"), 2);
  EXPECT_EQ(cuda_.count("unload"), 0);
}

TEST_F(LoadedModulesTest, WhatIsAnnouncedAndRefusedIsToldByTheRun) {
  RunRequest request;
  request.kernel = request.launch.entry = "k";
  request.arch = "sm_90a";
  request.ptx = std::string(kRefusedPtx);
  prepare(request.ptx);
  Result<RunReply> reply = gpu_->run(request, [](const char *) {});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error()[0].kind, "ptx-rejected");
  run(kernel(1));
}

TEST_F(LoadedModulesTest, TheLatestStay) {
  int most = LoadedModules::kMost;
  for (int n = 0; n < most + 4; ++n)
    run(kernel(n));
  EXPECT_EQ(cuda_.count("unload"), 4);
  run(kernel(most + 3));
  run(kernel(4));
  EXPECT_EQ(cuda_.count("load"), most + 4);
  run(kernel(5)); // kernel 4 has been used since
  run(kernel(3));
  EXPECT_EQ(cuda_.count("load"), most + 5);
}

} // namespace
} // namespace lanescope::core
