// Each named layout against its closed form from the specification, over whole arrays.

#include "layouts/Catalogue.h"
#include "layouts/ElementMap.h"

#include <gtest/gtest.h>
#include <numeric>
#include <set>

using namespace lanescope;
using namespace lanescope::layouts;

namespace {

std::string kind(const auto &result) { return result ? "" : result.error().front().kind; }

struct Place {
  int64_t warp, lane, position;
};

/// Each owner of (r, c) is one of the places that the closed form gives, in thread order.
template <typename Form> void expectForm(const RegisterLayout &layout, const Shape &shape, Form &&form) {
  ElementMap map = *ElementMap::of(layout, shape);
  for (int64_t element = 0; element < elementCount(shape); ++element) {
    Shape at = unravelIndex(element, shape);
    std::vector<Place> places = form(at[0], at.size() > 1 ? at[1] : 0);
    std::vector<Owner> owners = map.owners(element);
    ASSERT_EQ(owners.size(), places.size());
    for (size_t i = 0; i < owners.size(); ++i) {
      ASSERT_EQ(owners[i].thread, places[i].warp * 32 + places[i].lane) << tupleText(at);
      ASSERT_EQ(owners[i].position, places[i].position) << tupleText(at);
    }
  }
}

using Places = std::vector<Place>;
const Shape kBig = {256, 96};

TEST(Catalogue, WgmmaForms) {
  using namespace catalogue;
  auto warp = [](int64_t r) { return r / 16 % 4; };
  expectForm(wgmma(), kBig, [&](auto r, auto c) { return Places{{warp(r), r % 8 * 4 + c % 8 / 2, c % 2}}; });
  expectForm(wgmmaAcc32Bit(), kBig, [&](auto r, auto c) { return Places{{warp(r), r % 8 * 4 + c % 8 / 2, 0}}; });
  expectForm(wgmma8Bit(), kBig, [&](auto r, auto c) { return Places{{warp(r), r % 8 * 4 + c % 16 / 4, c % 4}}; });
  expectForm(wgmmaUpcast2x(), kBig,
             [&](auto r, auto c) { return Places{{warp(r), r % 8 * 4 + c % 8 / 4 * 2 + c % 16 / 8, c % 4}}; });
  expectForm(wgmmaUpcast4x(), kBig, [&](auto r, auto c) { return Places{{warp(r), r % 8 * 4 + c % 32 / 8, c % 8}}; });
  expectForm(wgmmaTransposed(), kBig,
             [&](auto r, auto c) { return Places{{warp(r), r % 8 / 2 * 8 + c % 2 * 4 + c % 8 / 2, r % 2}}; });
  expectForm(wgmmaRow(), {256}, [&](auto r, auto) {
    Places places;
    for (int64_t k = 0; k < 4; ++k)
      places.push_back({warp(r), r % 8 * 4 + k, 0});
    return places;
  });
  expectForm(wgmmaCol(), {96}, [&](auto c, auto) {
    Places places;
    for (int64_t w = 0; w < 4; ++w)
      for (int64_t k = 0; k < 8; ++k)
        places.push_back({w, 4 * k + c % 8 / 2, c % 2});
    return places;
  });
}

TEST(Catalogue, Tcgen05Forms) {
  using namespace catalogue;
  auto warp = [](int64_t r) { return r / 32 % 4; };
  expectForm(tcgen05(), kBig, [&](auto r, auto c) { return Places{{warp(r), r % 8 * 4 + c % 8 / 2, c % 2}}; });
  expectForm(tcgen05Transposed(), kBig,
             [&](auto r, auto c) { return Places{{warp(r), r % 8 / 2 * 8 + c % 2 * 4 + c % 8 / 2, r % 2}}; });
  expectForm(tcgen05Row(), {256}, [&](auto r, auto) {
    Places places;
    for (int64_t k = 0; k < 4; ++k)
      places.push_back({warp(r), r % 8 * 4 + k, 0});
    return places;
  });
  for (int64_t n : {1, 2, 4, 8})
    expectForm(*tmemNative(n), kBig, [&](auto r, auto c) { return Places{{warp(r), r % 32, c % n}}; });
  for (int64_t n : {16, 32, 96})
    expectForm(*faM64Collective(n), {128, n},
               [&](auto r, auto c) { return Places{{c / (n / 2) * 2 + r % 64 / 32, r % 8 * 4 + c % 8 / 2, c % 2}}; });
  EXPECT_EQ(tcgen05Col(), wgmmaCol());
}

TEST(Catalogue, TmaForms) {
  expectForm(catalogue::tmaIndices(), {64}, [](auto i, auto) {
    Places places;
    for (int64_t lane = 0; lane < 32; ++lane)
      places.push_back({i / 4 % 4, lane, i % 4});
    return places;
  });
  expectForm(catalogue::tmaIndices4(), {8}, [](auto i, auto) {
    Places places;
    for (int64_t thread = 0; thread < 128; ++thread)
      places.push_back({thread / 32, thread % 32, i % 4});
    return places;
  });
}

TEST(Catalogue, MmaForms) {
  for (int bits : {8, 16, 32})
    for (int64_t mw : {1, 2, 4}) {
      SCOPED_TRACE(std::to_string(bits) + " bits, m_warps " + std::to_string(mw));
      int64_t nw = 4 / mw, e = 32 / bits, subK = 4 * e;
      catalogue::MmaLayouts layouts = *catalogue::mmaLayouts(bits, static_cast<int>(mw));
      expectForm(layouts.lhs, {128, 64}, [&](auto r, auto c) {
        Places places;
        for (int64_t j = 0; j < nw; ++j)
          places.push_back({r / 16 % mw * nw + j, r % 8 * 4 + c % subK / e, c % e});
        return places;
      });
      expectForm(layouts.rhs, {64, 64}, [&](auto k, auto n) {
        Places places;
        for (int64_t j = 0; j < mw; ++j)
          places.push_back({j * nw + n / 8 % nw, n % 8 * 4 + k % subK / e, k % e});
        return places;
      });
      expectForm(layouts.acc, {128, 64},
                 [&](auto r, auto n) { return Places{{r / 16 % mw * nw + n / 8 % nw, r % 8 * 4 + n % 8 / 2, n % 2}}; });
    }
  EXPECT_EQ(catalogue::mmaLayouts(16, 4)->acc, catalogue::wgmma());
  EXPECT_EQ(kind(catalogue::mmaLayouts(16, 3)), "mma-warps");
  EXPECT_EQ(kind(catalogue::mmaLayouts(64, 4)), "bitwidth");
}

/// PTX ISA, "Block Scaling for mma.sync": lane 4 g + 2 s + h holds A's rows g + 8 h, lane 4 g + s holds B's column g.
TEST(Catalogue, MmaScaleForms) {
  for (int64_t mw : {1, 2, 4})
    for (Shape shape : {Shape{128, 4}, Shape{64, 8}, Shape{192, 16}, Shape{128, 1}, Shape{64, 2}, Shape{256, 48}}) {
      SCOPED_TRACE(tupleText(shape) + ", m_warps " + std::to_string(mw));
      int64_t nw = 4 / mw;
      catalogue::MmaScaleLayout left = *catalogue::mmaLhsScale(shape, static_cast<int>(mw)),
                                right = *catalogue::mmaRhsScale(shape, static_cast<int>(mw));
      EXPECT_EQ(left.neighbours, std::gcd(shape[1], 16));
      EXPECT_EQ(left.tiles, std::gcd(shape[0] / (16 * mw), 2));
      EXPECT_EQ(right.tiles, std::gcd(shape[0] / (8 * nw), 4));
      expectForm(left.layout, shape, [&](auto r, auto c) {
        Places places;
        for (int64_t j = 0; j < nw; ++j)
          for (int64_t copy = 0; copy < 2 / left.tiles; ++copy) {
            int64_t s = left.tiles == 2 ? r / (16 * mw) % 2 : copy;
            places.push_back({r / 16 % mw * nw + j, r % 8 * 4 + 2 * s + r / 8 % 2, c % left.neighbours});
          }
        return places;
      });
      expectForm(right.layout, shape, [&](auto n, auto c) {
        Places places;
        for (int64_t j = 0; j < mw; ++j)
          for (int64_t copy = 0; copy < 4 / right.tiles; ++copy)
            places.push_back({j * nw + n / 8 % nw, n % 8 * 4 + copy * right.tiles + n / (8 * nw) % right.tiles,
                              c % right.neighbours});
        return places;
      });
    }
  EXPECT_EQ(kind(catalogue::mmaLhsScale({96, 4}, 4)), "mma-scales");
  EXPECT_EQ(kind(catalogue::mmaRhsScale({8, 4}, 2)), "mma-scales");
  EXPECT_EQ(kind(catalogue::mmaLhsScale({64, 0})), "mma-scales");
  EXPECT_EQ(kind(catalogue::mmaRhsScale({64, 4, 2})), "mma-scales");
  EXPECT_EQ(kind(catalogue::mmaRhsScale({64, 4}, 3)), "mma-warps");
  EXPECT_EQ(findLayout("MMA_LHS_SCALE")->signature(), "MMA_LHS_SCALE(shape, m_warps=4)");
}

TEST(Catalogue, FlatRegisterOrder) {
  ElementMap wgmma = *ElementMap::of(catalogue::wgmma(), {128, 24});
  ElementMap tcgen05 = *ElementMap::of(catalogue::tcgen05(), {256, 24});
  ElementMap collective = *ElementMap::of(*catalogue::faM64Collective(32), {64, 32});
  for (int64_t r = 0; r < 128; ++r)
    for (int64_t c = 0; c < 24; ++c)
      ASSERT_EQ(wgmma.owners(r * 24 + c)[0].reg, (r / 64 * 3 + c / 8) * 2 + r % 16 / 8);
  for (int64_t r = 0; r < 256; ++r)
    for (int64_t c = 0; c < 24; ++c)
      ASSERT_EQ(tcgen05.owners(r * 24 + c)[0].reg, (r / 128 * 3 + c / 8) * 4 + r % 32 / 8);
  for (int64_t r = 0; r < 64; ++r)
    for (int64_t c = 0; c < 32; ++c)
      ASSERT_EQ(collective.owners(r * 32 + c)[0].reg, r % 32 / 8 * 2 + c % 16 / 8);
}

TEST(Catalogue, TiledCopyTable) {
  struct Row {
    int64_t rows, cols, swizzle, bits;
    const char *tiling;
    std::vector<PartitionDim> warp, lane;
    int64_t vector;
  };
  const Row rows[] = {
      {8, 2, 128, 16, "Tiling((32, 64), (8, 64), (4, 64), (8,))", {-7}, {-3, -2}, 8},
      {4, 1, 128, 8, "Tiling((32, 128), (8, 128), (4, 128), (16,))", {-7}, {-3, -2}, 16},
      {2, 2, 64, 32, "Tiling((16, 32), (8, 16), (4,))", {-5, -4}, {-3, -2}, 4},
      {1, 4, 32, 16, "Tiling((8, 64), (8, 16), (4,))", {-4}, {-3, -2}, 4},
      {4, 4, 32, 16, "Tiling((32, 32), (8, 32), (8, 16), (8,))", {-7}, {-4, -3, -2}, 8},
      {16, 1, 32, 8, "Tiling((64, 32), (16, 32), (8, 32), (16,))", {-7}, {-5, -3, -2}, 16},
      {8, 2, 16, 32, "Tiling((64, 8), (16, 8), (8, 4))", {-6}, {-4, -3, -2}, 4},
      {8, 1, 16, 16, "Tiling((64, 8), (16, 8), (8, 8), (4,))", {-7}, {-5, -3, -2}, 4},
      {1, 8, 16, 4, "Tiling((8, 256), (8, 64), (8, 32), (16,))", {-6}, {-4, -3, -2}, 16},
      {8, 1, 128, 4, "Tiling((32, 256), (8, 256), (4, 256), (32,))", {-7}, {-3, -2}, 32},
  };
  for (const Row &row : rows) {
    Result<TiledLayout> layout = catalogue::tiledCopySmemGmem(row.rows, row.cols, row.swizzle, row.bits);
    ASSERT_TRUE(layout) << row.tiling;
    EXPECT_EQ(layout->tiling().str(), row.tiling);
    EXPECT_EQ(layout->warpDims(), row.warp) << row.tiling;
    EXPECT_EQ(layout->laneDims(), row.lane) << row.tiling;
    EXPECT_EQ(layout->vectorLength(), row.vector) << row.tiling;
  }
  EXPECT_EQ(kind(catalogue::tiledCopySmemGmem(1, 1, 128, 16)), "unsupported");
  EXPECT_EQ(kind(catalogue::tiledCopySmemGmem(2, 1, 128, 16)), "unsupported");
  EXPECT_EQ(kind(catalogue::tiledCopySmemGmem(0, 4, 128, 16)), "copy-tiles");
  EXPECT_EQ(kind(catalogue::tiledCopySmemGmem(4, 4, 48, 16)), "swizzle");
  EXPECT_EQ(kind(catalogue::tiledCopySmemGmem(4, 4, 32, 0)), "bitwidth");
  EXPECT_EQ(*catalogue::smemGmemCopy({64, 128}, 16, 128), *catalogue::tiledCopySmemGmem(8, 2, 128, 16));
  EXPECT_EQ(kind(catalogue::smemGmemCopy({60, 128}, 16, 128)), "copy-shape");
}

TEST(Catalogue, EntriesAreConsistent) {
  std::set<std::string_view> docs;
  for (const CatalogueEntry &entry : catalogueEntries()) {
    SCOPED_TRACE(entry.name);
    EXPECT_EQ(findLayout(entry.name), &entry);
    for (std::string_view alias : entry.aliases)
      EXPECT_EQ(findLayout(alias), &entry) << alias;
    EXPECT_GE(entry.doc.size(), 20u) << "a sentence";
    EXPECT_TRUE(docs.insert(entry.doc).second) << "another entry has these words";
    if (entry.callable)
      continue;
    Result<Layout> layout = entry.make();
    ASSERT_TRUE(layout);
    EXPECT_TRUE(ElementMap::of(std::get<RegisterLayout>(*layout), entry.example)) << tupleText(entry.example);
    EXPECT_TRUE(catalogueName(std::get<RegisterLayout>(*layout)));
  }
  EXPECT_EQ(findLayout("NO_SUCH"), nullptr);
  EXPECT_EQ(catalogueName(catalogue::wgmma()), "WGMMA");
  EXPECT_EQ(catalogueName(*catalogue::tmemNative(4)), "tmem_native_layout(4)");
  EXPECT_EQ(catalogueName(*catalogue::faM64Collective(32)), "fa_m64_collective_layout(32)");
  EXPECT_EQ(catalogueName(*catalogue::tmemHalfLane(64, 2)), "tmem_half_lane_layout(64, packing=2)");
  EXPECT_EQ(findLayout("tmem_half_lane_layout")->signature(), "tmem_half_lane_layout(columns, packing=1)");
  EXPECT_EQ(findLayout("MMA_LHS")->signature(), "MMA_LHS(dtype=f16, m_warps=4)");
  EXPECT_EQ(kind(findLayout("tmem_half_lane_layout")->make()), "catalogue-arguments");
  EXPECT_EQ(kind(findLayout("tmem_half_lane_layout")->make({true})), "catalogue-arguments");
  EXPECT_EQ(kind(findLayout("WGMMA")->make({int64_t(1)})), "catalogue-arguments");
}

} // namespace
