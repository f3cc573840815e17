// The checks of many kernels without their processes: statements, comments, records, results folders, baselines.
// tests/cli/check_many.py tests the commands.
#include "core/ir/ContentHash.h"
#include "repl/check/AllowComments.h"
#include "repl/check/many/Baseline.h"
#include "repl/check/many/ReportWriter.h"
#include "repl/check/StatementText.h"
#include "tests/unit/TemporaryFolder.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <set>

namespace lanescope::repl {
namespace {

namespace fs = std::filesystem;

StatementText statementOf(const std::string &name, const std::string &content, const std::string &word) {
  return statementAt(*Source::make(name, content), static_cast<uint32_t>(content.find(word)));
}

void write(const fs::path &path, std::string_view content) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
}

FindingRecord raceAt(uint64_t line, const std::string &statement, const std::string &grade = "fault") {
  FindingRecord finding;
  finding.grade = grade, finding.rule = "race", finding.message = "two writes", finding.file = "k.cu";
  finding.line = line, finding.column = 3, finding.kernel = "k", finding.statement = statement;
  finding.text = "k.cu:" + std::to_string(line) + ":3: fault [race]: two writes\n";
  return finding;
}

CheckRecord recordWith(const std::string &unit, std::vector<FindingRecord> findings) {
  CheckRecord record = checkRecord(unit, {});
  record.key = "key of " + unit;
  record.findings = std::move(findings);
  record.finished = 1;
  return record;
}

CheckUnit unitNamed(const std::string &name) { return {.name = name, .path = name, .key = "key of " + name}; }

MergedChecks merged(std::vector<CheckRecord> records) {
  return {.records = std::move(records), .unusedAllows = {}, .unchecked = {}};
}

TEST(StatementText, DoesNotDependOnTheFormat) {
  std::string one = "void f() {\n  x[i] = y[i, 2]; // copy\n  z();\n}\n";
  std::string other = "void f()\n{\n    x[ i ] =\n        y[i,\n          2]; /* copy */ z();\n}\n";
  EXPECT_EQ(statementOf("k.cu", one, "x[").text, "x[i]=y[i,2];");
  EXPECT_EQ(statementOf("k.cu", other, "x[").text, "x[i]=y[i,2];");
  EXPECT_EQ(statementOf("k.cu", other, "y[").first, 3u);
  EXPECT_EQ(statementOf("k.cu", other, "y[").last, 5u);
  EXPECT_EQ(statementOf("k.cu", "for (int i = 0; i < 4; ++i) { a(); }", "i <").text, "for(inti=0;i<4;++i){");
  EXPECT_EQ(statementOf("k.cu", "s = \"a;b\"; t();", "b").text, "s=\"a;b\";");
  EXPECT_EQ(statementOf("k.cu", "#define A \\\n  1\nx();", "1").text, "#defineA1");
}

TEST(StatementText, OfPythonIsALogicalLine) {
  std::string one = "def f():\n  out[i] = load(x, 'a')  # read\n  g()\n";
  std::string other = "def f():\n    out[i] = load(\n        x,\n        \"a\",\n    )\n    g()\n";
  EXPECT_EQ(statementOf("k.py", one, "out").text, "out[i]=load(x,\"a\")");
  EXPECT_EQ(statementOf("k.py", other, "\"a\"").text, "out[i]=load(x,\"a\")");
  EXPECT_EQ(statementOf("k.py", other, "\"a\"").first, 2u);
  EXPECT_EQ(statementOf("k.py", "a = '''1\n2''' + \\\n  b\nc = 3\n", "b").text, "a=\"\"\"12\"\"\"+b");
}

TEST(StatementText, OfPtxIsALine) {
  EXPECT_EQ(statementOf("k.ptx", "mov.b64 {%r1, %r2}, %rd1;\nret;\n", "%r2").text, "mov.b64{%r1,%r2},%rd1;");
}

TEST(AllowComments, AreForTheirStatement) {
  SourceRef source = Source::make("k.cu", "x[0] = 1; // lanescope: allow race because all write the same\n"
                                          "// lanescope: allow racing-read, racing-value because it is only a hint\n"
                                          "\n"
                                          "y =\n"
                                          "  x[1];\n"
                                          "z = \"lanescope: allow race\";\n");
  AllowComments read = readAllowComments(source);
  EXPECT_TRUE(read.problems.empty());
  ASSERT_EQ(read.comments.size(), 2u);
  EXPECT_EQ(read.comments[0].reason, "all write the same");
  EXPECT_TRUE(read.comments[0].allows("race", spanAt(source, 1, 1)));
  EXPECT_FALSE(read.comments[0].allows("race", spanAt(source, 4, 1)));
  EXPECT_FALSE(read.comments[0].allows("racing-read", spanAt(source, 1, 1)));
  EXPECT_EQ(read.comments[1].rules, (std::vector<std::string>{"racing-read", "racing-value"}));
  EXPECT_TRUE(read.comments[1].allows("racing-read", spanAt(source, 5, 3)));
}

TEST(AllowComments, NeedAReasonAndARule) {
  auto kindOf = [](const std::string &name, const std::string &content) {
    AllowComments read = readAllowComments(Source::make(name, content));
    return read.problems.empty() ? std::string() : read.problems.front().kind;
  };
  EXPECT_EQ(kindOf("k.cu", "// lanescope: allow race\nx();\n"), "allow-without-reason");
  EXPECT_EQ(kindOf("k.cu", "// lanescope: allow\nx();\n"), "allow-without-reason");
  EXPECT_EQ(kindOf("k.cu", "// lanescope: allow race because\nx();\n"), "allow-without-reason");
  EXPECT_EQ(kindOf("k.cu", "// lanescope: allow raec because it is fine\nx();\n"), "no-rule");
  EXPECT_EQ(kindOf("k.cu", "// lanescope: allow because it is fine\nx();\n"), "no-rule");
  EXPECT_EQ(kindOf("k.py", "x()  # lanescope: allow race because it is fine\n"), "");
  EXPECT_EQ(unusedAllow({.place = spanAt(Source::make("k.cu", "x"), 1, 1), .rules = {"race"}, .reason = "r"}).kind,
            "unused-allow");
}

TEST(ContentHash, KeepsPartsApart) {
  core::ContentHash one, other, same;
  one.add("ab"), one.add("c");
  other.add("a"), other.add("bc");
  same.add("ab"), same.add("c");
  EXPECT_NE(one.hex(), other.hex());
  EXPECT_EQ(one.hex(), same.hex());
  EXPECT_EQ(one.hex().size(), 64u);
}

TEST(CheckUnits, KeysFollowFromTheContents) {
  const TemporaryFolder own;
  const fs::path folder = own.path();
  write(folder / "a" / "k.ptx", ".file 1 \"k.cu\"\n");
  auto keyOf = [&](const std::vector<std::string> &options) {
    auto units = checkUnits({folder}, options, {});
    EXPECT_TRUE(units);
    return units ? units->front().key : std::string();
  };
  std::set<std::string> keys = {keyOf({})};
  EXPECT_EQ(keyOf({}), *keys.begin());
  EXPECT_TRUE(keys.insert(keyOf({"--seeds", "4"})).second);
  write(folder / "a" / "k.cu", "x();\n");
  EXPECT_TRUE(keys.insert(keyOf({})).second) << "a source that the PTX names";
  write(folder / "a" / "launch.json", R"({"entry": "k", "grid": [1, 1, 1], "cluster": [1, 1, 1], "block": [32, 1, 1],
    "dynamic_smem": 0, "params": [{"kind": "buffer", "dtype": "f32", "shape": [4], "data": "x.npy"}]})");
  EXPECT_TRUE(keys.insert(keyOf({})).second) << "a launch description";
  write(folder / "a" / "x.npy", "numbers");
  EXPECT_TRUE(keys.insert(keyOf({})).second) << "an array";
  write(folder / "a" / "k.ptx", ".file 1 \"k.cu\"\n\n");
  EXPECT_TRUE(keys.insert(keyOf({})).second) << "the PTX";
  EXPECT_EQ(checkUnits({folder / "none"}, {}, {}).error().front().kind, "unreadable-file");
}

