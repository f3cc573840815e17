#include "repl/kernel/launch/Tuning.h"

#include "core/data/Progress.h"
#include "core/data/Threads.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/launch/TimingPool.h"
#include "repl/kernel/launch/TunedFile.h"
#include "repl/lang/evaluate/Evaluator.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

namespace lanescope::repl {

namespace {

constexpr size_t kMostConfigurations = 4096;
constexpr double kSlow = 1.3; // a candidate that is this many times slower than the best is not timed again

/// One point of the space, with its results.
struct Candidate {
  DictData configuration;
  std::shared_ptr<Kernel> kernel; // null if there is none
  std::string refused;            // the reason why the candidate is excluded; empty if it ran and its result is right
  bool slow = false;
  std::vector<double> times; // µs
  double time() const {
    std::vector<double> sorted = times;
    std::ranges::sort(sorted);
    return sorted.empty() ? std::numeric_limits<double>::infinity() : sorted[sorted.size() / 2];
  }
};

/// A text such as "group=16, stages=4".
std::string configurationText(const DictData &configuration) {
  std::vector<std::string> parts;
  for (const DictData::Item &item : configuration.items())
    parts.push_back(text(str(item.key), "=", repr(item.value)));
  return joined(parts, ", ");
}

std::string firstLine(const Diagnostics &problems) {
  std::string message = problems.empty() ? std::string("no reason given") : problems.front().message;
  return message.substr(0, message.find('\n'));
}

std::string microseconds(double time) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.1f us", time);
  return buffer;
}

class TuningResult final : public Object {
public:
  TuningResult(std::vector<Candidate> candidates, std::string device, bool modelled)
      : candidates_(std::move(candidates)), device_(std::move(device)), modelled_(modelled) {
    std::ranges::stable_sort(candidates_, {}, &Candidate::time);
  }
  const Candidate &best() const { return candidates_.front(); }
  const std::string &device() const { return device_; }
  /// True if a configuration runs and is right.
  bool found() const { return best().refused.empty() && !best().times.empty(); }
  /// The reasons why the first configurations are excluded.
  std::vector<Note> refusals() const {
    std::vector<Note> notes;
    for (size_t n = 0; n < std::min<size_t>(candidates_.size(), 5); ++n)
      notes.push_back({{}, text(configurationText(candidates_[n].configuration), ": ", candidates_[n].refused)});
    return notes;
  }
  /// Adds the result for another model of GPU.
  void addModel(std::shared_ptr<TuningResult> other) { others_.push_back(std::move(other)); }
  std::string typeName() const override { return "tuning"; }
  std::vector<std::string> members() const override {
    return {"best", "by_device", "device", "kernel", "rows", "time_us"};
  }

  std::string repr() const override {
    size_t width = 0;
    for (const Candidate &candidate : candidates_)
      width = std::max(width, configurationText(candidate.configuration).size());
    std::string out = text("kernel ", best().kernel->name(), " on ", device_,
                           modelled_ ? ": times of the cost model, no GPU ran it" : "", "\n");
    for (const Candidate &candidate : candidates_) {
      std::string name = configurationText(candidate.configuration);
      name.resize(width, ' ');
      out += text("  ", name, "  ");
      if (!candidate.refused.empty()) {
        out += text(candidate.refused, "\n");
        continue;
      }
      std::string time = microseconds(candidate.time());
      time.insert(0, time.size() < 12 ? 12 - time.size() : 0, ' ');
      // The bar's length is proportional to the speed: the best one fills the line.
      constexpr int kBar = 30;
      int length = std::max(1, static_cast<int>(std::lround(kBar * best().time() / candidate.time())));
      out += time + "  ";
      for (int i = 0; i < length; ++i)
        out += "\u2588";
      out += candidate.slow ? "  slow: timed once\n" : "\n";
    }
    for (const auto &other : others_)
      out += other->repr() + "\n";
    out.pop_back();
    return out;
  }

