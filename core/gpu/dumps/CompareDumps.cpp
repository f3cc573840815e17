#include "core/gpu/dumps/CompareDumps.h"

#include "core/gpu/dumps/PageParts.h"
#include "core/gpu/dumps/PageText.h"
#include "layouts/support/Text.h"

#include <algorithm>

namespace lanescope::core::dumps {

namespace {

using Pairs = std::vector<std::pair<size_t, size_t>>;

std::string signatureOf(const DumpOp &op) {
  std::string out = op.name;
  for (const auto *values : {&op.operands, &op.results})
    for (const DumpValue &value : *values)
      out += text("|", value.type);
  return out;
}

/// Pairs of equal texts, ascending in both. Their number is the largest possible. If the table for that would be too
/// large, a greedy walk pairs each text with the next equal one.
Pairs matches(const std::vector<std::string> &a, const std::vector<std::string> &b) {
  constexpr size_t kMostCells = size_t{1} << 24;
  Pairs out;
  size_t begin = 0, endA = a.size(), endB = b.size();
  while (begin < endA && begin < endB && a[begin] == b[begin])
    out.emplace_back(begin, begin), ++begin;
  Pairs tail;
  while (endA > begin && endB > begin && a[endA - 1] == b[endB - 1])
    tail.emplace_back(--endA, --endB);
  size_t rows = endA - begin, columns = endB - begin;
  if (columns > 0 && rows > kMostCells / columns) {
    for (size_t i = begin, next = begin; i < endA; ++i)
      for (size_t j = next; j < endB; ++j)
        if (a[i] == b[j]) {
          out.emplace_back(i, j);
          next = j + 1;
          break;
        }
  } else if (rows > 0 && columns > 0) {
    std::vector<uint32_t> longest((rows + 1) * (columns + 1)); // longest match of the parts from (i, j) on
    auto at = [&](size_t i, size_t j) -> uint32_t & { return longest[i * (columns + 1) + j]; };
    for (size_t i = rows; i-- > 0;)
      for (size_t j = columns; j-- > 0;)
        at(i, j) = a[begin + i] == b[begin + j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
    for (size_t i = 0, j = 0; i < rows && j < columns;) {
      if (a[begin + i] == b[begin + j])
        out.emplace_back(begin + i++, begin + j++);
      else
        at(i + 1, j) >= at(i, j + 1) ? ++i : ++j;
    }
  }
  out.insert(out.end(), tail.rbegin(), tail.rend());
  return out;
}

std::vector<std::string> signatures(const Dump &dump) {
  std::vector<std::string> out;
  for (const DumpOp &op : dump.ops)
    out.push_back(signatureOf(op));
  return out;
}

/// Finds the entries of each page that have no equal entry on the matched operation of the other page. Two equal
/// entries on one operation need two counterparts.
template <typename Entry>
void leftOver(const std::vector<Entry> &first, const std::vector<Entry> &second, const auto &otherOf, const auto &equal,
              std::vector<size_t> &before, std::vector<size_t> &after) {
  std::vector<bool> taken(second.size());
  for (size_t i = 0; i < first.size(); ++i) {
    size_t found = second.size();
    for (size_t j = 0; j < second.size() && found == second.size(); ++j)
      if (!taken[j] && otherOf(first[i].op) == second[j].op && equal(first[i], second[j]))
        found = j;
    if (found == second.size())
      before.push_back(i);
    else
      taken[found] = true;
  }
  for (size_t j = 0; j < second.size(); ++j)
    if (!taken[j])
      after.push_back(j);
}

std::string change(std::string_view what, int64_t before, int64_t after, std::string_view unit = "") {
  if (before == after)
    return text(what, " ", before, unit);
  return text(what, " ", before, " -> ", after, unit, " (", after > before ? "+" : "", after - before, ")");
}

int64_t sharedBytes(const KernelPage &page) {
  int64_t bytes = 0;
  for (const DumpKernel &kernel : page.dump.kernels)
    bytes = std::max(bytes, kernel.dynamicSmem.value_or(0));
  for (const Allocation &one : page.allocations)
    if (one.place != DumpValue::Place::TensorMemory)
      bytes = std::max(bytes, one.offset + one.size);
  return bytes;
}

void list(std::string &out, std::string_view title, const KernelPage &page, const std::vector<size_t> &ops) {
  constexpr size_t kMost = 40;
  if (ops.empty())
    return;
  out += text("\n", title, "\n");
  for (size_t i = 0; i < std::min(ops.size(), kMost); ++i)
    out += text("  ", opWords(page.dump, ops[i]), "\n");
  if (ops.size() > kMost)
    out += text("  … ", ops.size() - kMost, " more\n");
}

} // namespace

Comparison compare(const KernelPage &first, const KernelPage &second) {
  Comparison out;
  out.matched = matches(signatures(first.dump), signatures(second.dump));
  constexpr size_t kNone = static_cast<size_t>(-1);
  std::vector<size_t> other(first.dump.ops.size(), kNone);
  std::vector<bool> inBoth(second.dump.ops.size());
  for (auto [a, b] : out.matched) {
    other[a] = b, inBoth[b] = true;
    const DumpOp &x = first.dump.ops[a], &y = second.dump.ops[b];
    for (bool result : {false, true}) {
      const auto &before = result ? x.results : x.operands, &after = result ? y.results : y.operands;
      for (size_t i = 0; i < before.size(); ++i)
        if (std::string was = storageWords(before[i]), is = storageWords(after[i]); was != is)
          out.changes.push_back({a, b, result, i, was.empty() ? "none" : was, is.empty() ? "none" : is});
    }
  }
  for (size_t i = 0; i < other.size(); ++i)
    if (other[i] == kNone)
      out.onlyFirst.push_back(i);
  for (size_t i = 0; i < inBoth.size(); ++i)
    if (!inBoth[i])
      out.onlySecond.push_back(i);
  auto otherOf = [&](size_t op) { return other[op]; };
  leftOver(
      first.relayouts, second.relayouts, otherOf,
      [](const Relayout &a, const Relayout &b) {
        return a.operand == b.operand && a.from == b.from && a.to == b.to && a.counts == b.counts;
      },
      out.relayoutsBefore, out.relayoutsAfter);
  leftOver(
      first.transfers, second.transfers, otherOf,
      [](const Transfer &a, const Transfer &b) {
        return a.instructions == b.instructions && a.wavefronts == b.wavefronts && a.ideal == b.ideal;
      },
      out.transfersBefore, out.transfersAfter);
  return out;
}

std::string comparisonText(const KernelPage &first, const KernelPage &second, const Comparison &comparison) {
  auto count = [](const auto &list) { return static_cast<int64_t>(list.size()); };
  std::string out = text(first.files.name, " -> ", second.files.name, "\n");
  if (comparison.same())
    out += text("  the same: ", count(comparison.matched), " operations, no layout, relayout or transfer differs\n");
  else
    out += text("  ", count(comparison.matched), " operations in both, ", count(comparison.onlyFirst),
                " only in the first, ", count(comparison.onlySecond), " only in the second\n");
  out += text("  ", change("relayouts", count(first.relayouts), count(second.relayouts)), ", ",
              change("shuffles", first.shuffles(), second.shuffles(), " per thread"), "\n  ",
              change("bank conflicts", first.conflicts(), second.conflicts()), ", ",
              change("registers of arrays", first.registers, second.registers, " per thread"), "\n  ",
              change("shared memory", sharedBytes(first), sharedBytes(second), " bytes"), "\n");
  if (first.ptx && second.ptx)
    out += text("  ", change("PTX", first.ptx->total, second.ptx->total, " instructions"), "\n");
  if (!comparison.changes.empty())
    out += "\nlayouts and transforms that differ\n";
  for (const Comparison::Change &one : comparison.changes)
    out += text("  ", opWords(first.dump, one.first), one.first == one.second ? "" : text(", there #", one.second + 1),
                ", ", one.result ? "result " : "operand ", one.index, ": ", one.before, " -> ", one.after, "\n");
  if (!comparison.relayoutsBefore.empty() || !comparison.relayoutsAfter.empty())
    out += "\nrelayouts\n";
  for (size_t i : comparison.relayoutsBefore)
    out +=
        text("  - ", opWords(first.dump, first.relayouts[i].op), ": ", relayoutWords(first, first.relayouts[i]), "\n");
  for (size_t i : comparison.relayoutsAfter)
    out += text("  + ", opWords(second.dump, second.relayouts[i].op), ": ", relayoutWords(second, second.relayouts[i]),
                "\n");
  if (!comparison.transfersBefore.empty() || !comparison.transfersAfter.empty())
    out += "\nregisters and shared memory\n";
  for (size_t i : comparison.transfersBefore)
    out += text("  - ", opWords(first.dump, first.transfers[i].op), ": ", transferWords(first.transfers[i]), "\n");
  for (size_t i : comparison.transfersAfter)
    out += text("  + ", opWords(second.dump, second.transfers[i].op), ": ", transferWords(second.transfers[i]), "\n");
  list(out, "only in the first", first, comparison.onlyFirst);
  list(out, "only in the second", second, comparison.onlySecond);
  return out;
}

} // namespace lanescope::core::dumps
