#include "core/gpu/runtime/Messages.h"

#include "core/data/JsonFields.h"
#include "core/data/ParametersJson.h"
#include "core/gpu/kernel/PtxArchitectures.h"
#include "layouts/support/Text.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace lanescope::core {

namespace {

using Out = nlohmann::ordered_json;
constexpr char kMessageKind[] = "worker-protocol";
constexpr int64_t kLargest = int64_t{1} << 46, kLargestCount = 1 << 20;
constexpr int64_t kLargestOffsetNs = int64_t{1} << 62; // clocks of GPUs may count from any origin

using Parts = std::vector<std::span<const std::byte>>;

OutgoingFrame frameOf(const Out &json, Parts parts = {}) {
  return outgoingFrame(json.dump(-1, ' ', false, Out::error_handler_t::replace), std::move(parts));
}

std::string placeText(const Span &span) {
  LineColumn place = span.source->lineColumn(span.begin);
  return text(span.source->name(), ":", place.line, ":", place.column, ": `", span.source->lineText(place.line), "`");
}

Out toOut(const Diagnostics &diagnostics) {
  Out list = Out::array();
  for (const Diagnostic &problem : diagnostics) {
    Out notes = Out::array();
    // Sources are not sent; places in them are sent as text.
    if (problem.span.source)
      notes.push_back(placeText(problem.span));
    for (const Note &note : problem.notes)
      notes.push_back(note.span.source ? text(note.message, " (", placeText(note.span), ")") : note.message);
    Out one = {{"severity", problem.severity == Severity::Error ? "error" : "warning"},
               {"kind", problem.kind},
               {"message", problem.message},
               {"notes", notes}};
    addParameters(one, problem.parameters);
    list.push_back(std::move(one));
  }
  return list;
}

/// The buffers' sizes for the header; adds their bytes to `parts`, if given.
template <class B> Out joinBuffers(const std::vector<B> &contents, Parts &parts) {
  Out sizes = Out::array();
  for (const B &bytes : contents) {
    sizes.push_back(bytes.size());
    parts.push_back(bytes);
  }
  return sizes;
}

/// Converts seconds to milliseconds, rounded up. The subtraction keeps a rounding error from adding one to a whole
/// number.
int64_t milliseconds(double seconds) { return static_cast<int64_t>(std::ceil(seconds * 1000 - 1e-6)); }

struct Encoder {
  OutgoingFrame operator()(const Hello &hello) const {
    Out json = {{"type", "hello"}, {"protocol", kProtocolVersion}, {"program", hello.program}};
    if (hello.gpu)
      json["gpu"] = {{"name", hello.gpu->name},
                     {"major", hello.gpu->major},
                     {"minor", hello.gpu->minor},
                     {"multiprocessors", hello.gpu->multiprocessors},
                     {"shared_memory_per_block", hello.gpu->sharedMemoryPerBlock},
                     {"memory_bytes", hello.gpu->memoryBytes},
                     {"driver_version", hello.gpu->driverVersion},
                     {"device_count", hello.gpu->deviceCount}};
    if (hello.gpu && !hello.gpu->devices.empty())
      json["gpu"]["devices"] = hello.gpu->devices;
    for (PeerReach reach : hello.gpu ? hello.gpu->peers : std::vector<PeerReach>())
      json["gpu"]["peers"].push_back(static_cast<int>(reach));
    if (!hello.problem.empty())
      json["problem"] = hello.problem;
    if (hello.endsWithInput)
      json["ends_with_input"] = true;
    return frameOf(json);
  }
  OutgoingFrame operator()(const RunRequest &request) const {
    Out json = {{"type", "run"},
                {"kernel", request.kernel},
                {"arch", request.arch},
                {"launch", toJson(request.launch)},
                {"wanted", request.wanted},
                {"timeout_ms", milliseconds(request.timeoutSeconds)},
                {"repeat", request.repeat},
                {"align_clocks", int{request.alignClocks}},
                {"ptx_bytes", request.ptx.size()}};
    Parts parts{std::as_bytes(std::span(request.ptx))};
    json["buffers"] = joinBuffers(request.contents, parts);
    return frameOf(json, std::move(parts));
  }
  OutgoingFrame operator()(const ProgressNote &note) const {
    return frameOf({{"type", "progress"}, {"stage", note.stage}});
  }
  OutgoingFrame operator()(const RunReply &reply) const {
    Out json = {{"type", "result"},
                {"time_us", reply.timeUs},
                {"device", reply.device},
                {"printed", reply.printed},
                {"diagnostics", toOut(reply.diagnostics)}};
    if (!reply.clockOffsetsNs.empty())
      json["clock_offsets_ns"] = reply.clockOffsetsNs;
    Parts parts;
    json["buffers"] = joinBuffers(reply.contents, parts);
    return frameOf(json, std::move(parts));
  }
  OutgoingFrame operator()(const Failure &failure) const {
    return frameOf({{"type", "error"}, {"fatal", failure.fatal}, {"diagnostics", toOut(failure.diagnostics)}});
  }
};

class Decoder {
public:
  Decoder(SourceRef source, const Json &json, Bytes blob)
      : source_(std::move(source)), json_(json), fields_(source_, json, "the message", kMessageKind),
        blob_(std::make_shared<Bytes>(std::move(blob))), blobBytes_(blob_->size()) {}