  Result<Value> attribute(Context &context, const std::string &name) override {
    if (name == "best")
      return Value::dict(best().configuration);
    if (name == "kernel")
      return Value(best().kernel);
    if (name == "time_us")
      return Value(best().time());
    if (name == "device")
      return Value(device_);
    if (name == "by_device") {
      std::vector<std::pair<std::string, Value>> models = {{device_, Value::dict(best().configuration)}};
      for (const auto &other : others_)
        models.emplace_back(other->device_, other->found() ? Value::dict(other->best().configuration) : Value());
      return Value::dict(std::move(models));
    }
    if (name == "rows") {
      std::vector<Value> rows;
      for (const Candidate &candidate : candidates_)
        rows.push_back(Value::dict({{"configuration", Value::dict(candidate.configuration)},
                                    {"time_us", candidate.refused.empty() ? Value(candidate.time()) : Value()},
                                    {"refused", candidate.refused.empty() ? Value() : Value(candidate.refused)}}));
      return Value::list(std::move(rows));
    }
    return context.fail("no-attribute",
                        Message("a tuning has no attribute `{attribute}`, it has {}", name, joined(members(), ", ")));
  }

private:
  std::vector<Candidate> candidates_; // fastest first
  std::string device_;
  bool modelled_;
  std::vector<std::shared_ptr<TuningResult>> others_; // those of other models of GPUs
};

/// The points of `space`: all combinations of a dict's lists, or a list of dicts.
Result<std::vector<Candidate>> pointsOf(const BoundArguments &args, size_t index) {
  const Value &space = args[index].value;
  std::vector<Candidate> out;
  if (const std::vector<Value> *points = space.asListOrTuple()) {
    for (const Value &point : *points) {
      if (!point.asDict())
        return args.wrongType(index, "a dict of lists, or a list of dicts");
      out.push_back({.configuration = *point.asDict()});
    }
  } else if (const DictData *axes = space.asDict()) {
    if (axes->size() > 0)
      out.emplace_back();
    for (const DictData::Item &axis : axes->items()) {
      const std::vector<Value> *values = axis.value.asListOrTuple();
      if (!axis.key.asStr() || !values)
        return args.wrongType(index, "a dict from names to lists of values");
      std::vector<Candidate> longer;
      for (const Candidate &begun : out)
        for (const Value &value : *values) {
          if (longer.size() == kMostConfigurations)
            return args.wrongValue(index, Message("a space has at most {limit} configurations", kMostConfigurations));
          longer.push_back(begun);
          longer.back().configuration.set(axis.key, value);
        }
      out = std::move(longer);
    }
  } else {
    return args.wrongType(index, "a dict of lists, or a list of dicts");
  }
  if (out.empty())
    return args.wrongValue(index, "the space is empty: give each name at least one value");
  return out;
}

/// True if the arrays differ by no more than another order of the additions can cause.
bool agree(const core::Array &a, const core::Array &b, double relative, double absolute) {
  if (a.shape != b.shape)
    return false;
  for (int64_t i = 0; i < a.size(); ++i) {
    double x = a.number(i), y = b.number(i);
    if (!(x == y || (std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= absolute + relative * std::abs(y)))
      return false;
  }
  return true;
}

class Tuner {
public:
  Tuner(Context &context, KernelRuntime &runtime, Arguments inputs, std::string device, double timeout)
      : context_(context), runtime_(runtime), inputs_(std::move(inputs)), device_(std::move(device)),
        timeout_(timeout) {}

  std::vector<core::Array> expected; // if empty, the outputs of the first candidate that runs
  double relative = 2e-2, absolute = 2e-2;
  uint32_t repeat = 10, rounds = 3;
  std::string deviceName;

  /// Calls `make` with each configuration. A configuration that it refuses is not an error.
  Result<void> makeAll(const Value &make, const Span &span, std::vector<Candidate> &all) {
    for (Candidate &candidate : all) {
      LANESCOPE_CHECK(interrupted());
      Arguments arguments;
      for (const DictData::Item &item : candidate.configuration.items())
        arguments.keyword.push_back({str(item.key), span, item.value, span});
      auto made = context_.evaluator.call(make, arguments, span);
      if (!made)
        candidate.refused = text("refused: ", firstLine(made.error()));
      else if (candidate.kernel = made->ref<Kernel>(); !candidate.kernel)
        return context_.fail("type",
                             Message("the function that is tuned returns a kernel, not `{type}`", made->typeName()));
    }
    return {};
  }

  /// Traces the candidates one after another, and compiles as many at once as there are cores.
  Result<void> compileAll(std::vector<Candidate> &all) {
    core::ProgressStep step(runtime_.options().progress, "configuration", all.size());
    step.name("compiling");
    std::vector<std::unique_ptr<core::Compiler>> compilers(std::max(1u, std::thread::hardware_concurrency()));
    for (size_t next = 0; next < all.size();) {
      LANESCOPE_CHECK(interrupted());
      std::vector<std::unique_ptr<PendingKernel>> pending;
      for (; next < all.size() && pending.size() < compilers.size(); ++next) {
        step.advance();
        if (!all[next].kernel)
          continue;
        std::unique_ptr<core::Compiler> &compiler = compilers[pending.size()];
        if (!compiler)
          compiler = std::make_unique<core::Compiler>();
        auto begun = all[next].kernel->begin(context_, inputs_, *compiler);
        if (!begun)
          refuse(all[next], begun.error());
        else if (*begun)
          pending.push_back(*std::move(begun));
      }
      std::vector<std::thread> threads;
      for (const auto &each : pending)
        if (std::thread thread; core::startThread(thread, [&each] { each->compile(); }))
          threads.push_back(std::move(thread));
        else
          each->compile(); // the system has no thread left
      for (std::thread &thread : threads)
        thread.join();
      for (const auto &each : pending)
        each->finish();
    }
    return {};
  }

  /// Runs the candidate, keeps its time, and excludes it if its outputs are not the expected ones.
  Result<void> runOnce(Candidate &candidate, bool compare) {
    LANESCOPE_CHECK(interrupted());
    auto launch = candidate.kernel->launch(context_, inputs_, {.repeat = repeat}, device_, timeout_);
    runtime_.forgetLast();
    if (!launch) {
      refuse(candidate, launch.error());
      return {};
    }
    if (!launch->result)
      return context_.fail("device", "kernels are tuned on a device that runs them: \"gpu\" or \"emulator\"");
    deviceName = launch->result->device;
    if (compare) {
      const std::vector<core::Array> &outputs = launch->result->outputs;
      if (expected.empty())
        expected = outputs;
      if (!isExpected(outputs)) {
        candidate.refused = "wrong: other outputs than expected";
        return {};
      }
    }
    candidate.times.push_back(launch->result->timeUs);
    return {};
  }

  Result<void> timeAll(std::vector<Candidate> &all, bool modelled) {
    core::ProgressStep step(runtime_.options().progress, "configuration", all.size());
    for (Candidate &candidate : all) {
      if (candidate.kernel && candidate.refused.empty())
        LANESCOPE_CHECK(runOnce(candidate, true));
      step.advance();
    }
    double best = std::ranges::min(all, {}, &Candidate::time).time();
    std::vector<Candidate *> fast;
    for (Candidate &candidate : all)
      if (candidate.refused.empty()) {
        candidate.slow = candidate.time() > kSlow * best;
        if (!candidate.slow)
          fast.push_back(&candidate);
      }
    // Every second round runs backwards, so that clocks and heat affect all candidates alike.
    for (uint32_t round = 1; round < rounds && !modelled; ++round) {
      std::ranges::reverse(fast);
      for (Candidate *candidate : fast)
        LANESCOPE_CHECK(runOnce(*candidate, false));
    }
    return {};
  }

  /// Times the candidates on several GPUs at once: a result for each model of GPU, those with a best configuration
  /// first.
  Result<std::vector<std::shared_ptr<TuningResult>>> timeOn(std::vector<core::Device *> gpus,
                                                            std::vector<Candidate> all) {
    std::vector<KernelToTime> kernels;
    std::vector<size_t> numbers; // the candidate's number, for each kernel
    for (size_t n = 0; n < all.size(); ++n) {
      if (!all[n].kernel || !all[n].refused.empty())
        continue;
      LANESCOPE_CHECK(interrupted());
      auto launch = all[n].kernel->launch(context_, inputs_, {}, "none", timeout_); // compiles and binds, runs nothing
      runtime_.forgetLast();
      if (!launch) {
        refuse(all[n], launch.error());
        continue;
      }
      if (launch->stages->kernel->launch.devices > 1)
        return context_.fail("device", "kernels for several devices are tuned with one `--worker`, which has them all");
      kernels.push_back({{launch->stages, &*launch->stages->kernel}, std::move(launch->inputs)});
      numbers.push_back(n);
    }
    core::ProgressStep step(runtime_.options().progress, "configuration", kernels.size());
    TimingOptions options{.rounds = rounds, .slow = kSlow};
    options.run.timeoutSeconds = timeout_;
    options.run.repeat = repeat;
    options.run.interrupted = &context_.evaluator.interruptFlag();
    options.advanced = [&] { step.advance(); };
    if (expected.empty())
      expectFirst(gpus, kernels, options.run);
    options.agrees = [&](const std::vector<core::Array> &outputs) { return isExpected(outputs); };
    std::vector<std::shared_ptr<TuningResult>> out;
    if (kernels.empty())
      return std::vector{std::make_shared<TuningResult>(std::move(all), gpus.front()->name(), false)};
    TimingPool pool(std::move(gpus), std::move(options));
    auto models = pool.time(kernels);
    for (Diagnostic dropped : pool.dropped()) {
      dropped.span = context_.span;
      context_.evaluator.remark(std::move(dropped));
    }
    if (!models)
      return at(context_.span, std::move(models.error()));
    for (ModelTimes &model : *models) {
      std::vector<Candidate> own = all;
      for (size_t n = 0; n < numbers.size(); ++n) {
        KernelTimes &times = model.kernels[n];
        Candidate &candidate = own[numbers[n]];
        candidate.refused = std::move(times.refused), candidate.slow = times.slow;
        candidate.times = candidate.refused.empty() ? std::move(times.times) : std::vector<double>();
      }
      out.push_back(std::make_shared<TuningResult>(std::move(own), std::move(model.gpu), false));
    }
    std::ranges::stable_partition(out, [](const auto &each) { return each->found(); });
    return out;
  }

private:
  bool isExpected(const std::vector<core::Array> &outputs) const {
    bool same = outputs.size() == expected.size();
    for (size_t i = 0; same && i < outputs.size(); ++i)
      same = agree(outputs[i], expected[i], relative, absolute);
    return same;
  }

  /// Takes the outputs of the first kernel that runs as the expected ones.
  void expectFirst(const std::vector<core::Device *> &gpus, const std::vector<KernelToTime> &kernels,
                   core::RunOptions run) {
    run.repeat = 1;
    for (const KernelToTime &each : kernels)
      for (core::Device *gpu : gpus)
        if (auto ran = gpu->run(*each.kernel, each.inputs, run); ran && !hasErrors(ran->diagnostics)) {
          expected = std::move(ran->outputs);
          return;
        }
  }

  Result<void> interrupted() const {
    if (context_.evaluator.interruptFlag())
      return context_.fail("interrupted", "interrupted");
    return {};
  }
  void refuse(Candidate &candidate, const Diagnostics &why) {
    candidate.refused = text("fails: ", firstLine(why));
    candidate.times.clear();
  }

  Context &context_;
  KernelRuntime &runtime_;
  Arguments inputs_;
  std::string device_;
  double timeout_;
};

/// The arrays and static values for the kernel's calls.
Result<Arguments> inputsOf(const BoundArguments &args, size_t index) {
  const std::vector<Value> *items = args[index].value.asListOrTuple();
  if (!items)
    return args.wrongType(index, "a list of the kernel's arguments");
  Arguments out;
  for (const Value &item : *items)
    out.positional.push_back({item, args[index].span});
  return out;
}

std::vector<int64_t> dimensionsOf(const Arguments &inputs) {
  std::vector<int64_t> sizes;
  for (const Arg &input : inputs.positional)
    if (const core::Array *array = input.value.asArray())
      sizes.insert(sizes.end(), array->shape.begin(), array->shape.end());
  return sizes;
}

Result<Value> tune(KernelRuntime &runtime, Context &context, const BoundArguments &args) {
  enum : size_t {
    kMake,
    kSpace,
    kInputs,
    kExpected,
    kSizes,
    kRounds,
    kRepeat,
    kRtol,
    kAtol,
    kDevice,
    kTimeout,
    kRemember
  };
  if (context.evaluator.staging())
    return context.fail("staging", "kernels are tuned on the host, not inside a kernel");
  std::vector<Candidate> all = LANESCOPE_TRY(pointsOf(args, kSpace));
  Arguments inputs = LANESCOPE_TRY(inputsOf(args, kInputs));
  std::vector<int64_t> sizes = LANESCOPE_TRY(args.integersOr(kSizes, dimensionsOf(inputs)));
  std::string device = runtime.options().device;
  if (args.has(kDevice) && !args[kDevice].value.isNone() && device != "none")
    device = LANESCOPE_TRY(args.text(kDevice));
  bool modelled = runtime.resolveDevice(device) == "emulator";
  Tuner tuner(context, runtime, inputs, device,
              LANESCOPE_TRY(args.numberOr(kTimeout, runtime.options().timeoutSeconds)));
  if (args.has(kExpected) && !args[kExpected].value.isNone()) {
    const Value &given = args[kExpected].value;
    std::vector<Value> one{given};
    const std::vector<Value> *arrays = given.asListOrTuple();
    for (const Value &value : arrays ? *arrays : one) {
      if (!value.asArray())
        return args.wrongType(kExpected, "an array, or a list of them");
      tuner.expected.push_back(*value.asArray());
    }
  }
  tuner.relative = LANESCOPE_TRY(args.numberOr(kRtol, tuner.relative));
  tuner.absolute = LANESCOPE_TRY(args.numberOr(kAtol, tuner.absolute));
  constexpr int64_t kMost = 1000;
  int64_t rounds = LANESCOPE_TRY(args.integerOr(kRounds, tuner.rounds));
  int64_t repeat = LANESCOPE_TRY(args.integerOr(kRepeat, tuner.repeat));
  if (rounds < 1 || rounds > kMost)
    return args.wrongValue(kRounds, Message("rounds are from 1 to {limit}", kMost));
  if (repeat < 2 || repeat > kMost)
    return args.wrongValue(kRepeat, Message("a round times from 2 to {limit} samples", kMost));
  tuner.rounds = static_cast<uint32_t>(rounds);
  tuner.repeat = static_cast<uint32_t>(repeat);

  LANESCOPE_CHECK(tuner.makeAll(args[kMake].value, args[kMake].span, all));
  if (device == "none") { // in a session that only inspects, nothing runs, and the first candidate is taken
    std::erase_if(all, [](const Candidate &candidate) { return !candidate.kernel; });
    if (all.empty())
      return context.fail("tune", "no configuration gives a kernel");
    all.resize(1);
    LANESCOPE_TRY(all.front().kernel->launch(context, inputs, {}, device, 1));
    all.front().times.push_back(0);
    return Value(std::make_shared<TuningResult>(std::move(all), device, true));
  }
  LANESCOPE_CHECK(tuner.compileAll(all));
  std::vector<core::Device *> gpus;
  if (!modelled)
    gpus = LANESCOPE_TRY(runtime.gpus());
  std::vector<std::shared_ptr<TuningResult>> results;
  if (gpus.size() > 1) {
    results = LANESCOPE_TRY(tuner.timeOn(std::move(gpus), std::move(all)));
  } else {
    LANESCOPE_CHECK(tuner.timeAll(all, modelled));
    results.push_back(std::make_shared<TuningResult>(std::move(all), tuner.deviceName, modelled));
  }
  if (!results.front()->found())
    return context.fail("tune", "no configuration runs and is right", results.front()->refusals());
  bool remember = LANESCOPE_TRY(args.booleanOr(kRemember, true));
  for (const auto &result : results) {
    if (!result->found())
      continue;
    Value found = Value::dict(result->best().configuration);
    if (remember && !modelled && canRemember(found) && !runtime.tunedFile().empty()) {
      auto kept = rememberTuned(runtime.tunedFile(), {.kernel = result->best().kernel->name(),
                                                      .gpu = result->device(),
                                                      .sizes = sizes,
                                                      .timeUs = result->best().time(),
                                                      .configuration = found});
      if (!kept)
        return at(args.call, std::move(kept.error()));
    }
  }
  for (size_t n = 1; n < results.size(); ++n)
    results.front()->addModel(results[n]);
  return Value(std::move(results.front()));
}

Result<Value> tuned(KernelRuntime &runtime, Context &context, const BoundArguments &args) {
  enum : size_t { kKernel, kSizes, kTable };
  std::string kernel = LANESCOPE_TRY(args.text(kKernel));
  std::vector<int64_t> sizes = LANESCOPE_TRY(args.integers(kSizes));
  const Value *found = nullptr;
  double nearest = std::numeric_limits<double>::infinity();
  auto consider = [&](const std::vector<int64_t> &known, const Value &configuration) {
    if (double distance = sizeDistance(sizes, known); distance < nearest) {
      nearest = distance;
      found = &configuration;
    }
  };
  std::vector<TunedEntry> entries = readTuned(runtime.tunedFile());
  for (const TunedEntry &entry : entries)
    if (entry.kernel == kernel && (runtime.lastGpu().empty() || entry.gpu == runtime.lastGpu()))
      consider(entry.sizes, entry.configuration);
  if (args.has(kTable) && !args[kTable].value.isNone()) {
    const DictData *table = args[kTable].value.asDict();
    if (!table)
      return args.wrongType(kTable, "a dict from tuples of sizes to configurations");
    for (const DictData::Item &row : table->items()) {
      const std::vector<Value> *items = row.key.asListOrTuple();
      std::vector<int64_t> known;
      for (size_t i = 0; items && i < items->size(); ++i)
        if (auto size = (*items)[i].integer())
          known.push_back(*size);
      if (!items || known.size() != items->size() || !row.value.asDict())
        return args.wrongType(kTable, "a dict from tuples of sizes to dicts");
      consider(known, row.value);
    }
  }
  if (!found)
    return context.fail("tuned", Message("nothing is known of kernel `{kernel}` at {count} sizes; tune it, or give a "
                                         "table that has rows of as many sizes",
                                         kernel, sizes.size()));
  // The caller gets a copy, so that changes to it do not change the table.
  return Value::dict(*found->asDict());
}

} // namespace

Builtins tuningBuiltins(std::shared_ptr<KernelRuntime> runtime) {
  return {
      {.name = "tune",
       .signature =
           "tune(make_kernel, space, inputs, expected=None, sizes=None, rounds=3, repeat=10, rtol=2e-2, atol=2e-2, "
           "device=None, timeout=None, remember=True)",
       .doc =
           "The fastest configuration of a kernel: `tune(lambda group: make_matmul(f16, group=group), dict(group=[4, "
           "8, "
           "16]), [a, b])`.\n\n`space` is a dict of lists, of which all combinations are tried, or a list of dicts; "
           "`make_kernel` is called with each and gives a kernel. They are compiled several at once. Each is run and "
           "its "
           "outputs are compared with `expected` (without it, with those of the first that runs); what is wrong, fails "
           "or is "
           "1.3 times slower than the best drops out, the others are timed in turns, `rounds` times. `repeat` is as "
           "for "
           "`run`: times are of the kernel alone. Printed, the result is a table with bars; it has `.best`, `.kernel`, "
           "`.time_us`, `.device` and `.rows`.\n\nWith several workers (`--worker` given again, in Python "
           "`configure(worker=[…])`) the configurations are spread over their GPUs: those of one model share them, and "
           "each "
           "model gets a table and a best configuration of its own, `.by_device`. If a worker dies, its configuration "
           "is "
           "tried again elsewhere.\n\nWhat is best on a GPU is remembered from session to session, by the "
           "kernel's "
           "name, the GPU and `sizes` (without them, all dimensions of the inputs); `tuned` finds it. Without a GPU "
           "the times "
           "are those of the emulator's cost model, which the table says; they are not remembered.",
       .call = [runtime](Context &context, const BoundArguments &args) { return tune(*runtime, context, args); }},
      {.name = "tuned",
       .signature = "tuned(kernel, sizes, table=None)",
       .doc =
           "The configuration for a kernel, by its name, at these sizes: what `tune` remembered of this GPU (of any, "
           "before a kernel has run on one), or a row of `table`, `{(4096, 4096, 4096): dict(group=16), …}`.\n\nThe "
           "nearest sizes count: those with the least sum of |log2| of the ratios to `sizes`; what `tune` remembered "
           "goes "
           "before a row that is as near.",
       .call = [runtime](Context &context, const BoundArguments &args) { return tuned(*runtime, context, args); }},
  };
}

} // namespace lanescope::repl