TEST(CheckUnits, ShardsDivideThem) {
  const TemporaryFolder own;
  for (int n = 0; n < 40; ++n)
    write(own.path() / (std::to_string(n) + ".ptx"), "");
  std::set<std::string> names;
  for (uint32_t number = 1; number <= 3; ++number) {
    auto units = checkUnits({own.path()}, {}, {number, 3});
    ASSERT_TRUE(units);
    EXPECT_GT(units->size(), 0u);
    for (const CheckUnit &unit : *units)
      EXPECT_TRUE(names.insert(unit.name).second) << unit.name;
  }
  EXPECT_EQ(names.size(), 40u);
  EXPECT_EQ(parseShard("2/4")->of, 4u);
  for (const char *wrong : {"", "4", "0/4", "5/4", "a/b", "1/4/2"})
    EXPECT_EQ(parseShard(wrong).error().front().kind, "results") << wrong;
}

TEST(CheckRecord, IsReadAsItWasWritten) {
  CheckRecord record = recordWith("a/k.ptx", {raceAt(4, "x();")});
  record.findings[0].related = {{"the other write", "l.cu", 9, 2}};
  record.findings[0].allowed = "both write 1";
  record.findings[0].parameters = {{"block", std::string("block (0, 0, 0)")}, {"warp", int64_t{3}}};
  record.guessed = {{"a/k.ptx", "k", {2, 1, 1}, {"`grid`: one block"}}};
  record.allows = {{true, raceAt(3, "", "note")}};
  record.seconds = 1.5, record.memory = 1 << 30, record.host = "h", record.program = "p", record.runs = 7;
  record.outcome = Outcome::Refused, record.options = {"--keep-going", "--seeds", "4"};
  std::string line = recordLine(record);
  EXPECT_EQ(std::ranges::count(line, '\n'), 1);
  auto again = readRecord(Source::make("records", line));
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(recordLine(*again), line);
  EXPECT_EQ(again->findings[0].parameters, record.findings[0].parameters);
}

