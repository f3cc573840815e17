#include "core/gpu/record/Recorder.h"

#include "core/gpu/record/UsedVariables.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <thread>
#include <unistd.h>
#include <utility>

namespace lanescope::core::record {

namespace {

double secondsNow() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string shape(const std::array<uint32_t, 3> &sizes) { return text(sizes[0], ",", sizes[1], ",", sizes[2]); }

/// Copies each parameter's bytes, with the sizes from the PTX. Returns false if the launch has none.
bool copyParameters(const LaunchCall &call, const emulator::Function &entry, std::vector<std::vector<std::byte>> &out) {
  const std::byte *block = nullptr;
  constexpr uintptr_t kBuffer = 1; // CU_LAUNCH_PARAM_BUFFER_POINTER
  for (void **extra = call.extra; extra && *extra; extra += 2)
    if (reinterpret_cast<uintptr_t>(extra[0]) == kBuffer)
      block = static_cast<const std::byte *>(extra[1]);
  size_t offset = 0;
  for (size_t n = 0; n < entry.params.size(); ++n) {
    size_t align = std::max<size_t>(entry.params[n].align, 1), bytes = entry.params[n].bytes;
    offset = (offset + align - 1) / align * align;
    const std::byte *from = call.parameters ? static_cast<const std::byte *>(call.parameters[n])
                            : block         ? block + offset
                                            : nullptr;
    if (!from)
      return false;
    out.emplace_back(from, from + bytes);
    offset += bytes;
  }
  return true;
}

/// False if the driver's kernel has other parameters than the PTX's entry, or if it cannot run in blocks of this size:
/// the PTX is another compilation's, and its parameters must not be read. Also true if the driver is too old to list
/// the parameters.
bool fits(const LaunchCall &call, const emulator::Function &entry) {
  const LaunchConfig &how = call.config;
  uint64_t threads = uint64_t{how.blockX} * how.blockY * how.blockZ;
  if (entry.maxThreads && threads > entry.maxThreads)
    return false;
  auto ask = real().funcGetParamInfo;
  size_t offset = 0, bytes = 0;
  constexpr Status kInvalidHandle = 400; // the function is a library's kernel
  if (ask && real().kernelGetParamInfo && ask(call.function, 0, &offset, &bytes) == kInvalidHandle)
    ask = real().kernelGetParamInfo;
  for (size_t n = 0; ask && n < entry.params.size(); ++n)
    if (ask(call.function, n, &offset, &bytes) != kSuccess || bytes != entry.params[n].bytes)
      return false;
  return !ask || ask(call.function, entry.params.size(), &offset, &bytes) != kSuccess;
}

/// True for errors with which the driver refuses to start a kernel; other errors come from kernels that ran.
bool isRefusal(Status status) {
  return status != kSuccess &&
         (status < kIllegalAddress || status == kLaunchOutOfResources || status == kCooperativeLaunchTooLarge ||
          (status >= kNotSupported && status < kUnknownError));
}

std::map<std::string, std::string> describeDevice() {
  std::map<std::string, std::string> out;
  Device device = 0;
  char name[256] = {};
  if (real().ctxGetDevice(&device) || real().deviceGetName(name, sizeof name, device))
    return out;
  out["name"] = name;
  constexpr std::pair<const char *, int> kAttributes[] = {
      {"multiprocessors", 16}, {"major", 75}, {"minor", 76}, {"shared_memory_per_block", 97}, {"l2_bytes", 38}};
  for (auto [key, attribute] : kAttributes)
    if (int value = 0; real().deviceGetAttribute(&value, attribute, device) == kSuccess)
      out[key] = text(value);
  int version = 0;
  if (real().driverGetVersion(&version) == kSuccess)
    out["driver_version"] = text(version);
  return out;
}

/// A line of the table of launches.
std::string kindOf(const KernelImage &kernel, const LaunchConfig &how) {
  return text(kernel.name, "\t", shape({how.gridX, how.gridY, how.gridZ}), "\t",
              shape({how.blockX, how.blockY, how.blockZ}), "\t", how.sharedBytes);
}

std::string plainName(const std::string &kernel) {
  constexpr size_t kLongest = 80;
  std::string out;
  for (char c : kernel.substr(0, kLongest))
    out += std::isalnum(static_cast<unsigned char>(c)) || c == '_' ? c : '_';
  return out.empty() ? "kernel" : out;
}

} // namespace

Recorder &Recorder::get() {
  static auto *recorder = new Recorder;
  return *recorder;
}

Recorder::Recorder() : settings_(recordSettingsFromEnvironment()) {
  active_ = (!settings_.folder.empty() || settings_.list) &&
            ::regcomp(&expression_, settings_.kernel.c_str(), REG_EXTENDED | REG_NOSUB) == 0;
  images.lookIn(settings_.ptxFolders);
}

void Recorder::write(const std::string &line) const {
  int file = ::open(settings_.journal.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0)
    return;
  std::string whole =
      line + "\n"; // a single write at the end of the file, so that lines of several processes do not mix
  (void)!::write(file, whole.data(), whole.size());
  ::close(file);
}

bool Recorder::chosen(const KernelImage &kernel, const std::string &kind) {
  ++counts_[kind];
  if (!settings_.kernel.empty() && ::regexec(&expression_, kernel.name.c_str(), 0, nullptr, 0) != 0)
    return false;
  ++matching_;
  if (settings_.list || settings_.paused || failed_ || packages_ >= settings_.most)
    return false;
  if (settings_.launch)
    return matching_ == settings_.launch;
  // Compilers may give several kernels the same name (one per type), so kernels with different PTX count as different.
  return settings_.every || !kernel.ptx || !recorded_.contains({kind, kernel.ptx->hash});
}

bool Recorder::isDecided(const KernelImage &kernel, const std::string &kind) const {
  if (settings_.list || settings_.paused || failed_ || packages_ >= settings_.most || !kernel.ptx)
    return true;
  if (!settings_.kernel.empty() && ::regexec(&expression_, kernel.name.c_str(), 0, nullptr, 0) != 0)
    return true;
  return settings_.launch == 0 && !settings_.every && recorded_.contains({kind, kernel.ptx->hash});
}

namespace {

/// The launches of one kernel with one grid and block that a thread has last made, and their counter.
struct DecidedLaunch {
  Function *function = nullptr;
  std::array<unsigned, 7> sizes{};
  uint64_t generation = 0;
  std::atomic<uint64_t> *count = nullptr;

