#include "repl/explain/ExplainKind.h"

#include "core/gpu/emulator/check/Rules.h"
#include "layouts/support/kinds/Kinds.h"
#include "layouts/support/Nearest.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <vector>

namespace lanescope::repl {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kRulesArea = "Rules of the checker";

/// A row of the table of kinds or of the table of rules, with the title of its area.
struct Found {
  const KindEntry *entry = nullptr;
  const core::CheckerRule *rule = nullptr;
  std::string_view area;
};

/// All kinds that users see, area by area.
std::vector<Found> allKinds() {
  std::vector<Found> out;
  for (const KindArea &area : kindAreas())
    for (const KindEntry &entry : area.kinds)
      if (!entry.internal)
        out.push_back({.entry = &entry, .area = area.title});
  for (const core::CheckerRule &rule : core::kRules)
    out.push_back({.rule = &rule, .area = kRulesArea});
  return out;
}

std::string_view nameOf(const Found &found) { return found.entry ? found.entry->name : found.rule->name; }

Result<Found> find(std::string_view name) {
  std::vector<Found> all = allKinds();
  if (auto found = std::ranges::find(all, name, nameOf); found != all.end())
    return *found;
  std::vector<std::string_view> names(all.size());
  std::ranges::transform(all, names.begin(), nameOf);
  std::string_view meant = layouts::nearest(name, names);
  return error("unknown-name",
               Message("there is no kind of diagnostic `{name}`{}", name,
                       meant.empty() ? std::string("; `lanescope explain` lists them") : layouts::didYouMean(meant))
                   .with("nearest", meant));
}

std::vector<std::string_view> severitiesOf(const KindEntry &entry) {
  std::vector<std::string_view> out;
  if (entry.errs)
    out.emplace_back("error");
  if (entry.warns)
    out.emplace_back("warning");
  if (entry.notes)
    out.emplace_back("note");
  return out;
}

std::string_view gradeOf(const core::CheckerRule &rule) {
  switch (rule.grade) {
  case core::RuleGrade::Fault: return "fault";
  case core::RuleGrade::Hazard: return "hazard";
  case core::RuleGrade::Note: return "note";
  case core::RuleGrade::OnRequest: return "on request";
  }
  return "fault";
}

std::string_view formOf(ExampleForm form) {
  switch (form) {
  case ExampleForm::None: return "none";
  case ExampleForm::Expression: return "expression";
  case ExampleForm::Snippet: return "snippet";
  case ExampleForm::Ptx: return "ptx";
  }
  return "none";
}

constexpr size_t kWidth = 76; // characters of a line after its two blanks, so that lines fit into 80 columns

/// The words in lines of at most kWidth characters, each after two blanks.
std::string paragraph(std::string_view words) {
  std::string out, line;
  for (size_t begin = 0; begin < words.size();) {
    size_t end = std::min(words.find(' ', begin), words.size());
    std::string_view word = words.substr(begin, end - begin);
    if (!line.empty() && line.size() + word.size() + 1 > kWidth) {
      out += text("  ", line, "\n");
      line.clear();
    }
    line += text(line.empty() ? "" : " ", word);
    begin = end + 1;
  }
  return out + text("  ", line, "\n");
}

/// The meaning of a kind as a sentence.
std::string sentence(std::string_view meaning) {
  std::string out = text(meaning, ".");
  if (out[0] >= 'a' && out[0] <= 'z')
    out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

/// The lines, each indented by four spaces.
std::string code(std::string_view lines) {
  std::string out = "    ";
  for (char c : lines)
    out += c == '\n' ? std::string("\n    ") : std::string(1, c);
  return out + "\n";
}

std::string parameterText(std::string_view kind) {
  std::string_view parameters = parametersOf(kind);
  return parameters.empty() ? std::string() : text("\nparameters, for programs\n", paragraph(parameters));
}

std::string entryText(const Found &found) {
  const KindEntry &entry = *found.entry;
  std::string out = text(entry.name, " (", joined(severitiesOf(entry), ", "), "; ", found.area, ")\n\n",
                         paragraph(sentence(entry.meaning)), "\n", paragraph(entry.mend));
  out += parameterText(entry.name);
  if (entry.example.form != ExampleForm::None)
    out += text("\nexample", entry.example.form == ExampleForm::Ptx ? ", in a kernel's PTX" : "", "\n",
                code(entry.example.input), "gives\n", code(entry.example.message));
  return out;
}

std::string ruleText(const core::CheckerRule &rule) {
  return text(rule.name, " (", gradeOf(rule), "; ", kRulesArea, ")\n\n", paragraph(sentence(rule.gist)), "\n",
              paragraph("docs/checks.md says what to write instead, and which uses the checker lets pass."),
              parameterText(rule.name), "\nexample, by threads A and B of two warps\n", code(rule.broken), "rests on\n",
              code(rule.isa.starts_with("CUDA") ? std::string(rule.isa) : text("PTX ISA, ", rule.isa)));
}

/// Adds the parameters of the entry's kind, if there are any: `{"name": "text", "index": "integer"}`.
Json withParameters(Json entry) {
  for (std::string_view rest = parametersOf(entry["kind"].get<std::string>()); !rest.empty();) {
    std::string_view each = rest.substr(0, rest.find(", "));
    size_t colon = each.find(": ");
    entry["parameters"][std::string(each.substr(0, colon))] = each.substr(colon + 2);
    rest.remove_prefix(std::min(each.size() + 2, rest.size()));
  }
  return entry;
}

Json jsonOf(const Found &found) {
  if (const core::CheckerRule *rule = found.rule)
    return withParameters({{"kind", rule->name},
                           {"area", found.area},
                           {"grade", gradeOf(*rule)},
                           {"meaning", rule->gist},
                           {"section", rule->isa},
                           {"example", {{"form", "threads"}, {"input", rule->broken}}}});
  const KindEntry &entry = *found.entry;
  Json out = {{"kind", entry.name},
              {"area", found.area},
              {"severities", severitiesOf(entry)},
              {"meaning", entry.meaning},
              {"mend", entry.mend}};
  if (entry.example.form != ExampleForm::None)
    out["example"] = {
        {"form", formOf(entry.example.form)}, {"input", entry.example.input}, {"message", entry.example.message}};
  if (!entry.untested.empty())
    out["untested"] = entry.untested;
  return withParameters(std::move(out));
}

} // namespace

Result<std::string> explainKind(std::string_view name) {
  Found found = LANESCOPE_TRY(find(name));
  return found.rule ? ruleText(*found.rule) : entryText(found);
}

std::string listKinds() {
  std::string out, line;
  std::string_view area;
  auto endLine = [&] {
    if (!line.empty())
      out += text("  ", line, "\n");
    line.clear();
  };
  for (const Found &found : allKinds()) {
    if (found.area != area) {
      endLine();
      out += text(area.empty() ? "" : "\n", found.area, "\n");
      area = found.area;
    }
    if (line.size() + nameOf(found).size() + 2 > kWidth)
      endLine();
    line += text(line.empty() ? "" : "  ", nameOf(found));
  }
  endLine();
  return out;
}

Result<std::string> kindJson(std::string_view name) { return jsonOf(LANESCOPE_TRY(find(name))).dump(2); }

std::string kindsJson() {
  Json all = Json::array();
  for (const Found &found : allKinds())
    all.push_back(jsonOf(found));
  return Json{{"kinds", std::move(all)}}.dump(2);
}

} // namespace lanescope::repl
