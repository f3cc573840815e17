#include "repl/kernel/launch/TimingPool.h"

#include "core/data/Threads.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace lanescope::repl {

namespace {

constexpr uint32_t kMostDeaths = 2; // a kernel is refused after this many of its workers have died
constexpr uint32_t kMostInARow = 3; // deaths of one worker, before it is left out
constexpr size_t kNone = SIZE_MAX;

/// True if the error says that the worker is gone, not that the kernel is at fault.
bool isDeath(const Diagnostics &problems) {
  constexpr std::array<std::string_view, 5> kDeaths = {"worker-gone", "worker-protocol", "worker-timeout", "process",
                                                       "no-gpu"};
  return !problems.empty() && std::ranges::find(kDeaths, problems.front().kind) != kDeaths.end();
}

std::string failureText(const Diagnostics &problems) {
  auto first = std::ranges::find(problems, Severity::Error, &Diagnostic::severity);
  std::string message = first == problems.end() ? std::string("no reason given") : first->message;
  return message.substr(0, message.find('\n'));
}

} // namespace

double KernelTimes::time() const {
  std::vector<double> sorted = times;
  std::ranges::sort(sorted);
  return !refused.empty() || sorted.empty() ? std::numeric_limits<double>::infinity() : sorted[sorted.size() / 2];
}

/// One call of time(): the state that the threads of the GPUs share.
class TimingPool::Run {
public:
  Run(TimingPool &pool, const std::vector<KernelToTime> &kernels) : pool_(pool), kernels_(kernels) {
    for (core::Device *gpu : pool.gpus_)
      gpus_.push_back({.device = gpu});
  }

  Result<std::vector<ModelTimes>> all() {
    inThreads([this](Gpu &gpu) { firstRuns(gpu); });
    LANESCOPE_CHECK(checkEnd());
    for (Model &model : models_) {
      double best = std::ranges::min(model.times.kernels, {}, &KernelTimes::time).time();
      for (KernelTimes &each : model.times.kernels)
        each.slow = each.refused.empty() && each.time() > pool_.options_.slow * best;
      model.roundsLeft = pool_.options_.rounds - 1;
    }
    inThreads([this](Gpu &gpu) { rounds(gpu); });
    LANESCOPE_CHECK(checkEnd());
    std::vector<ModelTimes> out;
    for (const Gpu &gpu : gpus_) { // in this order, whichever GPU was the first to know its model
      if (gpu.model == kNone || models_[gpu.model].times.kernels.empty())
        continue;
      Model &model = models_[gpu.model];
      for (size_t n = 0; n < kernels_.size(); ++n)
        if (model.states[n] != State::Done)
          refuse(model, n, "not timed: the workers of this GPU are left out");
      out.push_back(std::exchange(model.times, {}));
    }
    return out;
  }

private:
  struct Failure {
    std::string reason;
    bool death = false; // the worker died
  };
  struct Gpu {
    core::Device *device;
    size_t model = kNone; // index in `models_`; unknown before the first kernel has run
    uint32_t deathsInARow = 0;
    bool leftOut = false;
    std::map<size_t, Failure> tried = {}; // kernels that ran here while the model was unknown
    size_t diedOn = kNone;                // the kernel of the last death, which another GPU of the model should take
  };
  enum class State : uint8_t { Open, Taken, Done };
  struct Model {
    ModelTimes times;
    std::vector<State> states;
    std::vector<uint32_t> deaths; // deaths of workers, by kernel
    uint32_t roundsLeft = 0;
  };

  template <typename Work> void inThreads(const Work &work) {
    std::vector<std::thread> threads(gpus_.size() - 1);
    for (size_t n = 0; n < threads.size(); ++n)
      if (!gpus_[n + 1].leftOut)
        (void)core::startThread(threads[n], [&work, &gpu = gpus_[n + 1]] { work(gpu); });
    if (!gpus_[0].leftOut)
      work(gpus_[0]);
    for (size_t n = 0; n < threads.size(); ++n)
      if (threads[n].joinable())
        threads[n].join();
      else if (!gpus_[n + 1].leftOut)
        work(gpus_[n + 1]); // the system had no thread left
  }

