#include "core/emulator/Emulator.h"

#include "core/emulator/Cluster.h"
#include "core/emulator/CostModel.h"
#include "core/emulator/Deadlock.h"
#include "core/emulator/Decoder.h"
#include "core/emulator/LaunchImage.h"
#include "core/emulator/PtxParser.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>

namespace lanescope::core {

namespace {

using namespace emulator;

constexpr uint64_t kQuantum = 1 << 20; // warp instructions of a cluster between looks at the clock
constexpr size_t kMaxWarnings = 20;

class Runner {
public:
  Runner(Grid &grid, const EmulatorOptions &options) : grid_(grid), options_(options), smFree_(cost::kSms, 0) {}

  /// Runs all clusters; one that does not end within a quantum lets the others go on too, so that blocks may wait for
  /// each other through global memory.
  void run(RunResult &result, EmulatorStatistics &statistics) {
    auto begin = std::chrono::steady_clock::now();
    uint64_t clusterSize = static_cast<uint64_t>(grid_.cluster[0]) * grid_.cluster[1] * grid_.cluster[2];
    uint64_t total = static_cast<uint64_t>(grid_.size[0]) * grid_.size[1] * grid_.size[2] / clusterSize, next = 0;
    uint64_t looked = 0;
    while (next < total || !resident_.empty()) {
      if (next < total && (resident_.size() + 1) * clusterSize <= cost::kSms)
        start(next++, clusterSize);
      for (size_t n = 0; n < resident_.size();) {
        Cluster &cluster = *resident_[n];
        uint64_t before = cluster.executed();
        RunState state = cluster.run(kQuantum);
        statistics.warpInstructions += cluster.executed() - before;
        if (state == RunState::Faulted) {
          for (const auto &block : cluster.blocks)
            collect(*block, result);
          result.diagnostics.push_back(std::move(*cluster.faulted()->fault));
          finish(result, statistics, begin);
          return;
        }
        if (state == RunState::Finished) {
          for (const auto &block : cluster.blocks) {
            collect(*block, result);
            smFree_[block->sm] = block->endTime();
            busy_[block->sm] = false;
          }
          idle_.push_back(std::move(resident_[n]));
          resident_.erase(resident_.begin() + static_cast<long>(n));
        } else {
          ++n;
        }
        if (statistics.warpInstructions - looked >= kQuantum / 4 || state != RunState::Finished) {
          looked = statistics.warpInstructions;
          if (stopped(begin, result)) {
            finish(result, statistics, begin);
            return;
          }
        }
      }
    }
    finish(result, statistics, begin);
  }

private:
  using Clock = std::chrono::steady_clock;

  /// The SMs that are free first; all of a cluster's blocks start when the last of them is free.
  void start(uint64_t index, uint64_t clusterSize) {
    std::vector<uint32_t> sms;
    uint64_t begin = 0;
    for (uint64_t rank = 0; rank < clusterSize; ++rank) {
      uint32_t sm = kNone;
      for (uint32_t n = 0; n < cost::kSms; ++n)
        if (!busy_[n] && (sm == kNone || smFree_[n] < smFree_[sm]))
          sm = n;
      busy_[sm] = true;
      begin = std::max(begin, smFree_[sm] + cost::kBlockStart);
      sms.push_back(sm);
    }
    std::unique_ptr<Cluster> cluster;
    if (!idle_.empty()) {
      cluster = std::move(idle_.back());
      idle_.pop_back();
    } else {
      cluster = std::make_unique<Cluster>();
    }
    cluster->begin(grid_, index, sms, std::vector<uint64_t>(clusterSize, begin));
    resident_.push_back(std::move(cluster));
  }

  void collect(Block &block, RunResult &result) {
    if (!block.printed.empty())
      printed_[block.linear] = std::move(block.printed);
    for (Diagnostic &warning : block.warnings) {
      bool known = std::ranges::any_of(result.diagnostics, [&](const Diagnostic &d) {
        return d.kind == warning.kind && d.span.begin == warning.span.begin && d.span.source == warning.span.source;
      });
      if (!known && result.diagnostics.size() < kMaxWarnings)
        result.diagnostics.push_back(std::move(warning));
    }
  }

