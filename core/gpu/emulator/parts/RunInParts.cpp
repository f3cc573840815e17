#include "core/gpu/emulator/parts/RunInParts.h"

#include "core/gpu/emulator/DecodedKernels.h"
#include "core/gpu/emulator/parts/Checkpoint.h"
#include "core/gpu/emulator/replay/RunNote.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace lanescope::core {

namespace {

using namespace emulator;

double secondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

class PartRunner {
public:
  PartRunner(const SourceRef &ptx, const Launch &launch, std::span<const Array> arrays, EmulatorOptions options,
             const CheckpointFile &file)
      : ptx_(ptx), launch_(launch), arrays_(arrays), options_(std::move(options)), file_(file) {}

  Result<RunResult> run();

private:
  Result<RunResult> runPart();
  /// Adds what a part has done to `done_`.
  void take(RunResult &part);
  Result<void> save();
  Result<RunResult> runWhole();
  /// Chooses the size of the next part.
  void resize(double wall);

  const SourceRef &ptx_;
  const Launch &launch_;
  std::span<const Array> arrays_;
  EmulatorOptions options_;
  const CheckpointFile &file_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now(), saved_ = begin_;
  double saveSeconds_ = 0; // the duration of the last write
  Checkpoint done_;
  bool isSaved_ = true; // the file has all of done_
  RunPart part_;
  EmulatorStatistics partCounted_;
  Diagnostics found_;
};

Result<RunResult> PartRunner::runPart() {
  part_.first = done_.clusters;
  part_.before = &done_.memory;
  partCounted_ = {};
  part_.secondsBefore = secondsSince(begin_);
  EmulatorOptions own = options_;
  own.part = &part_;
  return emulate(ptx_, launch_, arrays_, own, &partCounted_);
}

void PartRunner::take(RunResult &part) {
  done_.clusters = std::min(part_.first + part_.count, part_.clusters);
  ++done_.parts;
  done_.counted.warpInstructions += partCounted_.warpInstructions;
  done_.counted.judged += partCounted_.judged;
  done_.counted.cycles += partCounted_.cycles;
  if (partCounted_.wavefronts)
    done_.counted.wavefronts = done_.counted.wavefronts.value_or(0) + *partCounted_.wavefronts;
  done_.printed += part.printed;
  done_.memory = std::move(part_.after);
  done_.touches.add(part_.touches);
  isSaved_ = false;
  for (Diagnostic &finding : part.diagnostics)
    if (std::ranges::none_of(found_, [&](const Diagnostic &other) {
          return other.kind == finding.kind && other.span.begin == finding.span.begin &&
                 other.span.source == finding.span.source;
        }))
      found_.push_back(std::move(finding));
}

Result<void> PartRunner::save() {
  if (isSaved_ || !found_.empty())
    return {};
  auto begin = std::chrono::steady_clock::now();
  LANESCOPE_CHECK(writeCheckpoint(file_.path, file_.key, done_));
  saved_ = std::chrono::steady_clock::now();
  saveSeconds_ = secondsSince(begin);
  isSaved_ = true;
  return {};
}

Result<RunResult> PartRunner::runWhole() {
  std::error_code ignored;
  std::filesystem::remove(file_.path, ignored);
  Result<RunResult> result = emulate(ptx_, launch_, arrays_, options_);
  if (result)
    result->note += "; in one piece, because blocks of different parts use the same bytes, and one of them writes";
  return result;
}

void PartRunner::resize(double wall) {
  constexpr double kMostOverhead = 0.05, kMostGrowth = 8;
  // A part copies the arrays, which takes as long for few blocks as for many.
  const double copies = std::max(wall - partCounted_.seconds, 0.0);
  const double left = options_.timeoutSeconds - secondsSince(begin_);
  const double aim = std::min(std::max(file_.partSeconds, copies / kMostOverhead), left / 2);
  const double factor = std::clamp(aim / std::max(partCounted_.seconds, 1e-6), 1 / kMostGrowth, kMostGrowth);
  part_.count = std::max<uint64_t>(1, static_cast<uint64_t>(static_cast<double>(part_.count) * factor));
}

Result<RunResult> PartRunner::run() {
  DecodedKernels decoded;
  if (!options_.decoded)
    options_.decoded = &decoded;
  auto kernel = LANESCOPE_TRY(options_.decoded->get(ptx_, launch_, options_.snippet));
  if (kernel->program.communicates)
    return error(
        "checkpoint", Span{ptx_, 0, 0},
        "blocks of this kernel may wait for each other at global memory (it has atomics, reductions, fences or "
        "strong accesses there), so there is no moment between two of them that could be kept; run it without "
        "a checkpoint");
  if (launch_.deviceCount() > 1)
    return error("checkpoint", Span{ptx_, 0, 0}, "a launch on several devices has no checkpoints");
  done_ = LANESCOPE_TRY(readCheckpoint(file_.path, file_.key));
  const uint64_t earlier = done_.parts;
  part_.count = options_.threads ? options_.threads : std::max(1u, std::thread::hardware_concurrency());
  for (;;) {
    auto begin = std::chrono::steady_clock::now();
    Result<RunResult> result = runPart();
    if (!result)
      return result;
    const bool stopped = std::ranges::any_of(
        result->diagnostics, [](const Diagnostic &one) { return one.kind == "timeout" || one.kind == "interrupted"; });
    if (stopped) {
      LANESCOPE_CHECK(save());
      for (Diagnostic &one : result->diagnostics)
        if (one.kind == "timeout" || one.kind == "interrupted")
          one.notes.push_back(
              {one.span, found_.empty() ? text("the checkpoint has the first ", done_.clusters * part_.blocksOfCluster,
                                               " blocks, and the same command goes on from there")
                                        : "no part after a finding is kept in the checkpoint"});
    } else if (done_.touches.conflictWith(part_.touches)) {
      return runWhole();
    }
    const bool faulted = hasErrors(result->diagnostics);
    if (!stopped)
      take(*result);
    if (faulted || done_.clusters >= part_.clusters) {
      if (stopped) // take() has not taken its findings
        found_.insert(found_.end(), std::make_move_iterator(result->diagnostics.begin()),
                      std::make_move_iterator(result->diagnostics.end()));
      std::error_code ignored;
      if (!faulted)
        std::filesystem::remove(file_.path, ignored);
      result->diagnostics = std::move(found_);
      result->printed = stopped ? done_.printed + result->printed : done_.printed;
      result->timeUs = static_cast<double>(done_.counted.cycles) / 1000;
      result->note = figuresText(done_.counted, {}, faulted) + exactnessText(kernel->program) +
                     text("; in ", done_.parts, done_.parts == 1 ? " part" : " parts");
      if (earlier)
        result->note += text(", ", earlier, " of them before this call");
      return result;
    }
    resize(secondsSince(begin));
    if (secondsSince(saved_) >= std::max(file_.everySeconds, 20 * saveSeconds_))
      LANESCOPE_CHECK(save());
  }
}

} // namespace

Result<RunResult> emulateInParts(const SourceRef &ptx, const Launch &launch, std::span<const Array> arrays,
                                 EmulatorOptions options, const CheckpointFile &file) {
  options.bounds = false; // L2 and DRAM are models of the whole launch
  options.blocks = {};
  return PartRunner(ptx, launch, arrays, std::move(options), file).run();
}

} // namespace lanescope::core
