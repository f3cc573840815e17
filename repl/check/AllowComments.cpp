#include "repl/check/AllowComments.h"

#include "core/gpu/emulator/check/Rules.h"
#include "core/gpu/emulator/ptx/PtxModule.h"
#include "layouts/support/Text.h"
#include "layouts/support/Words.h"
#include "repl/check/StatementText.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

namespace lanescope::repl {

namespace {

constexpr std::string_view kAllowMark = "lanescope: allow", kBecause = "because";

/// The text before the comment that the line's mark begins. Nothing if the mark does not begin a comment.
std::optional<std::string_view> beforeComment(std::string_view line, size_t mark, bool python) {
  std::string_view before = trimmed(line.substr(0, mark));
  for (std::string_view opening : {"//", "/*", "#"})
    if (before.ends_with(opening) && (opening == "#") == python)
      return trimmed(before.substr(0, before.size() - opening.size()));
  return std::nullopt;
}

/// Reads `RULE, RULE because REASON` into the comment.
void readWords(std::string_view words, AllowComment &comment) {
  size_t close = words.find("*/");
  words = trimmed(words.substr(0, close));
  while (!words.empty()) {
    size_t end = std::min(words.find_first_of(" \t,"), words.size());
    std::string_view word = words.substr(0, end);
    words.remove_prefix(std::min(end + 1, words.size()));
    if (word == kBecause) {
      comment.reason = trimmed(words);
      return;
    }
    if (!word.empty())
      comment.rules.emplace_back(word);
  }
}

} // namespace

bool AllowComment::allows(const std::string &rule, const Span &where) const {
  if (!where.source || std::ranges::find(rules, rule) == rules.end())
    return false;
  // Texts that a program makes may have the same name.
  if (where.source != place.source &&
      (where.source->name() != place.source->name() || where.source->text() != place.source->text()))
    return false;
  uint32_t line = where.source->lineColumn(where.begin).line;
  return line >= first && line <= last;
}

AllowComments readAllowComments(const SourceRef &source) {
  AllowComments out;
  const std::string &all = source->text();
  const bool python = source->name().ends_with(".py");
  for (size_t at = all.find(kAllowMark); at != all.npos; at = all.find(kAllowMark, at + 1)) {
    auto begin = static_cast<uint32_t>(at);
    uint32_t line = source->lineColumn(begin).line, start = source->lineStart(line);
    std::string_view words = source->lineText(line);
    auto before = beforeComment(words, begin - start, python);
    std::string_view after = words.substr(begin - start + kAllowMark.size());
    if (!before || (!after.empty() && after.front() != ' ' && after.front() != '\r'))
      continue;
    auto end = static_cast<uint32_t>(start + words.size());
    AllowComment comment{.place = {source, begin, end}};
    readWords(after, comment);
    if (comment.reason.empty()) {
      out.problems.push_back({Severity::Error,
                              "allow-without-reason",
                              comment.place,
                              "this comment gives no reason: write `lanescope: allow RULE because REASON`",
                              {}});
      continue;
    }
    if (auto known = core::checkRuleNames(comment.rules); !known || comment.rules.empty()) {
      if (known)
        known = error("no-rule", comment.place, "this comment names no rule: write `lanescope: allow RULE because …`");
      for (Diagnostic &problem : known.error()) {
        problem.span = comment.place;
        out.problems.push_back(std::move(problem));
      }
      continue;
    }
    // The statement begins on this line, or after it.
    StatementText statement = statementAt(*source, before->empty() ? end : start + words.find(before->front()));
    comment.first = statement.first, comment.last = statement.last;
    out.comments.push_back(std::move(comment));
  }
  return out;
}

AllowComments readAllowComments(const core::emulator::Module &module) {
  AllowComments out = readAllowComments(module.source);
  for (size_t file = 0; file < module.sources.size(); ++file) {
    if (!module.sources[file])
      continue;
    AllowComments read = readAllowComments(module.sources[file]);
    std::ranges::move(read.problems, std::back_inserter(out.problems));
    for (AllowComment &comment : read.comments) {
      auto inStatement = [&](const core::emulator::SourceLoc &loc) {
        return loc.file == file && loc.line >= comment.first && loc.line <= comment.last;
      };
      if (std::ranges::any_of(module.locs, inStatement) || std::ranges::any_of(module.frames, inStatement))
        out.comments.push_back(std::move(comment));
    }
  }
  return out;
}

Diagnostic unusedAllow(const AllowComment &comment) {
  return {Severity::Note,
          "unused-allow",
          comment.place,
          text("no run has a finding of ", joined(comment.rules, ", "),
               " at the statement of this comment: remove the comment if the kernel is mended"),
          {}};
}

} // namespace lanescope::repl
