#include "core/profiler/ChromeEvents.h"

#include "core/profiler/JsonScan.h"
#include "layouts/support/Text.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <simdjson.h>

namespace lanescope::core {

namespace {

namespace od = simdjson::ondemand;

constexpr size_t kNowhere = std::string_view::npos;

/// Ids of asynchronous slices and flows are strings or numbers.
std::string idText(od::value &value) {
  std::string_view word;
  int64_t number;
  if (value.get_string().get(word) == simdjson::SUCCESS)
    return std::string(word);
  if (value.get_int64().get(number) == simdjson::SUCCESS)
    return std::to_string(number);
  return {};
}

/// A key without escapes, as all that matter are.
std::string_view keyOf(od::field &field) {
  const char *begin = field.key().raw();
  const char *end = begin;
  while (*end != '"')
    end += *end == '\\' ? 2 : 1;
  return {begin, static_cast<size_t>(end - begin)};
}

} // namespace

/// Parses a piece of the array of events.
class ChromeEvents::Parser {
public:
  explicit Parser(ChromeEvents &of) : of_(of) {}

  enum class Outcome { Done, ArrayEnds, Broken, Refused };

  /// The elements in `piece`, which begins at byte `base` of the file. `end`: of what was read, where the array ends
  /// within the piece. Broken: this is no JSON from byte `end` on, see problem().
  Outcome read(std::string_view piece, size_t base, bool closed, const Take &take, size_t &end) {
    // simdjson reads some bytes past the end, and wants an array around the elements.
    buffer_.resize(piece.size() + 2 + simdjson::SIMDJSON_PADDING);
    buffer_[0] = '[';
    std::memcpy(buffer_.data() + 1, piece.data(), piece.size());
    size_t size = piece.size() + 1;
    if (closed)
      buffer_[size++] = ']';
    std::memset(buffer_.data() + size, 0, buffer_.size() - size);
    base_ = base, end = base;
    od::document document;
    od::array events;
    if (problem_ = parser_.iterate(buffer_.data(), size, buffer_.size()).get(document); problem_)
      return Outcome::Broken;
    if (problem_ = document.get_array().get(events); problem_)
      return Outcome::Broken;
    for (auto item : events) {
      od::value element;
      if (problem_ = std::move(item).get(element); problem_)
        return Outcome::Broken;
      note(element);
      end = here_;
      od::object object;
      if (element.get_object().get(object))
        return refuse("an event is not a JSON object");
      ChromeEvent event;
      event.offset = of_.shown(here_);
      Outcome outcome = readEvent(object, event);
      if (outcome != Outcome::Done)
        return outcome;
      if (!take(event))
        return Outcome::Refused;
    }
    const char *rest;
    if (document.current_location().get(rest) != simdjson::SUCCESS)
      return Outcome::Done;
    end = offset(rest);
    return Outcome::ArrayEnds;
  }

  bool report() {
    std::string message = simdjson::error_message(problem_);
    while (message.ends_with('.'))
      message.pop_back();
    return of_.refuse(of_.shown(here_), text("this is not JSON: ", message));
  }

private:
  size_t offset(const char *place) const { return base_ + static_cast<size_t>(place - buffer_.data()) - 1; }
  void note(od::value &value) { here_ = offset(value.raw_json_token().data()); }
  Outcome refuse(std::string message) {
    of_.refuse(of_.shown(here_), std::move(message));
    return Outcome::Refused;
  }

  Outcome readEvent(od::object &object, ChromeEvent &event) {
    for (auto entry : object) {
      od::field field;
      if (problem_ = std::move(entry).get(field); problem_)
        return Outcome::Broken;
      std::string_view key = keyOf(field);
      od::value value = field.value();
      note(value);
      // A value that ends with the piece is another error than one of the wrong kind: the piece may end too early.
      auto wrong = [&](simdjson::error_code problem, std::string message) {
        problem_ = problem;
        return problem == simdjson::INCORRECT_TYPE || problem == simdjson::NUMBER_ERROR ||
                       problem == simdjson::NUMBER_OUT_OF_RANGE
                   ? refuse(std::move(message))
                   : Outcome::Broken;
      };
      if (key == "name") {
        if (auto problem = value.get_string().get(event.name))
          return wrong(problem, "an event's `name` is not a string");
      } else if (key == "ph") {
        if (auto problem = value.get_string().get(event.phase))
          return wrong(problem, "an event's `ph` is not a string");
      } else if (key == "ts") {
        if (auto problem = value.get_double().get(event.ts))
          return wrong(problem, "an event's `ts` is not a number of microseconds");
        event.hasTs = true;
      } else if (key == "dur") {
        auto problem = value.get_double().get(event.duration);
        if (problem || event.duration < 0)
          return wrong(problem ? problem : simdjson::NUMBER_OUT_OF_RANGE,
                       "an event's `dur` is not a number of microseconds, zero or more");
        event.hasDuration = true;
      } else if (key == "pid" || key == "tid") {
        if (!readId(value, key == "pid" ? event.pid : event.tid))
          return wrong(simdjson::INCORRECT_TYPE, text("an event's `", key, "` is neither an integer nor a string"));
      } else if (key == "args") {
        if (!readArguments(value, event))
          return Outcome::Broken;
      } else if (key == "cat") {
        if (value.get_string().get(event.category))
          event.category = {};
      } else if (key == "id") {
        event.id = idText(value);
      } else if (key == "id2") {
        readScopedId(value, event);
      }
    }
    return Outcome::Done;
  }

