// Each case of tests/golden/readings through every builtin and picture: all agree on one reading, with a note if it was
// a guess.
#include "layouts/DefaultArray.h"
#include "layouts/support/Text.h"
#include "repl/session/ReadLayout.h"
#include "tests/unit/Readings.h"
#include "tests/unit/session/RemarkedSession.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lanescope::repl {
namespace {

using layouts::Memory;

class ReadingPaths : public RemarkedSession {
protected:
  /// The notes of the last expression on the reading.
  std::string notes() const { return notesOf("layout-reading"); }
  void expectNote(const ReadingCase &each, const std::string &expression) {
    std::string said = notes();
    EXPECT_EQ(said.empty(), !each.note) << expression << ": " << said;
    if (each.note && !said.empty())
      EXPECT_NE(said.find(expression.starts_with("equal") || expression.starts_with("diff") ? "both are read as"
                                                                                            : *each.note),
                std::string::npos)
          << said;
  }
};

std::string memoryOfTable(const std::string &table) {
  return table.starts_with("{'thread'") ? "registers" : table.starts_with("{'offset'") ? "shared" : "tmem";
}

TEST_F(ReadingPaths, OneReadingInEveryBuiltin) {
  for (const ReadingCase &each : readingCases()) {
    if (!each.reads || each.text.starts_with("WGSplat"))
      continue;
    std::string text = repr(Value(each.text)), shape = each.shape ? layouts::tupleText(*each.shape) : "None";
    std::string zero = layouts::tupleText(layouts::Shape(each.reads->size(), 0));
    std::string wanted(word(each.memory));

    std::string owners = lanescope::text("owners(", text, ", ", shape, ", ", zero, ")");
    auto table = value(owners);
    ASSERT_TRUE(table) << owners << "\n" << render(table.error());
    EXPECT_EQ(memoryOfTable(repr(*table)), wanted) << owners << repr(*table);
    expectNote(each, owners);

    std::string map = lanescope::text("element_map(", text, ", ", shape, ")");
    auto made = value(map);
    ASSERT_TRUE(made) << map;
    std::string type = made->typeName();
    EXPECT_EQ(type, each.memory == Memory::Registers ? "element_map"
                    : each.memory == Memory::Shared  ? "address_map"
                                                     : "tmem_map")
        << map;
    expectNote(each, map);

    std::string explained = lanescope::text("explain(", text, ", ", shape, ", ", zero, ")");
    ASSERT_TRUE(value(explained)) << explained;
    expectNote(each, explained);

    for (const char *name : {"equal", "diff"}) {
      std::string compared = lanescope::text(name, "(", text, ", ", text, ", ", shape, ")");
      auto result = value(compared);
      ASSERT_TRUE(result) << compared << "\n" << render(result.error());
      if (std::string_view(name) == "equal") {
        EXPECT_EQ(repr(*value(compared + ".memory")), lanescope::text("'", layouts::name(each.memory), "'"))
            << compared;
        EXPECT_EQ(repr(*value(compared + ".shape")), layouts::tupleText(*each.reads)) << compared;
      }
      value(compared);
      expectNote(each, compared);
    }
  }
}

TEST_F(ReadingPaths, OneReadingInEveryPicture) {
  for (const ReadingCase &each : readingCases()) {
    if (!each.reads)
      continue;
    std::string text = repr(Value(each.text));
    std::string show = each.shape ? lanescope::text("show(", text, ", ", layouts::tupleText(*each.shape), ")")
                                  : lanescope::text("show(", text, ")");
    shown_.reset();
    auto done = value(show);
    ASSERT_TRUE(done && shown_) << show << "\n" << (done ? "" : render(done.error()));
    expectNote(each, show);
    const auto *view = std::get_if<ShownView>(&*shown_);
    ASSERT_TRUE(view) << show;
    if (view->spec.view == viz::View::Operands) { // an instruction: each of its operands has its own reading
      auto together = viz::viewScene(view->spec, view->layout, view->against, {.boxes = false});
      ASSERT_TRUE(together) << show << "\n" << render(together.error());
      continue;
    }
    if (!view->layout) { // the value is a smem_map
      EXPECT_EQ(each.memory, Memory::Shared);
      continue;
    }
    auto scene = viz::viewScene(view->spec, view->layout, view->against, {.boxes = false});
    ASSERT_TRUE(scene) << show << "\n" << render(scene.error());
    auto says = [&](std::string_view words) { return scene->title.find(words) != std::string::npos; };
    Memory drawn = says("in tensor memory")                           ? Memory::Tmem
                   : says("in shared memory") || says("TPU's memory") ? Memory::Shared
                                                                      : Memory::Registers;
    EXPECT_EQ(drawn, each.memory) << show << ": " << scene->title;
    EXPECT_EQ(scene->array.value_or(layouts::Shape{}), *each.reads) << show;
    // `lanescope show` and `view(…)` read the text themselves.
    auto read = readLayout(session_, Source::make("<layout>", each.text), each.memory == Memory::Tmem);
    ASSERT_TRUE(read) << each.text << "\n" << render(read.error());
    viz::ViewSpec spec;
    spec.shape = each.shape.value_or(layouts::Shape{});
    auto reading = viz::readingOf(spec, read->layout);
    ASSERT_TRUE(reading);
    EXPECT_EQ(reading->memory, each.memory) << each.text;
    EXPECT_EQ(reading->shape, each.reads) << each.text;
  }
}

TEST_F(ReadingPaths, SaidOtherwise) {
  auto says = [&](const std::string &expression) { return repr(*value(expression)); };
  EXPECT_TRUE(says("owners('(8,4):(4,1)', (8, 4), (1, 2), memory='registers')").starts_with("{'thread'"));
  EXPECT_EQ(notes(), "");
  EXPECT_TRUE(says("owners('(8,4):(4,1)', (4, 8), (1, 2), memory='shared')").starts_with("{'offset'"));
  EXPECT_EQ(notes(), "");
  EXPECT_EQ(says("equal('(8,4):(4,1)', '(8,4):(1,8)', (32,), memory='registers').memory"), "'registers'");
  EXPECT_EQ(notes(), "");
  EXPECT_EQ(says("equal(WGMMA, WGMMA, (128, 64), f16, memory='tmem').memory"), "'tensor memory'");
  EXPECT_FALSE(value("equal('(8,4):(4,1)', '(8,4):(1,8)', memory='registers')")) << "nobody said the array";
  EXPECT_FALSE(value("owners(WGMMA_ROW, (64,), (0,), memory='shared')"));
  EXPECT_FALSE(value("owners(WGMMA, (64, 64), (0, 0), memory='gmem')"));
  // A note names a shape that the user has not chosen.
  ASSERT_TRUE(value("equal('(8,4):(4,1)', '(16,2):(2,1)')"));
  EXPECT_NE(notes().find("for an array of shape (8, 4)"), std::string::npos) << notes();
  shown_.reset();
  ASSERT_TRUE(value("show('(8,4):(4,1)', memory='registers')"));
  EXPECT_EQ(std::get<ShownView>(*shown_).spec.shape, (layouts::Shape{32}));
  // The text of the view contains the memory.
  viz::ViewSpec spec{.layout = "(8,4):(4,1)", .shape = {8, 4}, .memory = Memory::Registers};
  EXPECT_EQ(viz::viewText(spec), "view(\"(8,4):(4,1)\", shape=(8, 4), memory=\"registers\")");
  EXPECT_EQ(*viz::parseView(Source::make("view", viz::viewText(spec))), spec);
  EXPECT_FALSE(viz::parseView(Source::make("view", "view(\"(8,4):(4,1)\", memory=\"gmem\")")));
  auto scene = viz::viewScene(spec);
  ASSERT_TRUE(scene);
  EXPECT_EQ(scene->title.find("in shared memory"), std::string::npos);
  spec.view = viz::View::Lanes;
  spec.memory = Memory::Shared;
  EXPECT_FALSE(viz::viewScene(spec)) << "memory has no threads";
}

TEST_F(ReadingPaths, SharedMemoryOfKernelsAndMapsAgree) {
  auto says = [&](const std::string &expression) {
    auto made = value(expression);
    return made ? str(*made) : render(made.error());
  };
  EXPECT_EQ(says("max_error(smem_map((64, 64), f16).image, smem_map(SMEM((64, 64), f16, "
                 "transforms=(TilingTransform((8, 64)), SwizzleTransform(128)))).image)"),
            "0.0");
  EXPECT_EQ(says("max_error(smem_map(SMEM((64, 64), f16)).image, "
                 "smem_map((64, 64), f16, tiling=None, swizzle=None).image)"),
            "0.0");
  EXPECT_NE(says("smem_map(SMEM((64, 64), f16), f16)").find("takes no more"), std::string::npos);
  EXPECT_NE(says("smem_map(SMEM((60, 60), f16, transforms=(TilingTransform((8, 64)),)))").find("error"),
            std::string::npos);
}

TEST_F(ReadingPaths, LayoutsPastedAsTheyAre) {
  std::string out;
  Session session({.output = [&](std::string_view text) { out += text; }});
  const std::string printout = "MMA_Atom\n  ThrID:      _32:_1\n  Shape_MNK:  (_16,_8,_16)\n"
                               "  LayoutC_TV: ((_4,_8),(_2,_2)):((_32,_1),(_16,_8))\n";
  // A first line alone is incomplete; a blank line ends the printout.
  for (size_t end = printout.find('\n'); end != std::string::npos; end = printout.find('\n', end + 1))
    EXPECT_TRUE(Session::needsMoreText(printout.substr(0, end + 1))) << printout.substr(0, end);
  EXPECT_FALSE(Session::needsMoreText(printout + "\n"));
  EXPECT_FALSE(Session::needsMoreText("MMA_Atom = 3\n"));
  for (const std::string &pasted : {printout + "\n", std::string("LayoutC_TV: ((_4,_8),(_2,_2)):((_32,_1),(_16,_8))\n"),
                                    std::string("((4,8),(2,2)):((2@1,1@0),(1@1,8@0))\n")}) {
    out.clear();
    auto done = session.entry(Source::make("<1>", pasted));
    ASSERT_TRUE(done) << pasted << "\n" << render(done.error());
    EXPECT_NE(out.find("cute layout"), std::string::npos) << out;
    auto last = session.evaluate(Source::make("<2>", "owners(_, (16, 8), (9, 3))['thread'][0]"));
    ASSERT_TRUE(last);
    EXPECT_EQ(repr(*last), "5");
  }
  // A text that is neither a layout nor a snippet keeps the snippet's error. A text that is both is a snippet.
  EXPECT_EQ(session.entry(Source::make("<3>", "x = = 3\n")).error().front().kind, "syntax");
  out.clear();
  ASSERT_TRUE(session.entry(Source::make("<4>", "(4, 8)\n")));
  EXPECT_EQ(out, "(4, 8)\n");
}

} // namespace
} // namespace lanescope::repl
