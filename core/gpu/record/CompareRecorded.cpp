#include "core/gpu/record/CompareRecorded.h"

#include "core/data/Files.h"
#include "core/data/Json.h"
#include "core/gpu/emulator/LaunchSketch.h"
#include "core/gpu/kernel/LaunchBuffers.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Words.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <set>

namespace lanescope::core::record {

namespace {

namespace fs = std::filesystem;

/// The largest relative difference of two results of the same formula.
double toleranceOf(Dtype dtype) {
  switch (dtype) {
  case Dtype::F64: return 1e-12;
  case Dtype::F32: return 1e-5;
  case Dtype::F16: return 2e-3;
  case Dtype::BF16: return 1.6e-2;
  default: return layouts::isFloat(dtype) ? 0.13 : 0;
  }
}
constexpr double kAtomicsFactor = 100; // for sums in another order

/// Maps the first byte of each part of a buffer to the part's type.
using Types = std::map<uint64_t, Dtype>;

/// The types of the elements behind pointer parameters, deduced from the PTX's loads and stores.
std::vector<Types> typesOf(const SourceRef &ptx, const Launch &launch, size_t buffers) {
  std::vector<Types> out(buffers);
  auto sketch = sketchLaunch(ptx, {.entry = launch.entry});
  if (!sketch || sketch->launch.params.size() != launch.params.size())
    return out;
  size_t next = 0;
  for (size_t n = 0; n < launch.params.size(); ++n) {
    const auto *known = std::get_if<BufferParam>(&sketch->launch.params[n]);
    auto say = [&](size_t buffer, uint64_t at) {
      if (known && buffer < buffers)
        out[buffer][at] = known->buffer.dtype;
    };
    if (std::holds_alternative<BufferParam>(launch.params[n]))
      say(next++, 0);
    else if (const auto *pointer = std::get_if<PointerParam>(&launch.params[n]))
      say(pointer->buffer, pointer->at);
    else if (const auto *block = std::get_if<BytesParam>(&launch.params[n])) {
      for (const PointerSpec &one : block->pointers)
        say(launchBuffer(one.buffer, next), one.at);
      next += block->buffers.size();
    }
  }
  return out;
}

/// True if the kernel adds floats to memory with atomic operations, which the hardware may run in any order. Also true
/// if it takes locks: it may then add in the order in which blocks get the lock.
bool addsInAnyOrder(const SourceRef &ptx) {
  const std::string &all = ptx->text();
  for (const char *word : {"atom.", "red.", "multimem.red"})
    for (size_t at = all.find(word); at != all.npos; at = all.find(word, at + 1)) {
      std::string_view opcode = std::string_view(all).substr(at, 80);
      opcode = opcode.substr(0, opcode.find_first_of(" \t\n"));
      if (opcode.find(".cas") != opcode.npos || opcode.find(".exch") != opcode.npos)
        return true;
      if (opcode.find(".add") != opcode.npos && (opcode.find(".f") != opcode.npos || opcode.find(".bf") != opcode.npos))
        return true;
    }
  return false;
}

struct Difference {
  uint64_t elements = 0, first = UINT64_MAX;
  double most = 0; // relative to the larger value
  Dtype dtype = Dtype::U8;
};

class Comparing {
public:
  Comparing(const Launch &launch, std::vector<Types> types) : types_(std::move(types)) {
    for (const BufferLink &link : launch.links)
      linked_.emplace(link.buffer, link.offset);
  }

  /// `actual` and `expected`: bytes of a buffer. `before`: elements that are still as there are not compared; may be
  /// empty.
  Difference compare(size_t buffer, std::span<const std::byte> actual, std::span<const std::byte> expected,
                     std::span<const std::byte> before) const {
    Difference out;
    for (size_t at = 0; at < actual.size();) {
      if (actual[at] == expected[at]) {
        ++at;
        continue;
      }
      // The word is an address, which differs between the GPU's run and the replay.
      if (linked_.contains({buffer, at / 8 * 8})) {
        at = at / 8 * 8 + 8;
        continue;
      }
      auto [begin, dtype] = typeAt(buffer, at);
      auto bytes = static_cast<size_t>(layouts::hostBytes(dtype));
      size_t element = begin + (at - begin) / bytes * bytes;
      if (element + bytes > actual.size())
        dtype = Dtype::U8, bytes = 1, element = at;
      if (!before.empty() && std::ranges::equal(actual.subspan(element, bytes), before.subspan(element, bytes))) {
        at = element + bytes;
        continue;
      }
      ++out.elements;
      out.first = std::min<uint64_t>(out.first, element);
      out.dtype = dtype;
      out.most = std::max(out.most, apart(dtype, actual.subspan(element, bytes), expected.subspan(element, bytes)) /
                                        std::max(toleranceOf(dtype), 1e-300));
      at = element + bytes;
    }
    return out;
  }

private:
  std::pair<size_t, Dtype> typeAt(size_t buffer, size_t at) const {
    auto next = types_[buffer].upper_bound(at);
    if (next == types_[buffer].begin())
      return {0, Dtype::U8};
    --next;
    return {next->first, next->second};
  }

