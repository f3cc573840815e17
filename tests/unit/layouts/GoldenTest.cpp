// Every entry of the golden data is reproduced exactly: layouts and shared-memory images that JAX 0.11.2 Mosaic GPU
// produced on an NVIDIA H200 (each thread wrote the index of every element it holds; shared memory was read back raw
// after a TMA copy).

#include "layouts/Catalogue.h"
#include "layouts/MapJson.h"
#include "layouts/notation/Notation.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <zlib.h>

using namespace lanescope;
using namespace lanescope::layouts;
using nlohmann::json;

namespace {

json readGolden() {
  gzFile file = gzopen(LANESCOPE_SOURCE_DIR "/tests/golden/layouts.json.gz", "rb");
  std::string text;
  char buffer[1 << 16];
  for (int n; file && (n = gzread(file, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(n));
  if (file)
    gzclose(file);
  return json::parse(text, nullptr, false);
}

const json &golden() {
  static const json data = readGolden();
  return data;
}

std::vector<PartitionDim> partition(const json &entries) {
  std::vector<PartitionDim> out;
  for (const json &entry : entries)
    out.push_back(entry.is_object() ? PartitionDim(Replicated{entry["replicated"].get<int64_t>()})
                                    : PartitionDim(entry.get<int64_t>()));
  return out;
}

Result<TiledLayout> tiledFromFields(const json &entry) {
  Result<Tiling> tiling = Tiling::make(entry["tiling"].get<std::vector<Shape>>());
  if (!tiling)
    return std::unexpected(tiling.error());
  return TiledLayout::make(*tiling, partition(entry["warp_dims"]), partition(entry["lane_dims"]),
                           entry["vector_dim"].get<int64_t>());
}

Result<RegisterLayout> fromFields(const json &entry) {
  if (entry["kind"] == "strided") {
    auto strided = WGStridedFragLayout::make(entry["shape"].get<Shape>(), entry["vec_size"].get<int64_t>());
    if (!strided)
      return std::unexpected(strided.error());
    return RegisterLayout(*strided);
  }
  auto tiled = tiledFromFields(entry);
  if (!tiled)
    return std::unexpected(tiled.error());
  return RegisterLayout(*tiled);
}

TEST(Golden, HasItsEntries) {
  ASSERT_FALSE(golden().is_discarded());
  EXPECT_EQ(golden()["layouts"].size(), 76u);
  EXPECT_EQ(golden()["smem"].size(), 20u);
  EXPECT_EQ(golden()["tmem"].size(), 11u);
}

TEST(Golden, RegisterLayouts) {
  for (const json &entry : golden()["layouts"]) {
    SCOPED_TRACE(entry["name"].get<std::string>() + " " + entry["shape"].dump());
    Result<RegisterLayout> layout = fromFields(entry);
    ASSERT_TRUE(layout) << render(layout.error());
    EXPECT_EQ(jaxText(*layout), entry["repr"].get<std::string>());
    auto shape = entry["shape"].get<Shape>();
    Result<ElementMap> map = ElementMap::of(*layout, shape);
    ASSERT_TRUE(map) << render(map.error());
    json answer = json::parse(elementMapJson(*map), nullptr, false);
    ASSERT_FALSE(answer.is_discarded());
    EXPECT_EQ(answer["layout"], entry["repr"]);
    EXPECT_EQ(answer["shape"], entry["shape"]);
    EXPECT_EQ(answer["threads"], 128);
    EXPECT_EQ(answer["registers"], entry["regs"]);
    EXPECT_EQ(answer["vector"], entry["vec"]);
    EXPECT_TRUE(answer["map"] == entry["map"]);
    if (entry["kind"] == "strided")
      continue;
    EXPECT_EQ(answer["replication"], entry["replication"]);
    const TiledLayout &tiled = std::get<TiledLayout>(*layout);
    EXPECT_EQ(tiled.vectorLength(), entry["vector_length"].get<int64_t>());
    EXPECT_EQ(tiled.registersShape(shape).value(), entry["registers_shape"].get<Shape>());
    EXPECT_EQ(tiled.shapeFromRegistersShape(*tiled.registersShape(shape)).value(), shape);
    for (const auto &[axis, expected] : entry["reduced"].items()) {
      Result<TiledLayout> reduced = tiled.reduce({axis == "0" ? 0 : 1});
      ASSERT_TRUE(reduced) << render(reduced.error());
      EXPECT_EQ(jaxText(*reduced), expected["repr"].get<std::string>());
    }
  }
}

TEST(Golden, InverseMapsAgree) {
  for (const json &entry : golden()["layouts"]) {
    SCOPED_TRACE(entry["name"].get<std::string>() + " " + entry["shape"].dump());
    ElementMap map = *ElementMap::of(*fromFields(entry), entry["shape"].get<Shape>());
    size_t seen = 0;
    for (int64_t element = 0; element < elementCount(map.shape()); ++element) {
      std::span<const int32_t> slots = map.slots(element);
      ASSERT_EQ(static_cast<int64_t>(slots.size()), map.replication());
      ASSERT_TRUE(std::is_sorted(slots.begin(), slots.end()));
      for (int32_t slot : slots)
        ASSERT_EQ(map.elements()[static_cast<size_t>(slot)], element);
      for (const Owner &owner : map.owners(element))
        ASSERT_EQ(map.element(owner.thread, owner.reg, owner.position), element);
      seen += slots.size();
    }
    EXPECT_EQ(seen, map.elements().size());
  }
}

// The golden entries have JAX's names: constants, parametrised constructors, `.reduce(axis)`.
TEST(Golden, NamesAndTextsParseToTheSameLayout) {
  for (const json &entry : golden()["layouts"]) {
    auto name = entry["name"].get<std::string>();
    SCOPED_TRACE(name);
    Layout expected = *fromFields(entry);
    Result<Layout> fromRepr = parseLayout(Source::make("repr", entry["repr"]));
    ASSERT_TRUE(fromRepr) << render(fromRepr.error());
    EXPECT_TRUE(*fromRepr == expected);
    const auto *inTmem = std::get_if<TMEMLayout>(&expected);
    std::string expectedMlir = inTmem ? mlirText(*inTmem) : mlirText(std::get<RegisterLayout>(expected));
    Result<Layout> fromMlir = parseLayout(Source::make("mlir", expectedMlir));
    ASSERT_TRUE(fromMlir) << render(fromMlir.error());
    EXPECT_TRUE(*fromMlir == expected);
    if (name.starts_with("WGStrided"))
      continue;
    Result<Layout> fromName = parseLayout(Source::make("name", name));
    ASSERT_TRUE(fromName) << render(fromName.error());
    EXPECT_TRUE(*fromName == expected);
  }
}

TEST(Golden, TmemTexts) {
  for (const auto &[name, entry] : golden()["tmem"].items()) {
    SCOPED_TRACE(name);
    Result<TiledLayout> tiled = tiledFromFields(entry);
    ASSERT_TRUE(tiled) << render(tiled.error());
    TMEMLayout layout(*tiled);
    EXPECT_EQ(jaxText(layout), entry["repr"].get<std::string>());
    EXPECT_EQ(layout.tiled().baseTile(), entry["base"].get<Shape>());
    Result<Layout> parsed = parseLayout(Source::make("repr", entry["repr"]));
    ASSERT_TRUE(parsed) << render(parsed.error());
    EXPECT_TRUE(*parsed == Layout(layout));
    std::string call = name.ends_with(")") ? name : name + "()";
    Result<Layout> named = parseLayout(Source::make("name", call));
    ASSERT_TRUE(named) << render(named.error());
    EXPECT_TRUE(*named == Layout(layout));
  }
}

TEST(Golden, SharedMemoryImages) {
  for (const json &entry : golden()["smem"]) {
    std::optional<int> swizzle;
    if (!entry["swizzle"].is_null())
      swizzle = entry["swizzle"].get<int>();
    Result<SmemMap> map = SmemMap::of(entry["shape"].get<Shape>(), entry["bytes"].get<int>() * 8,
                                      entry["tiling"].get<Shape>(), swizzle, entry["transpose"].get<bool>());
    ASSERT_TRUE(map) << render(map.error());
    json answer = json::parse(smemMapJson(*map), nullptr, false);
    EXPECT_TRUE(answer == entry) << answer.dump().substr(0, 200) << "\n" << entry.dump().substr(0, 200);
    // The per-element functions agree with the image.
    auto image = entry["image"].get<std::vector<int32_t>>();
    for (size_t k = 0; k < image.size(); ++k) {
      ASSERT_EQ(map->elementAt(static_cast<int64_t>(k)), image[k]);
      ASSERT_EQ(map->elementOffset(unravelIndex(image[k], map->shape())), static_cast<int64_t>(k));
    }
  }
}

} // namespace
