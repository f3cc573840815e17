#include "core/tpu/kernel/TpuTarget.h"

#include <gtest/gtest.h>

using namespace lanescope::core;

TEST(TpuTarget, ChipsByTheirNames) {
  struct Case {
    const char *name;
    int cores, subcores, lanes, kib;
  };
  for (const Case &one : {Case{"v5p", 4, 16, 8, 512}, Case{"v6e", 2, 16, 8, 256}, Case{"7", 2, 16, 16, 512},
                          Case{"7x", 2, 16, 16, 512}, Case{"8i", 1, 4, 16, 512}, Case{"8t", 2, 16, 16, 256}}) {
    const TpuTarget *target = findTpuTarget(one.name);
    ASSERT_NE(target, nullptr) << one.name;
    EXPECT_EQ(target->sparseCores, one.cores) << one.name;
    EXPECT_EQ(target->subcores, one.subcores) << one.name;
    EXPECT_EQ(target->lanes, one.lanes) << one.name;
    EXPECT_EQ(target->vmemBytes, one.kib * 1024) << one.name;
  }
  EXPECT_EQ(findTpuTarget("TPU7x"), findTpuTarget("7x"));
  EXPECT_EQ(findTpuTarget("v4"), nullptr);
  EXPECT_NE(noTpuTargetText("v4").find("`v5p`"), std::string::npos);
  EXPECT_EQ(defaultTpuTarget().name, "7x");
}
