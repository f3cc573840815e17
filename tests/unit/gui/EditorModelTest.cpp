// The editor's text: places, edits, undo, and the relation to its file. Random edits are compared with a plain string.
#include "FakeHost.h"

#include "viz/gui/editor/EditorModel.h"

#include <gtest/gtest.h>

#include <random>

namespace lanescope::viz {
namespace {

EditorModel edited(std::string_view text) {
  EditorModel model;
  EXPECT_TRUE(model.open("a.py", text));
  return model;
}

TEST(TextBuffer, PlacesAreNeverInsideACharacter) {
  TextBuffer text("a\nµs\n");
  EXPECT_EQ(text.lines(), 3u);
  EXPECT_EQ(text.after({1, 0}), (TextPlace{1, 2}));
  EXPECT_EQ(text.before({1, 2}), (TextPlace{1, 0}));
  EXPECT_EQ(text.within({1, 1}), (TextPlace{1, 0}));
  EXPECT_EQ(text.within({9, 9}), (TextPlace{2, 0}));
  EXPECT_EQ(text.after({0, 1}), (TextPlace{1, 0}));
  EXPECT_EQ(text.before({1, 0}), (TextPlace{0, 1}));
  EXPECT_EQ(text.before({}), (TextPlace{}));
  EXPECT_EQ(text.after(text.end()), text.end());
  EXPECT_EQ(text.placeAt(text.offsetOf({1, 2})), (TextPlace{1, 2}));
  EXPECT_EQ(text.placeAt(1000), text.end());
}

TEST(TextBuffer, Words) {
  TextBuffer text("  copy_tile(x, 12)");
  EXPECT_EQ(text.wordAfter({0, 0}), (TextPlace{0, 11}));
  EXPECT_EQ(text.wordAfter({0, 11}), (TextPlace{0, 12}));
  EXPECT_EQ(text.wordBefore({0, 18}), (TextPlace{0, 17}));
  EXPECT_EQ(text.wordBefore({0, 17}), (TextPlace{0, 15}));
  EXPECT_EQ(text.wordBefore({0, 2}), (TextPlace{0, 0}));
}

TEST(TextBuffer, EndsLinesAsTheFileDoes) {
  TextBuffer windows("a\r\nb\r\n"), mixed("a\r\nb\n");
  EXPECT_EQ(windows.line(0), "a");
  windows.insert({1, 1}, "\nc");
  EXPECT_EQ(windows.text(), "a\r\nb\r\nc\r\n");
  EXPECT_EQ(mixed.text(), "a\r\nb\n");
}

TEST(EditorModel, TypingIsUndoneInRuns) {
  EditorModel model = edited("x = 1\n");
  model.move(EditorMove::LineEnd);
  for (const char *c : {"0", "0", "µ"})
    model.type(c);
  EXPECT_EQ(model.text(), "x = 100µ\n");
  EXPECT_TRUE(model.modified());
  model.backspace();
  EXPECT_EQ(model.text(), "x = 100\n");
  EXPECT_TRUE(model.undo());
  EXPECT_EQ(model.text(), "x = 100µ\n");
  EXPECT_TRUE(model.undo());
  EXPECT_EQ(model.text(), "x = 1\n");
  EXPECT_EQ(model.cursor(), (TextPlace{0, 5}));
  EXPECT_FALSE(model.modified());
  EXPECT_FALSE(model.undo());
  EXPECT_TRUE(model.redo());
  EXPECT_TRUE(model.redo());
  EXPECT_FALSE(model.redo());
  EXPECT_EQ(model.text(), "x = 100\n");
}

TEST(EditorModel, SelectionsAreReplaced) {
  EditorModel model = edited("one two\nthree");
  model.move(EditorMove::WordRight, true);
  EXPECT_EQ(model.selected(), "one");
  model.type("1");
  EXPECT_EQ(model.text(), "1 two\nthree");
  model.selectAll();
  EXPECT_EQ(model.cut(), "1 two\nthree");
  EXPECT_EQ(model.text(), "");
  model.paste("a\r\nb");
  EXPECT_EQ(model.text(), "a\nb");
  model.moveTo({0, 0});
  EXPECT_EQ(model.cut(), "a\n"); // cuts the line, because there is no selection
  model.selectWord({0, 0});
  EXPECT_EQ(model.selected(), "b");
}

TEST(EditorModel, UpAndDownKeepTheColumn) {
  EditorModel model = edited("abcdef\nµ\nabcdef");
  model.moveTo({0, 4});
  model.move(EditorMove::Down);
  EXPECT_EQ(model.cursor(), (TextPlace{1, 2}));
  model.move(EditorMove::Down);
  EXPECT_EQ(model.cursor(), (TextPlace{2, 4}));
  model.move(EditorMove::Down);
  EXPECT_EQ(model.cursor(), (TextPlace{2, 6}));
  model.moveLines(-100);
  EXPECT_EQ(model.cursor(), (TextPlace{0, 0}));
}

TEST(EditorModel, Indents) {
  EditorModel model = edited("def f():\n    pass\n");
  EXPECT_EQ(model.unit(), "    ");
  model.moveTo({0, 8});
  model.newLine();
  EXPECT_EQ(model.buffer().line(1), "    ");
  model.type("return 1");
  model.newLine();
  EXPECT_EQ(model.buffer().line(2), "");
  model.indent();
  EXPECT_EQ(model.buffer().line(2), "    ");
  model.backspace(); // removes one indentation step
  EXPECT_EQ(model.buffer().line(2), "");
  model.moveTo({0, 0});
  model.moveTo({2, 0}, true); // whole lines; the third line is not included
  model.indent();
  EXPECT_EQ(model.text(), "    def f():\n        return 1\n\n    pass\n");
  model.outdent();
  EXPECT_EQ(model.text(), "def f():\n    return 1\n\n    pass\n");
  model.toggleComment();
  EXPECT_EQ(model.text(), "# def f():\n#     return 1\n\n    pass\n");
  model.toggleComment();
  EXPECT_EQ(model.text(), "def f():\n    return 1\n\n    pass\n");
  EXPECT_TRUE(model.undo());
  EXPECT_EQ(model.text(), "# def f():\n#     return 1\n\n    pass\n");
}

TEST(EditorModel, LinesMove) {
  EditorModel model = edited("a\nb\nc");
  model.moveTo({1, 1});
  model.moveSelectedLines(true);
  EXPECT_EQ(model.text(), "a\nc\nb");
  model.moveSelectedLines(true); // it is the last line already
  EXPECT_EQ(model.cursor(), (TextPlace{2, 1}));
  model.moveSelectedLines(false);
  model.moveSelectedLines(false);
  EXPECT_EQ(model.text(), "b\na\nc");
  EXPECT_TRUE(model.undo());
  EXPECT_EQ(model.text(), "a\nb\nc");
}

TEST(EditorModel, AFileThatChangesIsTakenUnlessItWasEdited) {
  EditorModel model = edited("a\nb\nc\n");
  model.moveTo({2, 1});
  EXPECT_EQ(model.fileChanged("a\nb\nc\n"), EditorReload::Same);
  EXPECT_EQ(model.fileChanged("new\na\nb\nc\n"), EditorReload::Taken);
  EXPECT_EQ(model.cursor(), (TextPlace{3, 1})); // still after the c
  EXPECT_FALSE(model.modified());
  EXPECT_TRUE(model.undo());
  EXPECT_EQ(model.text(), "a\nb\nc\n");
  EXPECT_TRUE(model.modified());
  EXPECT_EQ(model.fileChanged("other\n"), EditorReload::Conflict);
  EXPECT_EQ(model.text(), "a\nb\nc\n");
  EditorModel kept = model;
  kept.keepMine();
  EXPECT_FALSE(kept.theirs());
  EXPECT_EQ(kept.base(), "other\n");
  EXPECT_TRUE(kept.modified());
  model.takeTheirs();
  EXPECT_EQ(model.text(), "other\n");
  EXPECT_FALSE(model.modified());
  EXPECT_TRUE(model.undo());
  EXPECT_EQ(model.text(), "a\nb\nc\n");
}

TEST(EditorModel, WhatIsNoTextIsNotOpened) {
  EditorModel model = edited("kept");
  EXPECT_FALSE(model.open("b", std::string_view("\0", 1)));
  EXPECT_FALSE(model.open("b", std::string(EditorModel::kMostBytes + 1, 'x')));
  EXPECT_EQ(model.path(), "a.py");
  EXPECT_EQ(model.text(), "kept");
}

TEST(EditorModel, CompletesLikeTheConsole) {
  EditorModel model = edited("x = sho");
  FakeHost host;
  auto complete = [&] {
    model.requestCompletions(host);
    for (HostEvent &event : host.poll())
      EXPECT_TRUE(model.completed(std::get<Completions>(event)));
  };
  model.move(EditorMove::End);
  complete();
  EXPECT_EQ(model.text(), "x = show");
  EXPECT_FALSE(model.completed(Completions{1, 0, {"a"}})); // belongs to the console
  host.names = {"shape", "show"};
  model.selectAll();
  model.type("sh");
  complete();
  EXPECT_EQ(model.offered().size(), 2u);
  model.accept(1);
  EXPECT_EQ(model.text(), "show");
  EXPECT_TRUE(model.offered().empty());
  model.requestCompletions(host);
  model.type("x"); // the answer comes too late
  for (HostEvent &event : host.poll())
    model.completed(std::get<Completions>(event));
}

/// Random edits give what the same edits of a string give, and undoing all of them restores the initial text.
TEST(EditorModel, RandomEditsAreThoseOfAString) {
  std::mt19937 random(1);
  auto below = [&](size_t n) { return n == 0 ? 0 : random() % n; };
  const std::string pieces[] = {"a", "\n", "µ", "if x:\n", "  ", "\xff", "b\nc\n"};
  for (int round = 0; round < 200; ++round) {
    std::string start;
    for (size_t i = below(12); i > 0; --i)
      start += pieces[below(std::size(pieces))];
    EditorModel model = edited(start);
    for (int step = 0; step < 40; ++step) {
      size_t length = model.buffer().plainText().size();
      model.moveTo(model.buffer().placeAt(below(length + 1)));
      model.moveTo(model.buffer().placeAt(below(length + 1)), below(2) == 0);
      std::string expected = model.buffer().plainText();
      size_t from = model.buffer().offsetOf(model.selectionBegin()), to = model.buffer().offsetOf(model.selectionEnd());
      std::string with = below(3) == 0 ? "" : pieces[below(std::size(pieces))];
      expected.replace(from, to - from, with);
      model.paste(with);
      ASSERT_EQ(model.buffer().plainText(), expected);
      ASSERT_EQ(model.buffer().within(model.cursor()), model.cursor());
      switch (below(5)) {
      case 0: model.indent(); break;
      case 1: model.outdent(); break;
      case 2: model.toggleComment(); break;
      case 3: model.moveSelectedLines(below(2) == 0); break;
      default: break;
      }
      ASSERT_LE(model.cursor(), model.buffer().end());
    }
    while (model.undo())
      ASSERT_LE(model.cursor(), model.buffer().end());
    ASSERT_EQ(model.text(), start);
  }
}

} // namespace
} // namespace lanescope::viz
