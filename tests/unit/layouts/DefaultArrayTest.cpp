#include "layouts/DefaultArray.h"
#include "layouts/Catalogue.h"
#include "layouts/notation/Notation.h"
#include "layouts/Placement.h"
#include "layouts/support/Text.h"

#include <gtest/gtest.h>

namespace lanescope::layouts {
namespace {

Layout parsed(const std::string &written) { return *parseLayout(Source::make("test", written)); }

TEST(DefaultArray, OneTypePerWidth) {
  EXPECT_EQ(dtypeOfWidth(1), Dtype::I1);
  EXPECT_EQ(dtypeOfWidth(4), Dtype::I4);
  EXPECT_EQ(dtypeOfWidth(8), Dtype::I8);
  EXPECT_EQ(dtypeOfWidth(16), Dtype::F16);
  EXPECT_EQ(dtypeOfWidth(32), Dtype::F32);
  EXPECT_EQ(dtypeOfWidth(64), Dtype::F64);
  for (int bits : {0, 2, 3, 6, 12, 128})
    EXPECT_FALSE(dtypeOfWidth(bits)) << bits;
  for (Dtype dtype : allDtypes()) {
    if (dtype == Dtype::U2) // sparsity metadata: no default array follows from its layout alone
      continue;
    auto named = dtypeOfWidth(bitwidth(dtype));
    ASSERT_TRUE(named) << name(dtype);
    EXPECT_EQ(bitwidth(*named), bitwidth(dtype));
  }
}

/// All ways to an 8-bit array without a named type give the same array.
TEST(DefaultArray, TypesByWhatTheLayoutSays) {
  EXPECT_EQ(defaultDtype(catalogue::wgmma()), Dtype::F32);
  EXPECT_EQ(defaultDtype(*catalogue::tmemDefault(1)), Dtype::F32);
  EXPECT_EQ(defaultDtype(*catalogue::tmemDefault(2)), Dtype::F16);
  EXPECT_EQ(defaultDtype(*catalogue::tmemDefault(4)), Dtype::I8);
  EXPECT_EQ(defaultDtype(*catalogue::tmemDefault(8)), Dtype::I4);
  EXPECT_EQ(defaultDtype(*catalogue::tmemDefault(32)), Dtype::I1);
  const std::string blocked =
      "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>";
  EXPECT_EQ(defaultDtype(parsed(blocked)), Dtype::F32);
  EXPECT_EQ(defaultDtype(parsed("tensor<16x128xf8E4M3FN, " + blocked + ">")), Dtype::I8);
  EXPECT_EQ(defaultDtype(parsed("tensor<16x128xbf16, " + blocked + ">")), Dtype::F16);
  EXPECT_FALSE(ownBitwidth(parsed(blocked)));
  EXPECT_EQ(ownBitwidth(*catalogue::tmemDefault(4)), 8);
}

TEST(DefaultArray, ShapesByWhatTheLayoutSays) {
  EXPECT_FALSE(ownShape(catalogue::wgmma()));
  EXPECT_EQ(exampleShape(catalogue::wgmma()), (Shape{64, 8}));
  EXPECT_EQ(ownShape(parsed("WGStridedFragLayout(shape=(64, 64), vec_size=4)")), (Shape{64, 64}));
  EXPECT_EQ(exampleShape(parsed("WGSplatFragLayout(shape=(3, 5))")), (Shape{3, 5}));
  EXPECT_EQ(exampleShape(parsed("(4,8):(8,1)")), ownShape(parsed("(4,8):(8,1)")));
  const std::string mfma =
      "#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 1], instrShape = [32, 32, 8], isTransposed = false}>";
  EXPECT_EQ(exampleShape(parsed(mfma)), (Shape{64, 64}));
  EXPECT_EQ(exampleShape(parsed("tensor<128x32xf16, " + mfma + ">")), (Shape{128, 32}));
  // A layout that is shown without a shape can be drawn. The layout of sparsity metadata is only descriptive and has no
  // map.
  for (const CatalogueEntry &entry : catalogueEntries())
    if (entry.parameters.empty() && entry.name != "sparse_meta_layout") {
      Layout layout = *entry.make({});
      EXPECT_TRUE(placement(layout, exampleShape(layout), bitwidth(defaultDtype(layout)))) << entry.name;
    }
}

} // namespace
} // namespace lanescope::layouts