  bool interrupted() const { return pool_.options_.run.interrupted && *pool_.options_.run.interrupted; }

  Result<void> checkEnd() const {
    if (interrupted())
      return error("interrupted", "interrupted");
    if (models_.empty())
      return std::unexpected(lastDeath_);
    return {};
  }

  size_t othersOf(const Gpu &gpu) const {
    return static_cast<size_t>(std::ranges::count_if(
        gpus_, [&](const Gpu &other) { return &other != &gpu && !other.leftOut && other.model == gpu.model; }));
  }

  /// The next kernel for the GPU. Nothing if its model has none left. Waits while another GPU has the last ones, since
  /// it may die.
  std::optional<size_t> take(Gpu &gpu, std::unique_lock<std::mutex> &lock) {
    for (;;) {
      if (interrupted() || gpu.leftOut)
        return std::nullopt;
      if (gpu.model == kNone) {
        for (size_t n = 0; n < kernels_.size(); ++n)
          if (!gpu.tried.contains(n))
            return n;
        return std::nullopt; // every kernel fails here
      }
      Model &model = models_[gpu.model];
      auto isOpen = [&](size_t n) { return model.states[n] == State::Open; };
      size_t found = kNone;
      for (size_t n = 0; n < kernels_.size(); ++n)
        if (isOpen(n) && (found == kNone || found == gpu.diedOn))
          found = n;
      if (found != kNone && (found != gpu.diedOn || othersOf(gpu) == 0)) {
        model.states[found] = State::Taken;
        return found;
      }
      if (std::ranges::none_of(model.states, [](State state) { return state != State::Done; }))
        return std::nullopt;
      changed_.wait_for(lock, std::chrono::milliseconds(100)); // also to see an interruption
    }
  }

  /// Gives the kernel back, or refuses it if it ended too many workers.
  static void diedIn(Model &model, size_t kernel, const std::string &reason) {
    if (++model.deaths[kernel] >= kMostDeaths)
      refuse(model, kernel, text("fails: its worker ended each time: ", reason));
    else if (model.states[kernel] == State::Taken)
      model.states[kernel] = State::Open;
  }
  static void refuse(Model &model, size_t kernel, std::string reason) {
    model.times.kernels[kernel].refused = std::move(reason);
    model.states[kernel] = State::Done;
  }

  /// Notes that the worker has died with the kernel. Returns false if the GPU is left out from now on.
  bool died(Gpu &gpu, size_t kernel, const Diagnostics &problems) {
    lastDeath_ = problems;
    gpu.diedOn = kernel;
    if (gpu.model == kNone)
      gpu.tried.insert_or_assign(kernel, Failure{failureText(problems), true});
    else
      diedIn(models_[gpu.model], kernel, failureText(problems));
    if (++gpu.deathsInARow < kMostInARow)
      return true;
    gpu.leftOut = true;
    pool_.dropped_.push_back({Severity::Warning,
                              "worker-gone",
                              {},
                              text("the ", gpu.device->name(), " is left out, since it failed ", kMostInARow,
                                   " times in a row: ", failureText(problems)),
                              {}});
    return false;
  }

  void learnModel(Gpu &gpu, const std::string &name) {
    auto found = std::ranges::find(models_, name, [](const Model &model) { return model.times.gpu; });
    gpu.model = static_cast<size_t>(found - models_.begin());
    if (found == models_.end())
      models_.push_back({.times = {.gpu = name, .kernels = std::vector<KernelTimes>(kernels_.size())},
                         .states = std::vector<State>(kernels_.size(), State::Open),
                         .deaths = std::vector<uint32_t>(kernels_.size())});
    Model &model = models_[gpu.model];
    for (const auto &[kernel, failure] : gpu.tried)
      if (model.states[kernel] == State::Open) {
        if (failure.death)
          diedIn(model, kernel, failure.reason);
        else
          refuse(model, kernel, text("fails: ", failure.reason));
      }
  }

