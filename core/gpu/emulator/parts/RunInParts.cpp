#include "core/gpu/emulator/parts/RunInParts.h"

#include "core/gpu/emulator/DecodedKernels.h"
#include "core/gpu/emulator/parts/Checkpoint.h"
#include "core/gpu/emulator/replay/RunNote.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

namespace lanescope::core {

namespace {

using namespace emulator;

constexpr double kMostCopying = 0.025, kMostSaving = 0.025; // shares of the time: together a twentieth

double secondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

class PartRunner {
public:
  PartRunner(const SourceRef &ptx, const Launch &launch, std::span<const Array> arrays, EmulatorOptions options,
             const CheckpointFile &file)
      : ptx_(ptx), launch_(launch), arrays_(arrays), options_(std::move(options)), file_(file) {}
  ~PartRunner();
  PartRunner(const PartRunner &) = delete;

  Result<RunResult> run();

private:
  /// Lends the arrays to the parts, which would otherwise copy all of them each time.
  void lendArrays();
  /// Learns which arrays the kernel writes. Later parts copy these at once.
  void learnWritten(const Program &program);
  Result<RunResult> runPart();
  /// Adds what a part has done to `done_`.
  void take(RunResult &part);
  void takeFindings(Diagnostics &findings);
  /// Writes the file, unless it has all of done_ or something has been found. A write that fails leaves the former file
  /// as it is; the run goes on, and says so at its end.
  void save();
  RunResult ended(RunResult last, const Program &program, uint64_t earlierParts);
  Result<RunResult> runWhole();
  void removeFile() const {
    std::error_code ignored;
    std::filesystem::remove(file_.path, ignored);
  }
  /// True if the next write takes a small share of the time since the last one.
  bool isTimeToSave() const;
  /// Chooses the size of the next part.
  void resize(double wall);