  static double apart(Dtype dtype, std::span<const std::byte> a, std::span<const std::byte> b) {
    Array one{dtype, {1}, {}}, other{dtype, {1}, {}};
    one.bytes.assign(a);
    other.bytes.assign(b);
    if (!layouts::isFloat(dtype))
      return INFINITY;
    double x = one.number(0), y = other.number(0);
    if (std::isnan(x) && std::isnan(y))
      return 0;
    double larger = std::max({std::abs(x), std::abs(y), 1e-3}); // the lower limit is for small sums of large terms
    double distance = std::abs(x - y) / larger;
    return std::isnan(distance) ? INFINITY : distance;
  }

  std::vector<Types> types_;
  std::set<std::pair<size_t, uint64_t>> linked_;
};

} // namespace

const char *name(ReplayGrade grade) {
  switch (grade) {
  case ReplayGrade::Exact: return "exact";
  case ReplayGrade::Close: return "close";
  case ReplayGrade::Atomics: return "atomics";
  case ReplayGrade::Different: return "different";
  case ReplayGrade::Unknown: return "not comparable";
  }
  return "";
}

bool isRecorded(const fs::path &folder) {
  std::error_code ignored;
  return fs::exists(folder / "recorded.json", ignored);
}

std::string ptxByNameWords(const fs::path &folder) {
  auto source = readSource(folder / "recorded.json", FileRole::Json);
  auto json = source ? parseJson(*source) : Result<Json>(std::unexpected(source.error()));
  const Json *file = json ? json->find("ptx_by_name") : nullptr;
  return file
             ? text("its PTX was found by the kernel's name, in `", file->string, "`, and may be another compilation's")
             : "";
}

Result<ReplayVerdict> compareRecorded(const fs::path &folder, const SourceRef &ptx, const Launch &launch,
                                      std::span<const Array> inputs, std::span<const Array> outputs, bool part) {
  SourceRef source = LANESCOPE_TRY(readSource(folder / "recorded.json", FileRole::Json));
  Json json = LANESCOPE_TRY(parseJson(source));
  const Json *state = json.find("state"), *arrays = json.find("arrays");
  if (arrays && !arrays->boolean)
    return ReplayVerdict{ReplayGrade::Unknown, "recorded without arrays: there is nothing to compare with"};
  if (!state || state->string != "complete")
    return ReplayVerdict{ReplayGrade::Unknown,
                         text("the recorded launch has no result (", state ? state->string : "", ")")};
  std::vector<const BufferSpec *> buffers = launch.buffers();
  Comparing comparing(launch, typesOf(ptx, launch, buffers.size()));
  ReplayVerdict verdict{ReplayGrade::Exact, {}};
  uint64_t bytes = 0;
  for (size_t n = 0; n < buffers.size(); ++n) {
    Array expected = inputs[n];
    if (!buffers[n]->out.empty())
      expected = LANESCOPE_TRY(loadNpy(folder / "expected" / buffers[n]->out, buffers[n]->dtype));
    if (expected.bytes.size() != outputs[n].bytes.size())
      return error("package", Message("`{}` has another size than its buffer", buffers[n]->out));
    std::span<const std::byte> before;
    if (part)
      before = inputs[n].bytes;
    for (size_t at = 0; at < expected.bytes.size(); ++at)
      bytes += before.empty() || outputs[n].bytes[at] != before[at];
    Difference found = comparing.compare(n, outputs[n].bytes, expected.bytes, before);
    if (found.elements == 0)
      continue;
    ReplayGrade grade = found.most <= 1                                       ? ReplayGrade::Close
                        : found.most <= kAtomicsFactor && addsInAnyOrder(ptx) ? ReplayGrade::Atomics
                                                                              : ReplayGrade::Different;
    verdict.grade = std::max(verdict.grade, grade);
    verdict.words += text(verdict.words.empty() ? "" : "; ", found.elements, " elements (", layouts::name(found.dtype),
                          ") of `", buffers[n]->name, "` differ, the first at byte ", found.first);
  }
  if (verdict.grade == ReplayGrade::Different)
    if (std::string words = ptxByNameWords(folder); !words.empty())
      verdict.words += "; " + words;
  if (verdict.grade == ReplayGrade::Exact)
    verdict.words =
        text(bytes, part ? " changed bytes in " : " bytes in ", counted(buffers.size(), "buffer"), " are the GPU's");
  if (part)
    verdict.words += "; what the chosen blocks left as it was is not compared";
  return verdict;
}

} // namespace lanescope::core::record
