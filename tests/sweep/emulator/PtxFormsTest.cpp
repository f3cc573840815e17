// The forms of PTX's instructions that the emulator accepts, against those that ptxas accepts (tests/golden/ptx_forms,
// tests/gpu/ptx_forms.py). docs/ptx.md has the table; if LANESCOPE_UPDATE is set, the test writes it. If LANESCOPE_LIST
// names a file, the test writes there the forms on which the two disagree, with the emulator's error.
#include "core/data/Files.h"
#include "tests/unit/emulator/EmulatorSupport.h"

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <map>

namespace lanescope::core::test {
namespace {

constexpr std::string_view kTypes[][2] = {{"c", "b8"},   {"h", "b16"}, {"r", "b32"}, {"l", "b64"},
                                          {"q", "b128"}, {"f", "f32"}, {"d", "f64"}, {"p", "pred"}};

/// The form with a register of its own for each operand letter, after the declarations of all registers
/// (tests/ptx/statement.py).
std::string statement(const std::string &form) {
  size_t blank = std::min(form.find(' '), form.size());
  std::string declared, operands;
  int count = 0;
  auto made = [&](char letter) {
    std::string name = "%x" + std::to_string(count++);
    for (auto [known, type] : kTypes)
      if (known[0] == letter)
        declared += ".reg ." + std::string(type) + " " + name + ";\n";
    return name;
  };
  auto inWord = [&](size_t at) {
    char c = at < form.size() ? form[at] : ' ';
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '%';
  };
  for (size_t at = blank; at < form.size(); ++at) {
    bool letter = std::isalpha(static_cast<unsigned char>(form[at])) && !inWord(at - 1) && !inWord(at + 1);
    if (letter && at + 1 < form.size() && form[at + 1] == '*') { // {r*4}
      for (int n = 0, times = std::stoi(form.substr(at + 2)); n < times; ++n)
        operands += (n ? ", " : "") + made(form[at]);
      at = form.find('}', at) - 1;
    } else {
      operands += letter ? made(form[at]) : std::string(1, form[at]);
    }
  }
  return declared + "ret;\n" + form.substr(0, blank) + operands + ";\nret;";
}

/// The emulator's error; empty if it accepts the form.
std::string refusal(const std::string &form, std::string_view target) {
  Kernel kernel;
  kernel.target = target;
  kernel.params = 0;
  kernel.body = statement(form);
  EmulatorOptions options;
  options.threads = 1;
  options.checks = false;
  auto result = run(kernel, {}, options);
  return result ? std::string() : result.error().front().message;
}

struct Row {
  // Forms that ptxas accepts; of these, accepted here; forms that ptxas refuses; of these, accepted here.
  int taken = 0, run = 0, refused = 0, lenient = 0;
};

void addFile(const std::string &name, std::map<std::string, Row> &rows, std::ostream &disagreements) {
  auto text = gunzip(readFile(LANESCOPE_SOURCE_DIR "/tests/golden/ptx_forms/" + name), name, 64 << 20);
  ASSERT_TRUE(text);
  std::istringstream lines(*text);
  std::string line, word;
  std::getline(lines, line);
  std::istringstream head(line.substr(line.find(": ") + 2));
  std::vector<std::string> targets;
  while (head >> word)
    targets.push_back(word);
  while (std::getline(lines, line)) {
    size_t tab = line.find('\t');
    unsigned long mask = std::stoul(line.substr(0, tab), nullptr, 16);
    std::string form = line.substr(tab + 1);
    Row &row = rows[form.substr(0, form.find_first_of(". "))];
    for (size_t n = 0; n < targets.size(); ++n) {
      const std::string why = refusal(form, targets[n]);
      const bool ours = why.empty(), theirs = mask >> n & 1;
      (theirs ? row.taken : row.refused) += 1;
      (theirs ? row.run : row.lenient) += ours;
      if (ours != theirs)
        disagreements << (ours ? "lenient" : "refused") << '\t' << targets[n] << '\t' << form << '\t' << why << '\n';
    }
  }
}

std::string table(const std::map<std::string, Row> &rows) {
  std::string out = "| instruction | taken by ptxas | of these run | refused by ptxas | of these not refused "
                    "|\n|---|---|---|---|---|\n";
  Row sum;
  auto add = [&](const std::string &name, const Row &row) {
    out += "| " + name + " | " + std::to_string(row.taken) + " | " + std::to_string(row.run) + " | " +
           std::to_string(row.refused) + " | " + std::to_string(row.lenient) + " |\n";
  };
  for (const auto &[name, row] : rows) {
    add("`" + name + "`", row);
    sum = {sum.taken + row.taken, sum.run + row.run, sum.refused + row.refused, sum.lenient + row.lenient};
  }
  add("**all**", sum);
  return out;
}

TEST(PtxForms, AreTakenAsPtxasTakesThem) {
  std::map<std::string, Row> rows;
  const char *list = std::getenv("LANESCOPE_LIST");
  std::ofstream disagreements(list ? list : "/dev/null");
  addFile("forms.txt.gz", rows, disagreements);
  addFile("near.txt.gz", rows, disagreements);
  addFile("textures.txt.gz", rows, disagreements);
  const std::string path = LANESCOPE_SOURCE_DIR "/docs/ptx.md", page = readFile(path), now = table(rows);
  size_t begin = page.find("| instruction |");
  ASSERT_NE(begin, std::string::npos) << path;
  if (std::getenv("LANESCOPE_UPDATE"))
    std::ofstream(path) << page.substr(0, begin) << now;
  else
    EXPECT_EQ(page.substr(begin), now) << "run this test with LANESCOPE_UPDATE=1 where the change is meant";
}

} // namespace
} // namespace lanescope::core::test