  bool stopped(Clock::time_point begin, RunResult &result) {
    bool interrupted = options_.interrupted && *options_.interrupted;
    double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (!interrupted && seconds <= options_.timeoutSeconds)
      return false;
    Diagnostic diagnostic;
    diagnostic.kind = interrupted ? "interrupted" : "timeout";
    diagnostic.message = interrupted
                             ? text("the kernel was interrupted")
                             : text("the kernel did not end within ", static_cast<int64_t>(options_.timeoutSeconds),
                                    " s on the emulator; is there an endless loop?");
    for (const std::unique_ptr<Cluster> &cluster : resident_)
      for (const std::unique_ptr<Block> &block : cluster->blocks)
        if (diagnostic.notes.size() <= 16) {
          std::vector<Note> notes = whereWarpsAre(*block);
          diagnostic.notes.insert(diagnostic.notes.end(), notes.begin(), notes.end());
        }
    if (!diagnostic.notes.empty())
      diagnostic.span = diagnostic.notes.front().span;
    result.diagnostics.push_back(std::move(diagnostic));
    return true;
  }

  void finish(RunResult &result, EmulatorStatistics &statistics, Clock::time_point begin) {
    for (auto &[linear, words] : printed_)
      result.printed += words;
    for (uint64_t end : smFree_)
      statistics.cycles = std::max(statistics.cycles, end);
    for (const std::unique_ptr<Cluster> &cluster : resident_)
      for (const std::unique_ptr<Block> &block : cluster->blocks)
        statistics.cycles = std::max(statistics.cycles, block->endTime());
    result.timeUs = static_cast<double>(statistics.cycles) / 1000;
    statistics.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  }

  Grid &grid_;
  const EmulatorOptions &options_;
  std::vector<uint64_t> smFree_;
  std::array<bool, cost::kSms> busy_{};
  std::vector<std::unique_ptr<Cluster>> resident_, idle_;
  std::map<uint32_t, std::string> printed_;
};

std::string listed(const std::vector<std::string> &names) {
  constexpr size_t kShown = 8;
  std::string out;
  for (size_t n = 0; n < names.size() && n < kShown; ++n)
    out += text(n ? ", `" : "`", names[n], "`");
  if (names.size() > kShown)
    out += text(" and ", names.size() - kShown, " more");
  return out;
}

std::string noteOf(const Program &program, const EmulatorStatistics &statistics) {
  std::string note =
      text("emulated ", statistics.warpInstructions, " warp instructions in ", statistics.cycles, " modelled cycles; ");
  if (program.approximate.empty())
    note += "all instructions are exact";
  else
    note += text("approximate: ", listed(program.approximate), "; all others are exact");
  if (!program.ignored.empty())
    note += text("; without effect here: ", listed(program.ignored));
  return note + "; unsupported: none";
}

} // namespace

Result<RunResult> emulate(SourceRef ptx, const Launch &launch, std::span<const Array> arrays,
                          const EmulatorOptions &options, EmulatorStatistics *statistics) {
  auto module = parsePtx(ptx);
  if (!module)
    return std::unexpected(module.error());
  Program program;
  program.module = std::move(*module);
  Decoder decoder(program);
  if (auto decoded = decoder.run(launch.entry, launch.dynamicSmem); !decoded)
    return std::unexpected(decoded.error());
  Grid grid;
  grid.snippet = options.snippet;
  grid.seed = options.seed;
  grid.instant = options.instant;
  LaunchImage image;
  if (auto built = image.build(program, launch, arrays, grid); !built)
    return std::unexpected(built.error());
  RunResult result;
  EmulatorStatistics counted;
  Runner(grid, options).run(result, counted);
  result.outputs = image.arrays();
  result.note = noteOf(program, counted);
  result.device = text("emulator (", program.module.target, ")");
  if (statistics)
    *statistics = counted;
  return result;
}

} // namespace lanescope::core