  const SourceRef &ptx_;
  const Launch &launch_;
  std::span<const Array> arrays_;
  EmulatorOptions options_;
  const CheckpointFile &file_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now(), saved_ = begin_;
  double saveSeconds_ = 0; // the duration of the last write
  std::vector<std::shared_ptr<BytesLoan>> loans_;
  std::vector<Array> lent_;
  std::vector<uint32_t> written_; // numbers of buffers
  Checkpoint done_;
  bool isSaved_ = true;        // the file has all of done_
  uint64_t savedClusters_ = 0; // the file has these first clusters
  RunPart part_;
  EmulatorStatistics partCounted_;
  Diagnostics found_;
  std::optional<Diagnostic> unsaved_; // the reason why the last write failed
};

PartRunner::~PartRunner() {
  lent_.clear();
  for (const std::shared_ptr<BytesLoan> &loan : loans_)
    if (loan.use_count() > 1) // an output
      loan->end();
}

void PartRunner::lendArrays() {
  for (const Array &array : arrays_) {
    if (array.bytes.isLent() || array.bytes.areUntouchedZeros()) {
      lent_.push_back(array);
      continue;
    }
    loans_.push_back(std::make_shared<BytesLoan>(array.bytes.data(), array.bytes.size()));
    lent_.push_back({array.dtype, array.shape, ArrayBytes::lent(loans_.back())});
  }
}

void PartRunner::learnWritten(const Program &program) {
  for (const auto &[region, changed] : done_.memory.regions)
    if (region >= program.globals.size() && region - program.globals.size() < arrays_.size()) {
      auto buffer = static_cast<uint32_t>(region - program.globals.size());
      if (std::ranges::find(written_, buffer) == written_.end())
        written_.push_back(buffer);
    }
  options_.written = written_;
}

Result<RunResult> PartRunner::runPart() {
  part_.first = done_.clusters;
  part_.before = &done_.memory;
  partCounted_ = {};
  part_.secondsBefore = secondsSince(begin_);
  EmulatorOptions own = options_;
  own.part = &part_;
  return emulate(ptx_, launch_, lent_, own, &partCounted_);
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
  takeFindings(part.diagnostics);
}

void PartRunner::takeFindings(Diagnostics &findings) {
  for (Diagnostic &finding : findings)
    if (std::ranges::none_of(found_, [&](const Diagnostic &other) {
          return other.kind == finding.kind && other.span.begin == finding.span.begin &&
                 other.span.source == finding.span.source;
        }))
      found_.push_back(std::move(finding));
}

void PartRunner::save() {
  if (isSaved_ || !found_.empty())
    return;
  auto begin = std::chrono::steady_clock::now();
  Result<void> written = writeCheckpoint(file_.path, file_.key, done_);
  saved_ = std::chrono::steady_clock::now();
  saveSeconds_ = secondsSince(begin);
  isSaved_ = written.has_value();
  unsaved_.reset();
  if (written)
    savedClusters_ = done_.clusters;
  else
    unsaved_ = written.error().front();
}

Result<RunResult> PartRunner::runWhole() {
  removeFile();
  Result<RunResult> result = emulate(ptx_, launch_, arrays_, options_);
  if (result)
    result->note += "; in one piece, because blocks of different parts use the same bytes, and one of them writes";
  return result;
}

bool PartRunner::isTimeToSave() const {
  constexpr double kSlowDisk = 200e6; // bytes per second; for the first write
  const double expected = std::max(saveSeconds_, static_cast<double>(checkpointSize(done_)) / kSlowDisk);
  return secondsSince(saved_) >= std::max(file_.everySeconds, expected / kMostSaving);
}

void PartRunner::resize(double wall) {
  constexpr double kMostGrowth = 8;
  // A part copies the arrays, which takes as long for few blocks as for many.
  const double copies = std::max(wall - partCounted_.seconds, 0.0);
  const double left = options_.timeoutSeconds - secondsSince(begin_);
  const double aim = std::min(std::max(file_.partSeconds, copies / kMostCopying), left / 2);
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
  savedClusters_ = done_.clusters;
  const uint64_t earlierParts = done_.parts;
  if (earlierParts == 0) // a file that cannot be written is an error now, not after hours
    LANESCOPE_CHECK(writeCheckpoint(file_.path, file_.key, done_));
  lendArrays();
  part_.count = options_.threads ? options_.threads : std::max(1u, std::thread::hardware_concurrency());
  for (;;) {
    auto begin = std::chrono::steady_clock::now();
    learnWritten(kernel->program);
    Result<RunResult> result = runPart();
    if (!result)
      return result;
    auto stop = std::ranges::find_if(
        result->diagnostics, [](const Diagnostic &one) { return one.kind == "timeout" || one.kind == "interrupted"; });
    if (stop != result->diagnostics.end()) {
      save();
      stop->notes.push_back({stop->span, text("the checkpoint has the first ", savedClusters_ * part_.blocksOfCluster,
                                              " blocks, and the same command goes on from there")});
      takeFindings(result->diagnostics);
      done_.printed += result->printed;
      return ended(*std::move(result), kernel->program, earlierParts);
    }
    if (done_.touches.conflictWith(part_.touches))
      return runWhole();
    const bool faulted = hasErrors(result->diagnostics) && !options_.keepGoing;
    take(*result);
    const bool whole = done_.clusters >= part_.clusters;
    if (whole && !faulted)
      removeFile();
    if (whole || faulted)
      return ended(*std::move(result), kernel->program, earlierParts);
    resize(secondsSince(begin));
    if (isTimeToSave())
      save();
  }
}

RunResult PartRunner::ended(RunResult last, const Program &program, uint64_t earlierParts) {
  const bool faulted = hasErrors(found_);
  last.diagnostics = std::move(found_);
  if (unsaved_) {
    unsaved_->severity = Severity::Warning;
    last.diagnostics.push_back(*std::move(unsaved_));
  }
  last.printed = std::move(done_.printed);
  last.timeUs = static_cast<double>(done_.counted.cycles) / 1000;
  last.note = figuresText(done_.counted, {}, faulted) + exactnessText(program) +
              text("; in ", done_.parts, done_.parts == 1 ? " part" : " parts");
  if (earlierParts)
    last.note += text(", ", earlierParts, " of them before this call");
  return last;
}

} // namespace

Result<RunResult> emulateInParts(const SourceRef &ptx, const Launch &launch, std::span<const Array> arrays,
                                 EmulatorOptions options, const CheckpointFile &file) {
  options.bounds = false; // L2 and DRAM are models of the whole launch
  options.blocks = {};
  return PartRunner(ptx, launch, arrays, std::move(options), file).run();
}

} // namespace lanescope::core