  static std::array<unsigned, 7> sizesOf(const LaunchConfig &how) {
    return {how.gridX, how.gridY, how.gridZ, how.blockX, how.blockY, how.blockZ, how.sharedBytes};
  }
};

DecidedLaunch &decidedPlace(const LaunchCall &call) {
  constexpr size_t kPlaces = 256;
  static thread_local std::array<DecidedLaunch, kPlaces> places;
  size_t hash = reinterpret_cast<uintptr_t>(call.function) >> 4;
  hash = hash * 31 + call.config.gridX + call.config.gridY * 7;
  return places[(hash ^ hash >> 8) % kPlaces];
}

} // namespace

bool Recorder::onlyCounts(const LaunchCall &call) {
  if (captures_ != 0 || !active_)
    return false;
  const DecidedLaunch &place = decidedPlace(call);
  if (place.function != call.function || place.generation != generation_ ||
      place.sizes != DecidedLaunch::sizesOf(call.config))
    return false;
  place.count->fetch_add(1, std::memory_order_relaxed);
  launches_.fetch_add(1, std::memory_order_relaxed);
  return true;
}

bool Recorder::isCapturing(const LaunchCall &call) const {
  int capturing = 0;
  return captures_ != 0 && real().streamIsCapturing &&
         (real().streamIsCapturing(call.config.stream, &capturing) || capturing != 0);
}

bool Recorder::mayRead(const LaunchCall &call) const {
  int capturing = 0;
  return captures_ == 0 && real().memcpy && real().ctxSynchronize &&
         (!real().streamIsCapturing || real().streamIsCapturing(call.config.stream, &capturing) || !capturing);
}

bool Recorder::wants(const LaunchCall &call, const KernelImage &kernel, uint64_t &number) {
  std::string kind = kindOf(kernel, call.config);
  std::lock_guard own(lock_);
  number = ++launches_;
  bool wanted = chosen(kernel, kind);
  if (told_.insert(kind).second) {
    int registers = 0;
    if (real().funcGetAttribute)
      real().funcGetAttribute(&registers, kNumRegs, call.function);
    write(text("kernel\t", kind, "\t", registers, "\t", kernel.ptx ? "PTX" : kernel.problem));
  }
  wanted = wanted && kernel.ptx && mayRead(call);
  if (wanted)
    recorded_.emplace(kind, kernel.ptx->hash);
  if (isDecided(kernel, kind))
    decidedPlace(call) = {call.function, DecidedLaunch::sizesOf(call.config), generation_, &counts_[kind]};
  return wanted;
}

namespace {

KernelImage unknownKernel() {
  return {.name = "?", .module = nullptr, .ptx = nullptr, .problem = "its loading was not seen"};
}

} // namespace

Status Recorder::launch(const LaunchCall &call, const std::function<Status()> &run) {
  if (!active_ || isCapturing(call)) // a captured kernel runs, and is counted, when its graph is launched
    return run();
  KernelImage kernel = images.kernelOf(call.function).value_or(unknownKernel());
  uint64_t number = 0;
  if (!wants(call, kernel, number)) {
    std::shared_lock together(device_);
    return run();
  }
  std::unique_lock alone(device_);
  return record(call, {std::move(kernel), number, {}}, run);
}

std::pair<LaunchCall, KernelImage> Recorder::nodeOf(const GraphCopy::Step &step, Stream *stream, bool perThread) {
  const KernelNodeParams &from = step.parameters;
  LaunchCall call{.function = from.function ? from.function : from.kernel,
                  .config = {from.gridX, from.gridY, from.gridZ, from.blockX, from.blockY, from.blockZ,
                             from.sharedBytes, stream, const_cast<LaunchAttribute *>(step.attributes.data()),
                             static_cast<unsigned>(step.attributes.size())},
                  .parameters = from.kernelParams,
                  .extra = from.extra,
                  .cooperative = false,
                  .perThread = perThread};
  std::optional<KernelImage> kernel = from.kernel ? images.kernelOf(from.kernel) : std::nullopt;
  if (!kernel && from.function)
    kernel = images.kernelOf(from.function);
  return {call, std::move(kernel).value_or(unknownKernel())};
}

bool Recorder::onlyCounts(GraphCopy &graph) {
  std::lock_guard own(lock_);
  if (graph.settledIn != generation_)
    return false;
  ++graph.counted->launches;
  launches_ += graph.counted->kinds.size();
  return true;
}

void Recorder::settle(GraphCopy &graph, std::vector<std::string> kinds) {
  std::lock_guard own(lock_);
  bool mayWantMore = settings_.every || settings_.launch;
  if (mayWantMore && !settings_.list && !settings_.paused)
    return;
  if (!graph.counted) {
    graph.counted = std::make_shared<GraphCopy::Counted>(std::move(kinds));
    counted_.push_back(graph.counted);
  }
  graph.settledIn = generation_;
}

Status Recorder::launchGraph(GraphExec *exec, Stream *stream, bool perThread, const std::function<Status()> &run) {
  LaunchCall any{};
  any.config.stream = stream;
  if (!active_ || isCapturing(any))
    return run();
  std::shared_ptr<GraphCopy> graph = graphs.find(exec);
  if (graph && onlyCounts(*graph)) {
    std::shared_lock together(device_);
    return run();
  }
  const std::vector<GraphCopy::Step> none;
  const std::vector<GraphCopy::Step> &steps = graph ? graph->steps() : none;
  std::map<size_t, std::pair<LaunchCall, Chosen>> chosen; // by step
  std::vector<std::string> kinds;
  for (size_t n = 0; n < steps.size(); ++n) {
    if (!steps[n].kernel)
      continue;
    auto [call, kernel] = nodeOf(steps[n], stream, perThread);
    uint64_t number = 0;
    kinds.push_back(kindOf(kernel, call.config));
    if (wants(call, kernel, number))
      chosen[n] = {call, {std::move(kernel), number, text("node ", n, " of a graph")}};
  }
  if (chosen.empty()) {
    if (graph && mayRead(any))
      settle(*graph, std::move(kinds));
    std::shared_lock together(device_);
    Status status = run();
    std::lock_guard own(lock_);
    graphs_ += steps.empty() && status == kSuccess;
    return status;
  }
  std::unique_lock alone(device_);
  if (!graph->problem().empty()) {
    for (auto &[n, each] : chosen) {
      each.second.graph += text(", with the memory before the whole graph: ", graph->problem());
      if (auto recording = before(each.first, std::move(each.second)))
        write(text("package\t", recording->launch.kernel.name, "\tlaunched\t0\t", recording->folder.string()));
    }
    return run();
  }
  for (size_t n = 0; n < steps.size(); ++n) {
    auto runStep = [&] { return graph->run(n, stream, perThread); };
    auto wanted = chosen.find(n);
    Status status =
        wanted == chosen.end() ? runStep() : record(wanted->second.first, std::move(wanted->second.second), runStep);
    if (status != kSuccess)
      return status;
  }
  return kSuccess;
}

/// Prepares the record of a launch. Returns the reason why the launch cannot be recorded; empty if it can.
std::string Recorder::prepare(const LaunchCall &call, const KnownMaps &maps, RecordedLaunch &launch,
                              Snapshot &snapshot) {
  const emulator::Module *module = launch.kernel.ptx->read();
  if (!module)
    return launch.kernel.ptx->problem;
  auto entry = std::ranges::find(module->functions, std::string_view(launch.kernel.name), &emulator::Function::name);
  if (entry == module->functions.end() || !entry->entry)
    return "its PTX has no entry of that name";
  if (!launch.kernel.ptx->byName.empty() && !fits(call, *entry))
    return text("the PTX in `", launch.kernel.ptx->byName, "` is another compilation's");
  if (!copyParameters(call, *entry, launch.parameters))
    return "its parameters are passed in a way that is not known";
  if (Status status = real().ctxSynchronize())
    return text("the device is at fault before it: error ", status);
  const LaunchConfig &how = call.config;
  launch.grid = {how.gridX, how.gridY, how.gridZ};
  launch.block = {how.blockX, how.blockY, how.blockZ};
  launch.sharedBytes = how.sharedBytes;
  launch.cooperative = call.cooperative;
  constexpr int kProgrammatic = 6; // CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
  for (unsigned n = 0; n < how.attributeCount; ++n) {
    const LaunchAttribute &one = how.attributes[n];
    if (one.id == kAttributeCooperative)
      launch.cooperative |= one.cooperative != 0;
    if (one.id == kAttributeClusterDimension && one.cluster.x)
      launch.cluster = {one.cluster.x, one.cluster.y, one.cluster.z};
    launch.programmatic |= one.id == kProgrammatic && one.cooperative != 0;
  }
  const std::set<std::string_view> used = usedVariables(*module, *entry);
  for (const emulator::Variable &each : module->variables) {
    DevicePointer address = 0;
    size_t bytes = 0;
    bool global = each.space == emulator::Space::Global || each.space == emulator::Space::Const;
    Function *function = call.function;
    Module *owner = nullptr;
    if (!global || !used.contains(each.name) || !each.addresses.empty() || !real().funcGetModule ||
        !real().moduleGetGlobal)
      continue;
    if (real().funcGetModule(&owner, function) != kSuccess && real().kernelGetFunction &&
        real().kernelGetFunction(&function, call.function) == kSuccess)
      real().funcGetModule(&owner, function);
    std::string name(each.name);
    if (owner && real().moduleGetGlobal(&address, &bytes, owner, name.c_str()) == kSuccess && bytes)
      launch.variables[name] = snapshot.add(address, bytes);
  }
  for (uint64_t address : launch.kernel.ptx->addresses)
    snapshot.reachAddress(address);
  for (const auto &bytes : launch.parameters) {
    snapshot.reach(bytes);
    std::array<uint64_t, 16> words{};
    for (size_t at = 0; at + sizeof words <= bytes.size(); at += kTensorMapAlign) {
      std::memcpy(words.data(), bytes.data() + at, sizeof words);
      if (auto map = maps.find(words); map != maps.end())
        snapshot.reachAddress(map->second.address);
    }
  }
  if (!snapshot.readBefore(settings_.arrays))
    return snapshot.problem();
  real().funcGetAttribute(&launch.registers, kNumRegs, call.function);
  launch.device = describeDevice();
  launch.stack = callStack();
  launch.pythonStack = pythonStack();
  return {};
}

Outcome Recorder::wait(const LaunchCall &call, double since) const {
  Outcome out{.state = "complete"};
  auto recordEvent = call.perThread && real().eventRecordPerThread ? real().eventRecordPerThread : real().eventRecord;
  Event *event = nullptr;
  constexpr unsigned kWithoutTiming = 2;
  Status status = real().eventCreate(&event, kWithoutTiming);
  if (status == kSuccess)
    status = recordEvent(event, call.config.stream);
  if (status == kSuccess)
    status = kNotReady;
  for (int turn = 0; status == kNotReady; ++turn) {
    status = real().eventQuery(event);
    if (status != kNotReady)
      break;
    if (secondsNow() - since > settings_.timeLimit) {
      out.state = "running";
      return out; // the event is not destroyed, because destroying it would make the program wait
    }
    if (turn > 100)
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  out.timeUs = (secondsNow() - since) * 1e6;
  if (event)
    real().eventDestroy(event);
  if (status != kSuccess) {
    out.state = "failed";
    out.error = status;
  }
  return out;
}

std::filesystem::path Recorder::nameFor(const std::string &kernel) {
  std::lock_guard own(lock_);
  std::filesystem::path out;
  std::error_code ignored;
  do
    out = std::filesystem::path(settings_.folder) /
          text(plainName(kernel), "-", static_cast<long>(::getpid()), "-", ++packages_, ".lspkg");
  while (std::filesystem::exists(out, ignored));
  return out;
}

bool Recorder::save(const Recording &recording, const Outcome *outcome) {
  auto written =
      writePackage(recording.folder, recording.launch, recording.plan, recording.snapshot, settings_.arrays, outcome);
  if (written)
    return true;
  failed_ = true;
  std::error_code ignored;
  std::filesystem::remove_all(recording.folder, ignored);
  write(text("stopped\t", written.error().front().message));
  return false;
}

std::unique_ptr<Recorder::Recording> Recorder::before(const LaunchCall &call, Chosen chosen) {
  auto out = std::make_unique<Recording>(settings_.maxBytes);
  out->launch.kernel = std::move(chosen.kernel);
  out->launch.number = chosen.number;
  out->launch.graph = std::move(chosen.graph);
  const std::string &name = out->launch.kernel.name;
  KnownMaps maps;
  {
    std::lock_guard own(lock_);
    maps = maps_;
  }
  std::string problem = prepare(call, maps, out->launch, out->snapshot);
  if (problem.empty()) {
    if (auto plan = describe(out->launch, out->snapshot, maps))
      out->plan = *std::move(plan);
    else
      problem = plan.error().front().message;
  }
  if (!problem.empty()) {
    write(text("left out\t", name, "\t", problem));
    return nullptr;
  }
  out->folder = nameFor(name);
  return save(*out, nullptr) ? std::move(out) : nullptr;
}

Status Recorder::record(const LaunchCall &call, Chosen chosen, const std::function<Status()> &run) {
  std::unique_ptr<Recording> recording = before(call, std::move(chosen));
  if (!recording)
    return run();
  const std::string &name = recording->launch.kernel.name;
  double since = secondsNow();
  Status status = run();
  if (isRefusal(status)) {
    std::error_code ignored;
    std::filesystem::remove_all(recording->folder, ignored);
    write(text("left out\t", name, "\tthe driver refuses the launch with error ", status));
    return status;
  }
  Outcome outcome{.state = "failed", .error = status};
  if (status == kSuccess)
    outcome = wait(call, since);
  if (outcome.state == "complete" && settings_.arrays && !recording->snapshot.readAfter())
    outcome = {.state = "failed", .error = 0};
  if (save(*recording, &outcome))
    write(text("package\t", name, "\t", outcome.state, "\t", outcome.error, "\t", recording->folder.string()));
  return status;
}

std::string Recorder::begin(std::string_view changes) {
  std::unique_lock alone(device_);
  std::lock_guard own(lock_);
  RecordSettings next = recordSettingsFromText(changes, settings_);
  next.paused = false;
  regex_t expression;
  if (::regcomp(&expression, next.kernel.c_str(), REG_EXTENDED | REG_NOSUB) != 0)
    return text("`", next.kernel, "` is no regular expression");
  std::error_code problem;
  if (!next.list && !std::filesystem::create_directories(next.folder, problem) && problem) {
    ::regfree(&expression);
    return text("cannot create `", next.folder, "`: ", problem.message());
  }
  former_.push_back(std::exchange(settings_, std::move(next)));
  ::regfree(&expression_);
  expression_ = expression;
  matching_ = 0;
  ++generation_;
  recorded_.clear();
  return {};
}

void Recorder::end() {
  std::unique_lock alone(device_);
  std::lock_guard own(lock_);
  if (former_.empty())
    return;
  settings_ = std::move(former_.back());
  former_.pop_back();
  ::regfree(&expression_);
  ::regcomp(&expression_, settings_.kernel.c_str(), REG_EXTENDED | REG_NOSUB); // the expression is known to be valid
  ++generation_;
  recorded_.clear();
}

void Recorder::mapEncoded(const void *map, KnownMap known) {
  std::array<uint64_t, 16> words{};
  std::memcpy(words.data(), map, sizeof words);
  constexpr size_t kMostMaps = 1 << 14; // the most descriptors to remember; a program may create some for each launch
  std::lock_guard own(lock_);
  if (maps_.size() >= kMostMaps)
    maps_.clear();
  maps_[words] = std::move(known);
}

void Recorder::mapReplaced(const void *former, const void *map, uint64_t address) {
  std::array<uint64_t, 16> words{};
  std::memcpy(words.data(), former, sizeof words);
  KnownMap known;
  {
    std::lock_guard own(lock_);
    auto found = maps_.find(words);
    if (found == maps_.end())
      return;
    known = found->second;
  }
  known.address = address;
  mapEncoded(map, std::move(known));
}

void Recorder::finish() {
  if (!active_)
    return;
  std::lock_guard own(lock_);
  for (const auto &graph : counted_)
    for (const std::string &kind : graph->kinds)
      counts_[kind] += graph->launches;
  for (const auto &[kind, launches] : counts_)
    write(text("count\t", kind, "\t", launches.load()));
  if (graphs_)
    write(text("graphs\t", graphs_));
}

void Recorder::afterFork() { // other threads may have held these locks, but they do not exist in the child
  new (&device_) std::shared_mutex;
  new (&lock_) std::mutex;
  launches_ = matching_ = packages_ = graphs_ = 0;
  ++generation_; // decided launches have pointers into counts_
  counts_.clear();
  for (const auto &graph : counted_)
    graph->launches = 0;
}

} // namespace lanescope::core::record