  /// {"local": …}, which counts within a process, or {"global": …}.
  static void readScopedId(od::value &value, ChromeEvent &event) {
    od::object object;
    if (value.get_object().get(object))
      return;
    for (auto entry : object) {
      od::field field;
      if (std::move(entry).get(field))
        return;
      event.localId = keyOf(field) == "local";
      od::value inner = field.value();
      event.id = idText(inner);
    }
  }

  /// Ids are integers; tools that use strings get an id per string.
  bool readId(od::value &value, int64_t &id) {
    od::json_type type;
    if (value.type().get(type))
      return false;
    if (type == od::json_type::string) {
      std::string_view name;
      if (value.get_string().get(name))
        return false;
      auto next = -1 - static_cast<int64_t>(of_.wordIds_.size());
      id = of_.wordIds_.try_emplace(std::string(name), next).first->second;
      return true;
    }
    double number;
    if (value.get_int64().get(id) == simdjson::SUCCESS)
      return true;
    if (value.get_double().get(number) || number != std::floor(number) || std::fabs(number) > 0x1p53)
      return false;
    id = static_cast<int64_t>(number);
    return true;
  }

  bool readArguments(od::value &value, ChromeEvent &event) {
    od::object object;
    if (value.get_object().get(object))
      return true; // someone's own form
    for (auto entry : object) {
      od::field field;
      if (problem_ = std::move(entry).get(field); problem_)
        return false;
      std::string_view key = keyOf(field);
      od::value inner = field.value();
      if (key == "name" && inner.get_string().get(event.metadataName))
        event.metadataName = {};
      else if (key == "detail" && inner.get_string().get(event.detail))
        event.detail = {};
      else if (key == "line" && inner.get_string().get(event.line))
        event.line = {};
      else if (key == "flight" && inner.get_int64().get(event.flight))
        event.flight = -1;
      else if (key == "inferred" && inner.get_bool().get(event.inferred))
        event.inferred = false;
      else if (key == "issued")
        readIssue(inner, event);
    }
    return true;
  }

  static void readIssue(od::value &value, ChromeEvent &event) {
    od::object object;
    if (value.get_object().get(object))
      return;
    TracePoint point;
    size_t found = 0;
    for (auto entry : object) {
      od::field field;
      if (std::move(entry).get(field))
        return;
      std::string_view key = keyOf(field);
      od::value inner = field.value();
      if (key == "pid")
        found += inner.get_int64().get(point.pid) == simdjson::SUCCESS;
      else if (key == "tid")
        found += inner.get_int64().get(point.tid) == simdjson::SUCCESS;
      else if (key == "ts")
        found += inner.get_double().get(point.ns) == simdjson::SUCCESS; // µs here
    }
    if (found == 3)
      event.issued = point;
  }

