// The registry of kinds (layouts/support/kinds): each example produces its kind and message, and names are unique.
#include "core/gpu/emulator/check/Rules.h"
#include "layouts/support/kinds/Kinds.h"
#include "repl/explain/ExplainKind.h"
#include "repl/session/Session.h"
#include "tests/unit/emulator/EmulatorSupport.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace lanescope::repl {
namespace {

/// All diagnostics for the example's input.
Diagnostics saidOf(const KindExample &example) {
  Diagnostics out;
  auto take = [&](const Diagnostics &diagnostics) { out.insert(out.end(), diagnostics.begin(), diagnostics.end()); };
  if (example.form == ExampleForm::Ptx) {
    auto done =
        core::test::run({.body = std::string(example.input)}, {core::test::u32Array(std::vector<uint32_t>(32)),
                                                               core::test::u32Array(std::vector<uint32_t>(32))});
    take(done ? done->diagnostics : done.error());
    return out;
  }
  Limits limits;
  limits.stackBytes = 6 << 20; // frames are larger under sanitizers
  Session session({.kernels = {.device = "emulator"}, .remarks = take, .limits = limits});
  auto source = Source::make("example", std::string(example.input));
  if (example.form == ExampleForm::Expression) {
    if (auto done = session.evaluate(source); !done)
      take(done.error());
  } else if (auto done = session.run(source); !done)
    take(done.error());
  return out;
}

TEST(Kinds, ExamplesGiveTheirKindAndMessage) {
  size_t examples = 0;
  for (const KindArea &area : kindAreas())
    for (const KindEntry &entry : area.kinds) {
      if (entry.example.form == ExampleForm::None)
        continue;
      ++examples;
      Diagnostics said = saidOf(entry.example);
      auto found =
          std::ranges::find(said, entry.name, [](const Diagnostic &one) { return std::string_view(one.kind); });
      if (found == said.end()) {
        ADD_FAILURE() << entry.name << ": " << entry.example.input << " gives\n" << render(said);
        continue;
      }
      EXPECT_EQ(found->message, entry.example.message) << entry.name;
      EXPECT_TRUE(found->severity == Severity::Error     ? entry.errs
                  : found->severity == Severity::Warning ? entry.warns
                                                         : entry.notes)
          << entry.name << " comes as another severity than its row says";
    }
  EXPECT_GT(examples, 60u);
}

TEST(Kinds, NamesAreUniqueAndOfOneForm) {
  std::set<std::string_view> names;
  auto add = [&](std::string_view name) {
    EXPECT_TRUE(names.insert(name).second) << name << " has two rows";
    EXPECT_TRUE(std::ranges::all_of(name, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    })) << name;
  };
  for (const KindArea &area : kindAreas())
    for (const KindEntry &entry : area.kinds) {
      add(entry.name);
      EXPECT_FALSE(entry.meaning.empty() || entry.meaning.ends_with('.')) << entry.name;
      EXPECT_TRUE(entry.mend.ends_with('.')) << entry.name << ": " << entry.mend;
      EXPECT_TRUE(entry.errs || entry.warns || entry.notes) << entry.name;
    }
  for (const core::CheckerRule &rule : core::kRules)
    add(rule.name);
  // Call sites are checked against the list of names, so the list must have exactly these names.
  for (std::string_view name : names)
    EXPECT_TRUE(DiagnosticKind::named(name)) << name << " is not in layouts/support/KindNames.inc";
  EXPECT_EQ(detail::kKindNames.size(), names.size() + 1) << "KindNames.inc has names without a row";
}

TEST(Kinds, AreFoundByName) {
  EXPECT_EQ(DiagnosticKind::named("race")->name(), "race");
  EXPECT_EQ(DiagnosticKind::named("race"), std::optional(DiagnosticKind("race")));
  EXPECT_EQ(DiagnosticKind().name(), "");
  for (std::string_view none : {"", "rac", "racee", "a", "zzz", "race\n"})
    EXPECT_FALSE(DiagnosticKind::named(none)) << none;
  EXPECT_LT(DiagnosticKind("race"), DiagnosticKind("racing-read"));
  EXPECT_TRUE(DiagnosticKind("race") == std::string("race"));
}

TEST(Kinds, AreExplained) {
  auto words = explainKind("unknown-name");
  ASSERT_TRUE(words) << render(words.error());
  EXPECT_NE(words->find("A name is not defined."), words->npos) << *words;
  EXPECT_NE(words->find("lenght([1])"), words->npos) << *words;
  words = explainKind("unfenced-overwrite");
  ASSERT_TRUE(words) << render(words.error());
  EXPECT_TRUE(words->starts_with("unfenced-overwrite (hazard; ")) << *words;
  EXPECT_NE(words->find("PTX ISA, Async proxy"), words->npos) << *words;
  auto wrong = explainKind("unfenced-overwrit");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().front().kind, "unknown-name");
  EXPECT_NE(wrong.error().front().message.find("`unfenced-overwrite`"), std::string::npos);
  EXPECT_FALSE(explainKind("lane-race")) << "an internal kind is not for users";
  EXPECT_FALSE(explainKind(""));
}

TEST(Kinds, AreExplainedInTheLanguage) {
  Session session({.kernels = {.device = "none"}});
  EXPECT_TRUE(session.run(Source::make("a", "explain('race')")));
  auto wrong = session.run(Source::make("a", "explain('rase')"));
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().front().message.find("did you mean `race`?"), std::string::npos) << render(wrong.error());
  EXPECT_TRUE(session.run(Source::make("a", "explain(WGMMA, (64, 64), (9, 2))")));
  wrong = session.run(Source::make("a", "explain(WGMMA)"));
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().front().kind, "arguments");
}

TEST(Kinds, AreListedByArea) {
  std::string list = listKinds();
  EXPECT_TRUE(list.starts_with("Files, traces, packages\n")) << list;
  EXPECT_NE(list.find("\nRules of the checker\n"), list.npos);
  EXPECT_EQ(list.find("verified-guess"), list.npos);
}

} // namespace
} // namespace lanescope::repl
