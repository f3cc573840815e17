// The reading of a text: the memory it describes, and the array.
#include "layouts/Reading.h"

#include "layouts/cute/CuteLayout.h"
#include "layouts/DefaultArray.h"
#include "layouts/Equal.h"
#include "layouts/Explain.h"
#include "layouts/notation/Notation.h"
#include "layouts/Placement.h"
#include "tests/unit/Readings.h"

#include <gtest/gtest.h>

using namespace lanescope;
using namespace lanescope::layouts;

namespace {

Layout must(const std::string &text) {
  Result<Layout> layout = parseLayout(Source::make("layout", text));
  EXPECT_TRUE(layout) << text << "\n" << (layout ? "" : render(layout.error()));
  return layout ? *layout : Layout(RegisterLayout(WGSplatFragLayout{}));
}

TEST(Reading, OfEachCase) {
  for (const ReadingCase &each : readingCases()) {
    Layout layout = must(each.text);
    Result<Reading> reading = readingOf(layout, {.shape = each.shape});
    ASSERT_TRUE(reading) << each.text;
    EXPECT_EQ(reading->memory, each.memory) << each.text;
    EXPECT_EQ(reading->shape, each.reads) << each.text;
    std::string note = guessNote(layout, *reading);
    EXPECT_EQ(note.empty(), !each.note) << each.text << ": " << note;
    if (each.note) {
      EXPECT_NE(note.find(*each.note), std::string::npos) << note;
      EXPECT_NE(note.find("`memory=\""), std::string::npos) << note;
    }
  }
}

TEST(Reading, EveryQuestionTakesIt) {
  for (const ReadingCase &each : readingCases()) {
    Layout layout = must(each.text);
    std::optional<Shape> shape = each.reads;
    int bits = bitwidth(defaultDtype(layout));
    if (!shape)
      continue;
    if (each.text.starts_with("WGSplat"))
      continue; // one register holds all elements, so there is no map
    Result<Placement> placed = placement(layout, *shape, bits);
    ASSERT_TRUE(placed) << each.text << "\n" << render(placed.error());
    EXPECT_EQ(memoryOf(*placed), each.memory) << each.text;
    Result<EqualResult> same = equal(layout, layout, *shape, bits);
    ASSERT_TRUE(same) << each.text << "\n" << render(same.error());
    EXPECT_EQ(same->memory, each.memory) << each.text;
    EXPECT_TRUE(same->exact) << each.text;
    Result<std::vector<ExplainStep>> steps = explain(layout, *shape, bits, Shape(shape->size(), 0));
    ASSERT_TRUE(steps) << each.text;
    EXPECT_EQ(steps->back().value, placeText(*placed, 0)) << each.text;
    // Another language's text for the layout describes the same memory, or is an error.
    Result<std::string> written = notation(layout, each.memory == Memory::Tmem ? "tirx" : "linear", *shape, bits);
    if (written)
      EXPECT_EQ(readingOf(must(*written), {.shape = *shape})->memory, each.memory) << each.text << "\n" << *written;
  }
}

TEST(Reading, WhatIsAskedForHolds) {
  Layout open = must("(8,4):(4,1)");
  for (Memory memory : {Memory::Registers, Memory::Shared})
    for (std::optional<Shape> shape :
         {std::optional<Shape>(), std::optional<Shape>({8, 4}), std::optional<Shape>({32})}) {
      Result<Reading> reading = readingOf(open, {.shape = shape, .memory = memory});
      ASSERT_TRUE(reading);
      EXPECT_EQ(reading->memory, memory);
      EXPECT_FALSE(reading->otherwise) << "nothing is guessed";
    }
  EXPECT_EQ(readingOf(open, {.memory = Memory::Registers})->shape, std::nullopt)
      << "8 threads of 4 values are no array";
  EXPECT_EQ(exampleShape(open, Memory::Registers), (Shape{32}));
  EXPECT_EQ(exampleShape(open, Memory::Shared), (Shape{8, 4}));
  EXPECT_FALSE(readingOf(open, {.memory = Memory::Tmem}));
  EXPECT_FALSE(readingOf(must("WGMMA_ROW"), {.memory = Memory::Shared}));
  EXPECT_EQ(readingOf(must("WGMMA"), {.memory = Memory::Tmem})->memory, Memory::Tmem) << "MLIR spells both alike";
  EXPECT_FALSE(readingOf(must("[(4,8):(1,4);_]"))) << "a tile is of no memory";
  EXPECT_EQ(memoryNamed("smem"), Memory::Shared);
  EXPECT_EQ(memoryNamed("gmem"), std::nullopt);
  EXPECT_EQ(word(Memory::Tmem), "tmem");
}

TEST(Reading, NotesNameTheWayToSayOtherwise) {
  Layout open = must("(8,4):(4,1)");
  Reading reading = *readingOf(open);
  EXPECT_EQ(guessNote(open, reading), "`(8,4):(4,1)` is read as memory for an array of shape (8, 4); "
                                      "`memory=\"registers\"` reads it as (thread, value)");
  EXPECT_NE(guessNote(open, reading, ReadingSwitch::Flag).find("`--memory registers`"), std::string::npos);
  EXPECT_NE(guessNote(open, reading, ReadingSwitch::Window).find("switch `Read as`"), std::string::npos);
}

TEST(Reading, TwoLayoutsAreReadTogether) {
  struct {
    const char *left, *right;
    std::optional<Shape> shape;
    std::optional<Memory> memory;
    const char *note; // a part of the note; empty if there is none
  } const kCases[] = {
      // A layout with an unambiguous memory decides for one without.
      {"WGMMA", "((_4,_8,_4),(_2,_2,_8)):((_128,_1,_16),(_64,_8,_512))", Shape{64, 64}, Memory::Registers, ""},
      {"WGMMA", "((_4,_8,_4),(_2,_2,_8)):((_128,_1,_16),(_64,_8,_512))", std::nullopt, Memory::Registers, ""},
      {"smem_map((8, 4), f32, tiling=None, swizzle=None)", "(8,4):(4,1)", std::nullopt, Memory::Shared, ""},
      {"(8,4):(4,1)", "Sw<1,1,1> o 0 o (8,4):(4,1)", std::nullopt, Memory::Shared, ""},
      // Neither layout has an unambiguous memory.
      {"(8,4):(4,1)", "(8,4):(1,8)", std::nullopt, Memory::Shared, "both are read as memory"},
      {"(8,4):(4,1)", "(8,4):(1,8)", Shape{4, 8}, Memory::Registers, "both are read as (thread, value)"},
      {"(8,4):(4,1)", "(4,8):(8,1)", Shape{4, 8}, Memory::Shared, "both are read as memory"},
      {"(4,8):(8,1)", "(8,4):(4,1)", Shape{4, 8}, Memory::Shared, "both are read as memory"},
      // A note names a shape that the user has not chosen.
      {"(8,4):(4,1)", "(16,2):(2,1)", std::nullopt, Memory::Shared,
       "for an array of shape (8, 4), that of `(8,4):(4,1)`"},
      {"WGMMA", "WGStridedFragLayout(shape=(64, 64), vec_size=2)", std::nullopt, Memory::Registers,
       "for an array of shape (64, 64)"},
      {"WGMMA", "smem_map((64, 64), f16)", std::nullopt, std::nullopt, ""},
  };
  for (const auto &each : kCases) {
    Layout left = must(each.left), right = must(each.right);
    Result<CommonReading> reading = commonReading(left, right, {.shape = each.shape});
    ASSERT_EQ(reading.has_value(), each.memory.has_value()) << each.left << " and " << each.right;
    if (!reading)
      continue;
    EXPECT_EQ(reading->memory, *each.memory) << each.left << " and " << each.right;
    std::string note = guessNote(left, right, *reading);
    EXPECT_EQ(note.empty(), std::string_view(each.note).empty()) << note;
    EXPECT_NE(note.find(each.note), std::string::npos) << note;
    EXPECT_EQ(commonReading(right, left, {.shape = each.shape})->memory, reading->memory) << "whichever stands first";
  }
  // A (thread, value) layout names no array, so nothing is compared until the user names one.
  EXPECT_EQ(commonReading(must("WGMMA"), must("(128,32):(1,128)"))->shape, std::nullopt);
  EXPECT_FALSE(commonReading(must("WGMMA"), must("(128,32):(1,128)"), {.memory = Memory::Shared}));
}

} // namespace
