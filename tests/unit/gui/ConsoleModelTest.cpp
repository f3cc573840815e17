// The console, terminal colours, small text fields, keys, files and code pages.
#include "FakeHost.h"

#include "viz/gui/console/ConsoleModel.h"
#include "viz/gui/files/FilesModel.h"
#include "viz/gui/style/KeyNames.h"
#include "viz/host/FieldText.h"
#include "viz/host/Requests.h"

#include <gtest/gtest.h>

#include <atomic>
#include <utility>

namespace lanescope::viz {
namespace {

std::string textOf(const ConsoleModel &model) {
  std::string out;
  for (const AnsiLine &line : model.lines()) {
    for (const AnsiRun &run : line)
      out += run.text;
    out += "\n";
  }
  return out;
}

void deliver(FakeHost &host, ConsoleModel &model) {
  for (HostEvent &event : host.poll()) {
    if (auto *output = std::get_if<Output>(&event))
      model.print(output->text);
    if (std::get_if<Evaluated>(&event))
      model.finished();
    if (auto *completions = std::get_if<Completions>(&event))
      model.completed(*completions);
  }
}

TEST(Console, echoesEvaluatesAndRemembers) {
  FakeHost host;
  ConsoleModel model;
  model.input = "1 + 1";
  model.submit(host);
  EXPECT_TRUE(model.running());
  deliver(host, model);
  EXPECT_FALSE(model.running());
  EXPECT_EQ(textOf(model), ">>> 1 + 1\n= 1 + 1\n");
  EXPECT_EQ(model.input, "");
  model.historyBack();
  EXPECT_EQ(model.input, "1 + 1");
}

TEST(Console, knowsWhereTheLastReportBegins) {
  FakeHost host;
  ConsoleModel model;
  model.print("a\nb\n");
  model.linesSeen = 2; // a frame was drawn
  model.input = "1 + 1";
  model.submit(host);
  model.settled = false;
  deliver(host, model);
  EXPECT_TRUE(std::exchange(model.settled, false));
  EXPECT_EQ(model.reportBegin(), 2u); // after the echo of the entry
  model.linesSeen = model.lines().size();
  model.print("opened\n"); // not an entry: all output before the next frame is one report
  model.print("words\n");
  EXPECT_TRUE(model.settled);
  EXPECT_EQ(model.reportBegin(), model.linesSeen);
  uint64_t printed = model.lines().size();
  model.clear();
  EXPECT_TRUE(model.lines().empty());
  EXPECT_EQ(model.droppedLines(), printed);
  EXPECT_EQ(model.reportBegin(), printed);
}

TEST(Console, knowsWhetherAnEntryHasAnswered) {
  FakeHost host;
  ConsoleModel model;
  model.print("opened\n");
  EXPECT_FALSE(model.answers()) << "nothing was asked";
  model.input = "1 + 1";
  model.submit(host);
  EXPECT_FALSE(model.answers()) << "its echo is no answer";
  deliver(host, model);
  EXPECT_TRUE(model.answers());
  model.answersRead();
  EXPECT_FALSE(model.answers());
}

TEST(Console, startsANewLineWhereMoreIsNeeded) {
  FakeHost host;
  ConsoleModel model;
  model.input = "def f(x):";
  model.cursor = model.input.size();
  model.submit(host);
  EXPECT_TRUE(host.evaluated.empty());
  EXPECT_EQ(model.input, "def f(x):\n  ");
  EXPECT_EQ(model.cursor, model.input.size());
  model.input += "return x";
  model.submit(host);
  ASSERT_EQ(host.evaluated.size(), 1u);
  EXPECT_EQ(textOf(model), ">>> def f(x):\n...   return x\n");
}

TEST(Console, historyKeepsTheDraft) {
  FakeHost host;
  ConsoleModel model;
  for (const char *entry : {"a", "b"}) {
    model.input = entry;
    model.submit(host);
  }
  model.input = "draft";
  model.historyBack();
  model.historyBack();
  model.historyBack();
  EXPECT_EQ(model.input, "a");
  model.historyForward();
  model.historyForward();
  EXPECT_EQ(model.input, "draft");
  model.historyForward();
  EXPECT_EQ(model.input, "draft");
}

TEST(Console, completesTheCommonBeginningAndOffersTheRest) {
  FakeHost host;
  ConsoleModel model;
  model.input = "x = sh + 1";
  model.cursor = 6;
  model.requestCompletions(host);
  deliver(host, model);
  EXPECT_EQ(model.offered(), (std::vector<std::string>{"show", "shape"}));
  model.accept(0);
  EXPECT_EQ(model.input, "x = show + 1");
  EXPECT_EQ(model.cursor, 8u);
  model.input = "WG";
  model.cursor = 2;
  model.requestCompletions(host);
  deliver(host, model);
  EXPECT_EQ(model.input, "WGMMA");
}

TEST(Console, dropsAnswersToOldQuestions) {
  FakeHost host;
  ConsoleModel model;
  model.input = "W";
  model.cursor = 1;
  model.requestCompletions(host);
  std::vector<HostEvent> old = host.poll();
  model.input = "";
  model.cursor = 0;
  model.requestCompletions(host);
  model.completed(std::get<Completions>(old[0]));
  EXPECT_EQ(model.input, "");
}

TEST(Console, keepsABoundedTranscript) {
  ConsoleModel model;
  std::string many;
  for (size_t i = 0; i < ConsoleModel::kMaxLines + 10; ++i)
    many += "line\n";
  model.print(many);
  EXPECT_EQ(model.lines().size(), ConsoleModel::kMaxLines);
  EXPECT_EQ(model.droppedLines(), 10u);
}

TEST(Ansi, readsColoursAndDropsTheRest) {
  auto lines = ansiLines("a \x1b[1;31mred\x1b[0m\nb\x1b[2Kc\x1b]0;title\x07"
                         "d\x1b[38;2;1;2;3mx\x1b[48;5;196my");
  ASSERT_EQ(lines.size(), 2u);
  ASSERT_EQ(lines[0].size(), 2u);
  EXPECT_EQ(lines[0][1].text, "red");
  EXPECT_TRUE(lines[0][1].style.bold);
  EXPECT_EQ(lines[0][1].style.palette, uint8_t(1));
  EXPECT_EQ(lines[1][0].text, "bcd");
  EXPECT_EQ(lines[1][1].style.colour, (Colour{1, 2, 3}));
  EXPECT_EQ(lines[1][2].style.background, (Colour{255, 0, 0}));
}

TEST(Ansi, survivesBrokenSequences) {
  for (const char *text : {"\x1b", "\x1b[", "\x1b[1", "\x1b[38;5m", "\x1b[38;2;1m", "\x1b]0;x", "\x1b[999999999999m"})
    EXPECT_LE(ansiLines(text).size(), 1u);
  EXPECT_TRUE(ansiLines("").empty());
  EXPECT_EQ(ansiLines("\n\n").size(), 2u);
}

TEST(Fields, shapes) {
  for (const char *text : {"64x32", "(64, 32)", "64, 32", " 64 x 32 ", "[64,32]", "(64,32,)"})
    EXPECT_EQ(parseShapeField("shape", text).value_or(layouts::Shape{}), (layouts::Shape{64, 32})) << text;
  for (const char *text :
       {"", "x", "64x", "0x8", "-1", "64 32", "(64", "64)", "1e3", "99999999999999999999", "(8) y"}) {
    auto shape = parseShapeField("shape", text);
    if (std::string_view(text) == "64x") {
      EXPECT_TRUE(shape); // the user is still typing
      continue;
    }
    EXPECT_FALSE(shape) << text;
  }
  EXPECT_TRUE(parseTilingField("tiling", "none")->empty());
  EXPECT_EQ(parseSwizzleField("128").value_or(-1), 128);
  EXPECT_FALSE(parseSwizzleField("48"));
  EXPECT_FALSE(parseDtypeField("f17"));
}

TEST(Keys, names) {
  EXPECT_EQ(keyNamed("enter"), (KeyPress{kKeyEnter}));
  EXPECT_EQ(keyNamed("Ctrl+Shift+a"), (KeyPress{'A', true, true}));
  EXPECT_EQ(keyNamed("."), (KeyPress{kKeyPeriod}));
  EXPECT_FALSE(keyNamed("Hyper+A"));
  EXPECT_FALSE(keyNamed(""));
}

TEST(Files, filterLooksAtGroupAndName) {
  FakeHost host;
  host.listed = {{"s/kernels/double.py", "kernels", "double.py", ""},
                 {"s/layouts/a.layout", "layouts", "a.layout", ""}};
  FilesModel model;
  model.refresh(host);
  model.filter = "KERN";
  EXPECT_EQ(model.shown(), (std::vector<size_t>{0}));
  model.filter = "zzz";
  EXPECT_TRUE(model.shown().empty());
}

TEST(Requests, aNewerRequestReplacesTheQueuedOne) {
  Requests requests;
  std::atomic<bool> go = false;
  int delivered = 0;
  requests.post("block", [&] {
    while (!go)
      std::this_thread::yield();
    return Requests::Delivery();
  });
  for (int i = 1; i <= 5; ++i)
    requests.post("same", [&delivered, i] { return [&delivered, i] { delivered = delivered * 10 + i; }; });
  EXPECT_TRUE(requests.busy());
  go = true;
  while (requests.busy())
    requests.deliver();
  EXPECT_EQ(delivered, 5);
}

} // namespace
} // namespace lanescope::viz