  Result<WorkerMessage> decode() {
    std::string type = fields_.string("type");
    WorkerMessage message;
    if (type == "hello")
      message = hello();
    else if (type == "run")
      message = run();
    else if (type == "progress")
      message = ProgressNote{fields_.string("stage")};
    else if (type == "result")
      message = result();
    else if (type == "error")
      message = failure();
    else if (!fields_.failed())
      fields_.problem(json_, text("`", type, "` is no message of the worker's protocol"));
    if (!fields_.failed() && used_ != blobBytes_)
      fields_.problem(json_, "the message's sizes do not match its bytes");
    if (fields_.failed())
      return fields_.failure();
    if (!launchProblems_.empty())
      return std::unexpected(std::move(launchProblems_));
    return message;
  }

private:
  Hello hello() {
    Hello hello;
    fields_.integer("protocol", kProtocolVersion, kProtocolVersion);
    hello.program = fields_.string("program");
    if (fields_.has("problem"))
      hello.problem = fields_.string("problem");
    if (fields_.has("ends_with_input"))
      if (const Json *ends = fields_.member("ends_with_input", Json::Kind::Bool, "true or false"))
        hello.endsWithInput = ends->boolean;
    if (const Json *gpu = json_.find("gpu")) {
      JsonFields fields(source_, *gpu, "the GPU", kMessageKind);
      GpuInfo info;
      info.name = fields.string("name");
      for (auto [name, to] :
           {std::pair("major", &info.major), std::pair("minor", &info.minor),
            std::pair("multiprocessors", &info.multiprocessors),
            std::pair("shared_memory_per_block", &info.sharedMemoryPerBlock),
            std::pair("driver_version", &info.driverVersion), std::pair("device_count", &info.deviceCount)})
        *to = static_cast<int>(fields.integer(name, 0, 0x7FFFFFFF));
      if (fields.has("devices"))
        for (int64_t ordinal : fields.integers("devices", 0, kLargestCount))
          info.devices.push_back(static_cast<int>(ordinal));
      if (fields.has("peers"))
        for (int64_t reach : fields.integers("peers", 0, static_cast<int64_t>(PeerReach::Atomics)))
          info.peers.push_back(static_cast<PeerReach>(reach));
      if (!info.peers.empty() &&
          static_cast<int64_t>(info.peers.size()) != int64_t{info.deviceCount} * info.deviceCount)
        fields.problem(*gpu, "`peers` does not fit the number of devices");
      info.memoryBytes = static_cast<uint64_t>(fields.integer("memory_bytes", 0, int64_t{1} << 62));
      if (fields.failed())
        fields_.problem(*gpu, "the GPU's description is incomplete");
      hello.gpu = std::move(info);
    }
    return hello;
  }

  RunRequest run() {
    RunRequest request;
    request.kernel = fields_.string("kernel");
    request.arch = fields_.string("arch");
    if (const Json *arch = json_.find("arch"); arch && !request.arch.empty() && !findPtxArchitecture(request.arch))
      fields_.problem(*arch, noPtxArchitectureText(request.arch));
    request.timeoutSeconds = static_cast<double>(fields_.integer("timeout_ms", 0, 0x7FFFFFFF)) / 1000;
    request.repeat = static_cast<uint32_t>(fields_.integer("repeat", 1, kLargestCount));
    request.alignClocks = fields_.has("align_clocks") && fields_.integer("align_clocks", 0, 1) != 0;
    for (int64_t index : fields_.integers("wanted", 0, kLargestCount))
      request.wanted.push_back(static_cast<uint32_t>(index));
    Result<Launch> launch = parseLaunch(Source::make("launch.json", fields_.string("launch")));
    if (launch)
      request.launch = std::move(*launch);
    else
      launchProblems_ = launch.error();
    std::span<const std::byte> ptx = take(fields_.integer("ptx_bytes", 0, kLargest));
    request.ptx.assign(reinterpret_cast<const char *>(ptx.data()), ptx.size());
    for (int64_t size : fields_.integers("buffers", 0, kLargest))
      request.contents.push_back(take(size));
    request.owned = {blob_};
    return request;
  }