  /// Runs each kernel once, as long as the GPU's model has any left.
  void firstRuns(Gpu &gpu) {
    std::unique_lock lock(mutex_);
    while (auto n = take(gpu, lock)) {
      lock.unlock();
      auto ran = gpu.device->run(*kernels_[*n].kernel, kernels_[*n].inputs, pool_.options_.run);
      lock.lock();
      if (interrupted())
        break;
      const bool failed = !ran || hasErrors(ran->diagnostics);
      if (!ran && isDeath(ran.error())) {
        if (!died(gpu, *n, ran.error()))
          break;
      } else {
        gpu.deathsInARow = 0;
        gpu.diedOn = kNone;
        if (gpu.model == kNone && failed) {
          gpu.tried.insert_or_assign(*n, Failure{failureText(ran ? ran->diagnostics : ran.error())});
        } else {
          if (gpu.model == kNone)
            learnModel(gpu, ran->device);
          Model &model = models_[gpu.model];
          KernelTimes &times = model.times.kernels[*n];
          if (model.states[*n] != State::Done && pool_.options_.advanced && &model == &models_.front())
            pool_.options_.advanced();
          model.states[*n] = State::Done;
          if (failed)
            times.refused = text("fails: ", failureText(ran ? ran->diagnostics : ran.error()));
          else if (!pool_.options_.agrees(ran->outputs))
            times.refused = "wrong: other outputs than expected";
          else
            times.times.push_back(ran->timeUs);
        }
      }
      changed_.notify_all();
    }
    if (gpu.model == kNone && gpu.tried.size() == kernels_.size())
      learnModel(gpu, gpu.device->name()); // no kernel runs there, so the worker did not say which model it is
    changed_.notify_all();
  }

  /// Takes rounds of the model and runs all of its fast kernels in each. A round that the worker does not survive is
  /// given back whole.
  void rounds(Gpu &gpu) {
    std::unique_lock lock(mutex_);
    while (gpu.model != kNone && models_[gpu.model].roundsLeft > 0 && !gpu.leftOut && !interrupted()) {
      // Every second round runs backwards, so that clocks and heat affect all kernels alike.
      const bool backwards = models_[gpu.model].roundsLeft-- % 2 == 0;
      std::vector<std::pair<size_t, double>> times;
      std::vector<size_t> fast;
      for (size_t n = 0; n < kernels_.size(); ++n)
        if (const KernelTimes &each = models_[gpu.model].times.kernels[n]; each.refused.empty() && !each.slow)
          fast.push_back(n);
      if (backwards)
        std::ranges::reverse(fast);
      lock.unlock();
      Diagnostics problems;
      for (size_t n : fast) {
        auto ran = gpu.device->run(*kernels_[n].kernel, kernels_[n].inputs, pool_.options_.run);
        if (ran && !hasErrors(ran->diagnostics))
          times.emplace_back(n, ran->timeUs);
        else if (!ran && isDeath(ran.error())) {
          problems = std::move(ran.error());
          break;
        }
      }
      lock.lock();
      if (hasErrors(problems)) {
        ++models_[gpu.model].roundsLeft;
        lastDeath_ = problems;
        if (++gpu.deathsInARow >= kMostInARow)
          break;
        continue;
      }
      gpu.deathsInARow = 0;
      for (const auto &[n, time] : times)
        models_[gpu.model].times.kernels[n].times.push_back(time);
    }
  }

  TimingPool &pool_;
  const std::vector<KernelToTime> &kernels_;
  std::mutex mutex_; // guards all below while threads run
  std::condition_variable changed_;
  std::vector<Gpu> gpus_;
  std::vector<Model> models_;
  Diagnostics lastDeath_;
};

TimingPool::TimingPool(std::vector<core::Device *> gpus, TimingOptions options)
    : gpus_(std::move(gpus)), options_(std::move(options)) {}

Result<std::vector<ModelTimes>> TimingPool::time(const std::vector<KernelToTime> &kernels) {
  return Run(*this, kernels).all();
}

} // namespace lanescope::repl