TEST(CheckRecord, SaysWhatIsWrong) {
  auto kindOf = [](const std::string &line) {
    auto read = readRecord(Source::make("records", line));
    return read ? std::string("none") : read.error().front().kind;
  };
  EXPECT_EQ(kindOf("{"), "json");
  EXPECT_EQ(kindOf("[]"), "results");
  EXPECT_EQ(kindOf(R"({"schema": "lanescope.record/9", "unit": "k", "outcome": "checked"})"), "results");
  EXPECT_EQ(kindOf(R"({"schema": "lanescope.record/1", "unit": "k", "outcome": "odd"})"), "results");
  EXPECT_EQ(kindOf(R"({"schema": "lanescope.record/1", "unit": "k", "outcome": "checked", "findings": [1]})"),
            "results");
  EXPECT_EQ(kindOf(R"({"schema": "lanescope.record/1", "unit": "k", "outcome": "checked", "later": 1})"), "none");
}

TEST(ResultsFolder, SkipsHalfALineAndGoesOn) {
  const TemporaryFolder own;
  const fs::path folder = own.path() / "results", file = folder / "records-1-of-1.jsonl";
  std::vector<CheckUnit> units = {unitNamed("a"), unitNamed("b"), unitNamed("c")};
  auto append = [&](const CheckRecord &record) {
    auto writer = RecordWriter::open(folder, {}, units);
    ASSERT_TRUE(writer);
    EXPECT_TRUE(writer->append(record));
  };
  append(recordWith("a", {raceAt(1, "x();")}));
  std::string line = recordLine(recordWith("b", {}));
  std::ofstream(file, std::ios::app) << line.substr(0, line.size() / 2);
  EXPECT_EQ(readResults(folder)->records.size(), 1u);
  append(recordWith("b", {}));
  auto all = mergeResults({folder});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->records.size(), 2u);
  EXPECT_EQ(all->unchecked, std::vector<std::string>{"c"});
  EXPECT_TRUE(fails(*all, FailOn::Fault));
  EXPECT_EQ(readResults(own.path()).error().front().kind, "results");
}