  ChromeEvents &of_;
  od::parser parser_;
  std::vector<char> buffer_;
  simdjson::error_code problem_ = simdjson::SUCCESS;
  size_t base_ = 0, here_ = 0;
};

ChromeEvents::ChromeEvents(SourceRef source, size_t piece)
    : source_(std::move(source)), text_(source_->text()), piece_(piece), parser_(std::make_unique<Parser>(*this)) {}
ChromeEvents::~ChromeEvents() = default;

bool ChromeEvents::refuse(uint32_t where, std::string message) {
  problems_ = error("trace", {source_, where, where + 1}, std::move(message)).error();
  return false;
}
uint32_t ChromeEvents::shown(size_t offset) const { return static_cast<uint32_t>(std::min(offset, text_.size())); }
bool ChromeEvents::unfinished(size_t at, std::string_view what) {
  return refuse(shown(at), text("this is not JSON: ", what));
}

bool ChromeEvents::read(const Take &take) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  size_t at = skipJsonSpace(text_, text_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
  if (at < text_.size() && text_[at] == '[') {
    if (!readEvents(at, take))
      return false;
  } else if (at < text_.size() && text_[at] == '{') {
    return readRoot(at, take);
  } else {
    return refuse(0, "a trace is a JSON object with `traceEvents`, or an array of events");
  }
  at = skipJsonSpace(text_, at);
  return at == text_.size() || unfinished(at, "something follows the array of events");
}

bool ChromeEvents::readRoot(size_t at, const Take &take) {
  bool found = false;
  for (at = skipJsonSpace(text_, at + 1); at < text_.size() && text_[at] == '"';) {
    size_t end = skipJsonValue(text_, at);
    if (end == kNowhere)
      break;
    std::string_view key = text_.substr(at + 1, end - at - 2);
    at = skipJsonSpace(text_, end);
    if (at == text_.size() || text_[at] != ':')
      return unfinished(at, "a key has no `:` behind it");
    at = skipJsonSpace(text_, at + 1);
    if (key == "traceEvents") {
      found = true;
      if (at == text_.size() || text_[at] != '[')
        return refuse(shown(at), "`traceEvents` is not an array");
      if (!readEvents(at, take))
        return false;
    } else {
      end = skipJsonValue(text_, at);
      if (end == kNowhere)
        return unfinished(at, "a value does not end");
      std::string_view value = text_.substr(at, end - at);
      if (key == "displayTimeUnit")
        header_.nanoseconds = value == "\"ns\"";
      else if (key == "otherData")
        readOther(value);
      at = end;
    }
    at = skipJsonSpace(text_, at);
    if (at < text_.size() && text_[at] == '}') {
      at = skipJsonSpace(text_, at + 1);
      if (at < text_.size())
        return unfinished(at, "something follows the object");
      return found || refuse(0, "the object has no `traceEvents`");
    }
    if (at == text_.size() || text_[at] != ',')
      break;
    at = skipJsonSpace(text_, at + 1);
  }
  if (at < text_.size() && text_[at] == '}' && !found)
    return refuse(0, "the object has no `traceEvents`");
  return unfinished(at, "the object does not end");
}

/// A parser's index is larger than the text that it is of, so a file is parsed in pieces.
/// They end where two events seem to meet. A guess that was wrong leaves broken JSON, and the exact place is looked
/// for from the last whole event on.
bool ChromeEvents::readEvents(size_t &at, const Take &take) {
  size_t open = at;
  at = skipJsonSpace(text_, at + 1);
  if (at < text_.size() && text_[at] == ']') {
    ++at;
    return true;
  }
  bool guess = true;
  while (at < text_.size()) {
    size_t end = kNowhere, read = at;
    bool large = text_.size() - at > piece_;
    if (large && guess)
      end = guessEndOfObjects(text_, at, piece_);
    if (end == kNowhere) {
      guess = false;
      end = endOfJsonElements(text_, at, piece_);
    }
    bool closed = end != kNowhere;
    Parser::Outcome outcome = parser_->read(text_.substr(at, closed ? end - at : kNowhere), at, closed, take, read);
    if (outcome == Parser::Outcome::Refused)
      return false;
    if (outcome == Parser::Outcome::Broken) {
      if (!guess)
        return parser_->report();
      guess = false, at = read;
      continue;
    }
    guess = true;
    if (outcome == Parser::Outcome::ArrayEnds) {
      at = read;
      return true;
    }
    size_t next = skipJsonSpace(text_, end);
    if (text_[next] == ']') {
      at = next + 1;
      return true;
    }
    if (text_[next] != ',')
      return unfinished(next, "neither `,` nor `]` follows an event");
    at = skipJsonSpace(text_, next + 1);
    if (at < text_.size() && text_[at] == ']')
      return unfinished(at, "no event follows the comma");
  }
  return unfinished(open, "the array of events does not end");
}

/// Our own marks; anything else in there is someone else's.
void ChromeEvents::readOther(std::string_view value) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(value.data(), value.size()).get(object))
    return;
  if (bool emulated; object["emulated"].get(emulated) == simdjson::SUCCESS)
    header_.emulated = emulated;
  simdjson::dom::array notes;
  if (object["notes"].get(notes) == simdjson::SUCCESS)
    for (simdjson::dom::element note : notes) {
      double ts;
      std::string_view words;
      if (note["ts"].get(ts) == simdjson::SUCCESS && note["text"].get(words) == simdjson::SUCCESS)
        header_.notes.push_back({std::round(ts * 1e6) / 1e3, std::string(words)});
    }
}

} // namespace lanescope::core
