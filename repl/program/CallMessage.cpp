#include "repl/program/CallMessage.h"

#include "core/data/ParametersJson.h"
#include "core/gpu/codegen/StageKinds.h"
#include "core/gpu/runtime/Package.h"
#include "layouts/support/Text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <span>

namespace lanescope::repl {

namespace {

using Out = nlohmann::ordered_json;

std::span<const std::byte> bytesOf(std::string_view text) { return std::as_bytes(std::span(text)); }

class Encoder {
public:
  Encoder(core::Frame &frame, const WholeText &whole) : frame_(frame), whole_(whole) {}

  /// The index of the source among the sources that are sent; −1: none.
  int64_t number(const SourceRef &source) { return source ? static_cast<int64_t>(known(source).number) : -1; }

  /// A place as source, begin and end. If the place is unknown, all three are −1.
  std::array<int64_t, 3> place(const Span &span) {
    if (!span.source)
      return {-1, -1, -1};
    const Known &found = known(span.source);
    return {static_cast<int64_t>(found.number), moved(found, span, span.begin), moved(found, span, span.end)};
  }

  Out diagnostics(const Diagnostics &all) {
    Out out = Out::array();
    for (const Diagnostic &each : all) {
      Out notes = Out::array();
      for (const Note &note : each.notes)
        notes.push_back({{"place", place(note.span)}, {"message", note.message}});
      Out one = {{"severity", static_cast<int>(each.severity)},
                 {"kind", each.kind},
                 {"place", place(each.span)},
                 {"message", each.message},
                 {"notes", std::move(notes)}};
      core::addParameters(one, each.parameters);
      out.push_back(std::move(one));
    }
    return out;
  }

  /// The message for a stage. The origins of its lines go to the raw bytes, as 32-bit numbers.
  Out stage(const core::Stage &stage) {
    std::vector<int32_t> origins;
    for (const core::LineOrigin &line : stage.origins) {
      origins.insert(origins.end(), {static_cast<int32_t>(line.kind), static_cast<int32_t>(line.before),
                                     static_cast<int32_t>(line.places.size())});
      for (const Span &span : line.places)
        for (int64_t part : place(span))
          origins.push_back(static_cast<int32_t>(part));
    }
    return {{"id", stage.kind.id},
            {"source", number(stage.source)},
            {"made_from", stage.madeFrom},
            {"lines", stage.origins.size()},
            {"origins", raw(std::as_bytes(std::span(origins)))}};
  }

  Out kernel(const core::CompiledKernel &kernel) {
    Out values = Out::array();
    for (const core::ValueLayout &value : kernel.values)
      values.push_back(
          {{"place", place(value.span)}, {"name", value.name}, {"type", value.type}, {"layout", value.layout}});
    core::Package described;
    described.kernel.name = kernel.name, described.kernel.arch = kernel.arch;
    described.kernel.outputs = kernel.outputs;
    described.kernel.profiled = kernel.profiled, described.kernel.profile = kernel.profile;
    described.kernel.tensorArrays = kernel.tensorArrays;
    return {{"meta", core::packageMeta(described)},
            {"launch", core::toJson(kernel.launch)},
            {"source", number(kernel.source)},
            {"ptx", raw(bytesOf(kernel.ptx))},
            {"values", std::move(values)}};
  }

  Out arrays(const std::vector<core::Array> &all) {
    Out out = Out::array();
    for (const core::Array &array : all)
      out.push_back({{"dtype", layouts::name(array.dtype)}, {"shape", array.shape}, {"bytes", raw(array.bytes)}});
    return out;
  }

  /// Appends the bytes to the frame's raw bytes, and returns their number.
  size_t raw(std::span<const std::byte> bytes) {
    frame_.blob.insert(frame_.blob.end(), bytes.begin(), bytes.end());
    return bytes.size();
  }

  /// All sources that contain places. They are sent last.
  Out sources() {
    Out out = Out::array();
    for (const SourceRef &source : sources_)
      out.push_back({{"name", raw(bytesOf(source->name()))}, {"text", raw(bytesOf(source->text()))}});
    return out;
  }

private:
  struct Known {
    size_t number = 0;
    SourceRef whole; // the file of which the source is a part; null: none
  };

  const Known &known(const SourceRef &source) {
    auto [at, fresh] = known_.try_emplace(source.get());
    if (fresh) {
      kept_.push_back(source);
      SourceRef sent = whole_ ? whole_(source->name()) : nullptr;
      if (sent && sent->text() != source->text())
        at->second.whole = sent;
      else
        sent = source;
      auto same = std::ranges::find_if(sources_, [&](const SourceRef &other) {
        return other->name() == sent->name() && other->text() == sent->text();
      });
      at->second.number = static_cast<size_t>(same - sources_.begin());
      if (same == sources_.end())
        sources_.push_back(sent);
    }
    return at->second;
  }

  static int64_t moved(const Known &known, const Span &span, uint32_t offset) {
    if (!known.whole)
      return offset;
    LineColumn at = span.source->lineColumn(offset);
    return std::min<int64_t>(int64_t{known.whole->lineStart(at.line)} + at.column - 1,
                             static_cast<int64_t>(known.whole->text().size()));
  }

  core::Frame &frame_;
  const WholeText &whole_;
  std::map<const Source *, Known> known_;
  std::vector<SourceRef> sources_, kept_;
};

uint64_t bytesOf(const std::vector<core::Array> &arrays) {
  uint64_t bytes = 0;
  for (const core::Array &array : arrays)
    bytes += array.bytes.size();
  return bytes;
}

} // namespace

core::Frame encodeCall(const KernelLaunch &launch, const WholeText &whole) {
  core::Frame frame;
  Encoder encoder(frame, whole);
  uint64_t bytes = bytesOf(launch.inputs) + (launch.result ? bytesOf(launch.result->outputs) : 0);
  bool arrays = bytes <= kMostCallBytes;
  Out json = {{"type", "call"},
              {"kernel", launch.kernel},
              {"place", encoder.place(launch.call)},
              {"device", launch.device},
              {"arrays", arrays}};
  Out stages = Out::array(), sources = Out::array();
  for (const core::Stage &stage : launch.stages->stages)
    stages.push_back(encoder.stage(stage));
  for (const SourceRef &source : launch.stages->sources)
    sources.push_back(encoder.number(source));
  json["stages"] = std::move(stages);
  json["stage_sources"] = std::move(sources);
  json["stage_diagnostics"] = encoder.diagnostics(launch.stages->diagnostics);
  if (launch.stages->kernel)
    json["compiled"] = encoder.kernel(*launch.stages->kernel);
  json["inputs"] = encoder.arrays(arrays ? launch.inputs : std::vector<core::Array>());
  if (const auto &result = launch.result) {
    json["result"] = {{"outputs", encoder.arrays(arrays ? result->outputs : std::vector<core::Array>())},
                      {"time_us", result->timeUs},
                      {"device", result->device},
                      {"printed", encoder.raw(bytesOf(result->printed))},
                      {"note", result->note},
                      {"diagnostics", encoder.diagnostics(result->diagnostics)}};
    if (result->trace)
      json["trace"] = encoder.raw(bytesOf(core::toChromeJson(*result->trace)));
  }
  json["sources"] = encoder.sources();
  frame.json = json.dump(-1, ' ', false, Out::error_handler_t::replace);
  return frame;
}

} // namespace lanescope::repl