TEST(ResultsFolder, IsWrittenByOneProcess) {
  const TemporaryFolder own;
  auto first = RecordWriter::open(own.path(), {1, 2}, {});
  ASSERT_TRUE(first);
  EXPECT_EQ(RecordWriter::open(own.path(), {1, 2}, {}).error().front().kind, "results");
  EXPECT_TRUE(RecordWriter::open(own.path(), {2, 2}, {}));
}

TEST(MergedChecks, TakesTheRecordThatFitsAndTheLastFolder) {
  const TemporaryFolder own;
  auto fill = [&](const char *name, Shard shard, std::vector<CheckUnit> units,
                  const std::vector<CheckRecord> &records) {
    auto writer = RecordWriter::open(own.path() / name, shard, units);
    ASSERT_TRUE(writer);
    for (const CheckRecord &record : records)
      EXPECT_TRUE(writer->append(record));
  };
  CheckRecord stale = recordWith("a", {raceAt(9, "old();")});
  stale.key = "of an earlier version", stale.finished = 99;
  fill("one", {1, 2}, {unitNamed("a")}, {recordWith("a", {}), stale});
  EXPECT_EQ(mergeResults({own.path() / "one"})->missingShards, 1u);
  EXPECT_TRUE(mergeResults({own.path() / "one"})->records.front().findings.empty());
  fill("two", {2, 2}, {unitNamed("b"), unitNamed("a")}, {recordWith("b", {}), recordWith("a", {raceAt(1, "new();")})});
  auto all = mergeResults({own.path() / "one", own.path() / "two"});
  EXPECT_EQ(all->missingShards, 0u);
  ASSERT_EQ(all->records.size(), 2u);
  EXPECT_EQ(all->records.front().findings.size(), 1u);
  EXPECT_TRUE(mergeResults({own.path() / "two", own.path() / "one"})->records.front().findings.empty());
}

TEST(MergedChecks, NamesOneScheduleInTheCommand) {
  auto againOf = [](const std::vector<std::string> &options, const char *schedule) {
    CheckRecord record = recordWith("a.ptx", {raceAt(1, "x();")});
    record.options = options, record.findings[0].schedule = schedule;
    return distinctFindings(merged({record})).front().again;
  };
  EXPECT_EQ(againOf({"--seeds", "4", "--adversarial", "--grid", "2,1,1"}, "3"),
            "lanescope check a.ptx --grid 2,1,1 --seed 3");
  EXPECT_EQ(againOf({"--seed", "3", "--grid", "2,1,1"}, "3"), "lanescope check a.ptx --grid 2,1,1 --seed 3");
  EXPECT_EQ(againOf({"--seeds", "4"}, "0"), "lanescope check a.ptx --seeds 4");
}

TEST(MergedChecks, JoinsUnitsAndFindsUnusedComments) {
  CheckRecord a = recordWith("a", {raceAt(1, "x();")}),
              b = recordWith("b", {raceAt(1, "x();"), raceAt(2, "y();", "note")});
  FindingRecord note = raceAt(7, "", "note");
  MergedChecks all = merged({a, b});
  std::vector<MergedFinding> findings = distinctFindings(all);
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].units, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(summaryText(all), "1 fault, 0 hazards, 1 note in 2 kernels");
  EXPECT_FALSE(fails(merged({recordWith("a", {note})}), FailOn::Hazard));
  EXPECT_TRUE(fails(merged({recordWith("a", {note})}), FailOn::Note));
  EXPECT_TRUE(
      fails(merged({failedRecord("a", Outcome::Crashed, {{Severity::Error, "unit-crash", {}, "it ended", {}}})}),
            FailOn::Fault));
}

TEST(Baseline, KnowsAFindingByItsStatement) {
  Baseline baseline = baselineOf(merged({recordWith("a.ptx", {raceAt(10, "x();")})}));
  ASSERT_EQ(baseline.known.size(), 1u);
  auto isKnown = [&](const std::string &unit, FindingRecord finding) {
    MergedChecks all = merged({recordWith(unit, {std::move(finding)})});
    markKnown(baseline, all);
    return all.records[0].findings[0].known;
  };
  FindingRecord moved = raceAt(40, "x();"), renamed = raceAt(10, "x();"), ofAnother = raceAt(10, "x();");
  renamed.file = "renamed.cu", ofAnother.kernel = "other";
  EXPECT_TRUE(isKnown("a.ptx", moved));
  EXPECT_TRUE(isKnown("b.ptx", renamed));
  EXPECT_TRUE(isKnown("a.ptx", raceAt(10, "x();", "hazard")));
  EXPECT_FALSE(isKnown("a.ptx", ofAnother));
  EXPECT_FALSE(isKnown("a.ptx", raceAt(10, "y();")));
}