  RunReply result() {
    RunReply reply;
    const Json *time = json_.find("time_us");
    if (time && (time->is(Json::Kind::Number) || time->is(Json::Kind::Integer)) && std::isfinite(time->number))
      reply.timeUs = time->number;
    else
      fields_.problem(json_, "the result has no time");
    reply.device = fields_.string("device");
    reply.printed = fields_.string("printed");
    reply.diagnostics = diagnostics();
    if (fields_.has("clock_offsets_ns"))
      reply.clockOffsetsNs = fields_.integers("clock_offsets_ns", -kLargestOffsetNs, kLargestOffsetNs);
    for (int64_t size : fields_.integers("buffers", 0, kLargest))
      reply.contents.push_back(takeAway(size));
    return reply;
  }

  Failure failure() {
    const Json *fatal = fields_.member("fatal", Json::Kind::Bool, "true or false");
    Failure failure{diagnostics(), fatal && fatal->boolean};
    if (failure.diagnostics.empty())
      fields_.problem(json_, "an error comes without a message");
    return failure;
  }

  Diagnostics diagnostics() {
    Diagnostics out;
    const Json *list = fields_.member("diagnostics", Json::Kind::Array, "a list");
    if (!list)
      return out;
    for (const Json &item : list->items) {
      JsonFields fields(source_, item, "a diagnostic", kMessageKind);
      Diagnostic problem;
      problem.severity = fields.string("severity") == "warning" ? Severity::Warning : Severity::Error;
      problem.kind = fields.string("kind");
      problem.message = fields.string("message");
      problem.parameters = readParameters(item);
      if (const Json *notes = fields.member("notes", Json::Kind::Array, "a list"))
        for (const Json &note : notes->items)
          problem.notes.push_back({{}, note.string});
      if (fields.failed())
        fields_.problem(item, "a diagnostic is malformed");
      out.push_back(std::move(problem));
    }
    return out;
  }

  std::span<const std::byte> take(int64_t size) {
    if (static_cast<uint64_t>(size) > blobBytes_ - used_) {
      fields_.problem(json_, "the message's sizes do not match its bytes");
      return {};
    }
    const size_t begin = std::exchange(used_, used_ + static_cast<size_t>(size));
    return std::span(*blob_).subspan(begin, static_cast<size_t>(size));
  }
  Bytes takeAway(int64_t size) {
    std::span<const std::byte> part = take(size);
    if (!part.empty() && part.size() == blobBytes_)
      return std::move(*blob_); // mostly there is only one output
    return {part.begin(), part.end()};
  }

  SourceRef source_;
  const Json &json_;
  JsonFields fields_;
  std::shared_ptr<Bytes> blob_;
  size_t blobBytes_, used_ = 0; // blob_ may have been moved away
  Diagnostics launchProblems_;
};

} // namespace

OutgoingFrame outgoing(const WorkerMessage &message) { return std::visit(Encoder{}, message); }
OutgoingFrame outgoing(const RunRequest &request) { return Encoder{}(request); }
Bytes encodeMessage(const WorkerMessage &message) { return bytesOf(outgoing(message)); }

Result<WorkerMessage> decodeMessage(Frame frame) {
  SourceRef source = Source::make("worker message", std::move(frame.json));
  Result<Json> json = parseJson(source);
  if (!json)
    return error(kMessageKind, Message("a message of the worker is malformed: {}", json.error()[0].message));
  return Decoder(source, *json, std::move(frame.blob)).decode();
}

std::optional<Announcement> announcementOf(const Frame &begun) {
  SourceRef source = Source::make("worker message", begun.json);
  Result<Json> json = parseJson(source);
  if (!json)
    return std::nullopt;
  JsonFields fields(source, *json, "the message", kMessageKind);
  std::string type = fields.string("type");
  if (fields.failed() || type != "run")
    return std::nullopt;
  Announcement out{fields.string("arch"), {}};
  auto bytes = static_cast<uint64_t>(fields.integer("ptx_bytes", 0, kLargest));
  if (fields.failed() || bytes > begun.blob.size())
    return std::nullopt;
  out.ptx.assign(reinterpret_cast<const char *>(begun.blob.data()), bytes);
  return out;
}

} // namespace lanescope::core