TEST(Baseline, CountsPlacesAndGrades) {
  Baseline baseline = baselineOf(merged({recordWith("a", {raceAt(10, "x();", "hazard")})}));
  MergedChecks twice = merged({recordWith("a", {raceAt(10, "x();", "hazard"), raceAt(20, "x();", "hazard")}),
                               recordWith("b", {raceAt(10, "x();", "hazard")})});
  EXPECT_TRUE(markKnown(baseline, twice).empty());
  EXPECT_TRUE(twice.records[0].findings[0].known);
  EXPECT_FALSE(twice.records[0].findings[1].known) << "one more place";
  EXPECT_TRUE(twice.records[1].findings[0].known) << "the same place in another unit";
  EXPECT_TRUE(fails(twice, FailOn::New));
  EXPECT_FALSE(fails(twice, FailOn::Fault));
  MergedChecks worse = merged({recordWith("a", {raceAt(10, "x();", "fault")})});
  markKnown(baseline, worse);
  EXPECT_FALSE(worse.records[0].findings[0].known);
  MergedChecks none = merged({recordWith("a", {})});
  EXPECT_EQ(markKnown(baseline, none).size(), 1u);
}

TEST(Baseline, IsReadAsItWasWritten) {
  const TemporaryFolder own;
  Baseline baseline = baselineOf(merged({recordWith("a", {raceAt(10, "s = \"x\";"), raceAt(11, "y();")})}));
  write(own.path() / "known.json", baselineText(baseline));
  auto again = readBaseline(own.path() / "known.json");
  ASSERT_TRUE(again) << render(again.error());
  EXPECT_EQ(baselineText(*again), baselineText(baseline));
  auto kindOf = [&](std::string_view content) {
    write(own.path() / "wrong.json", content);
    auto read = readBaseline(own.path() / "wrong.json");
    return read ? std::string("none") : read.error().front().kind;
  };
  EXPECT_EQ(kindOf("{"), "json");
  EXPECT_EQ(kindOf("{}"), "baseline");
  EXPECT_EQ(kindOf(R"({"schema": "lanescope.baseline/1", "known": [{"rule": "race"}]})"), "baseline");
  EXPECT_EQ(
      kindOf(
          R"({"schema": "lanescope.baseline/1", "known": [{"rule": "race", "grade": "bad", "kernel": "k", "statement": "x"}]})"),
      "baseline");
}

TEST(Report, EscapesWhatStrangersWrote) {
  FindingRecord finding = raceAt(1, "x();");
  finding.message = "a < b & \"c\" | d\n`e` @f", finding.text = "k.cu:1:3: <b>\n```\n", finding.file = "<k>.cu";
  MergedChecks all = merged({recordWith("a&b", {finding})});
  std::string html = reportHtml(all, {}), junit = reportJunit(all, {}),
              markdown = reportMarkdown(all, {.link = "https://h/{file}#L{line}"});
  EXPECT_EQ(html.find("<b>"), html.npos);
  EXPECT_NE(html.find("a &lt; b &amp;"), html.npos);
  EXPECT_NE(junit.find("name=\"a&amp;b\""), junit.npos);
  EXPECT_NE(junit.find("failures=\"1\" errors=\"0\""), junit.npos);
  EXPECT_NE(markdown.find("a &#60; b &#38; \"c\" &#124; d &#96;e&#96; &#64;f"), markdown.npos) << markdown;
  EXPECT_NE(markdown.find("(https://h/%3Ck%3E.cu#L1)"), markdown.npos) << markdown;
  EXPECT_NE(markdown.find("````text\n"), markdown.npos) << markdown;
}

} // namespace
} // namespace lanescope::repl
