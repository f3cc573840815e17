#include "core/profiler/ChromeEvents.h"

#include "core/profiler/JsonScan.h"
#include "layouts/support/Text.h"
#include "layouts/support/Utf8.h"

#include <algorithm>
#include <cstring>
#ifdef __wasi__
#include "core/profiler/JsonOnDemand.h"
#else
#include <simdjson.h>
#endif

namespace lanescope::core {

namespace {

#ifdef __wasi__
namespace simdjson = plain;
#endif
namespace od = simdjson::ondemand;

constexpr size_t kNowhere = std::string_view::npos;

bool isNumber(std::string_view token) {
  return !token.empty() && (token[0] == '-' || (token[0] >= '0' && token[0] <= '9'));
}

/// A value's first token without the space after it: a number, a word, or the beginning of a string or a list.
std::string_view tokenOf(od::value &value) {
  std::string_view token = value.raw_json_token();
  return token.substr(0, token.find_last_not_of(" \t\r\n") + 1);
}

/// Reads a number, or a string that contains one.
std::optional<Picoseconds> timeOf(od::value &value) {
  std::string_view token = tokenOf(value);
  if (token.starts_with('"') && value.get_string().get(token) != simdjson::SUCCESS)
    return std::nullopt;
  return picoseconds(token);
}

/// Writes 1.0 and 1e3 as integers. All other numbers, of any size, stay as they are.
std::string numberText(std::string_view token) {
  if (token.find_first_of(".eE") == kNowhere)
    return std::string(token);
  std::optional<Picoseconds> millionths = picoseconds(token);
  if (!millionths || *millionths % kPicosecondsPerMicrosecond != 0)
    return std::string(token);
  return std::to_string(static_cast<int64_t>(*millionths / kPicosecondsPerMicrosecond));
}

/// The ids of asynchronous slices and flows are strings or numbers.
std::string idText(od::value &value) {
  std::string_view token = tokenOf(value), word;
  if (isNumber(token))
    return numberText(token);
  return token.starts_with('"') && value.get_string().get(word) == simdjson::SUCCESS ? std::string(word)
                                                                                     : std::string();
}

/// The key as it is written. The reader needs no key that has escapes.
std::string_view keyOf(od::field &field) {
  const char *begin = field.key().raw();
  const char *end = begin;
  while (*end != '"')
    end += *end == '\\' ? 2 : 1;
  return {begin, static_cast<size_t>(end - begin)};
}

constexpr const char kIdleComma[] = "no event follows or precedes a comma, which is passed over";

/// The text with invalid UTF-8 replaced, and the place of the first such byte; npos if there is none.
std::pair<std::string, size_t> wellFormed(std::string_view text) {
  std::string out;
  size_t bad = kNowhere;
  for (size_t at = 0; at < text.size();) {
    size_t length = characterLength(text.substr(at));
    if (length == 0) {
      bad = std::min(bad, at++);
      out += "\uFFFD";
      continue;
    }
    out.append(text, at, length);
    at += length;
  }
  return {std::move(out), bad};
}

} // namespace

/// Parses a piece of the array of events.
class ChromeEvents::Parser {
public:
  explicit Parser(ChromeEvents &of) : of_(of) {}

  enum class Outcome { Done, ArrayEnds, Broken, Refused };

  /// Reads the elements in `piece`, which begins at byte `base` of the file. `end` is the byte after the last element
  /// that was read, if the array ends within the piece. Result Broken: the element that should begin at byte `end` is
  /// not JSON, or is missing.
  Outcome read(std::string_view piece, size_t base, bool closed, const Take &take, size_t &end) {
    // simdjson reads some bytes past the end, and needs an array around the elements.
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
    if (parser_.iterate(buffer_.data(), size, buffer_.size()).get(document) || document.get_array().get(events))
      return Outcome::Broken;
    for (auto item : events) {
      od::value element;
      if (std::move(item).get(element))
        return Outcome::Broken;
      end = offset(element.raw_json_token().data());
      od::object object;
      if (element.get_object().get(object))
        return Outcome::Broken;
      ChromeEvent event;
      event.offset = of_.shown(end);
      flaw_ = nullptr;
      if (!readEvent(object, event))
        return Outcome::Broken;
      if (flaw_) {
        of_.leaveOut(of_.shown(flawAt_), flaw_);
        continue;
      }
      size_t leftOut = of_.leftOut_;
      if (!take(event))
        return Outcome::Refused;
      of_.used_ += of_.leftOut_ == leftOut;
    }
    const char *rest;
    if (document.current_location().get(rest) != simdjson::SUCCESS)
      return Outcome::Done;
    end = offset(rest);
    return Outcome::ArrayEnds;
  }

private:
  size_t offset(const char *place) const { return base_ + static_cast<size_t>(place - buffer_.data()) - 1; }
  /// Records that the event cannot be used. Only its first flaw is reported.
  void flaw(od::value &value, const char *what) {
    if (!flaw_)
      flaw_ = what, flawAt_ = offset(value.raw_json_token().data());
  }

  /// Returns false if the text is not JSON.
  bool readEvent(od::object &object, ChromeEvent &event) {
    for (auto entry : object) {
      od::field field;
      if (std::move(entry).get(field))
        return false;
      std::string_view key = keyOf(field);
      od::value value = field.value();
      // An unterminated string is reported as a JSON error, not as a flaw of the event.
      auto readText = [&](std::string_view &into, const char *otherwise) {
        if (!value.raw_json_token().starts_with('"'))
          return flaw(value, otherwise), true;
        return value.get_string().get(into) == simdjson::SUCCESS;
      };
      if (key == "name") {
        if (!readText(event.name, "an event's `name` is not a string; it is left out"))
          return false;
      } else if (key == "ph") {
        if (!readText(event.phase, "an event's `ph` is not a string; it is left out"))
          return false;
      } else if (key == "ts") {
        std::optional<Picoseconds> ts = timeOf(value);
        event.ts = ts.value_or(0), event.hasTs = true;
        if (!ts)
          flaw(value, "an event's `ts` is not a number of microseconds; it is left out");
      } else if (key == "dur") {
        std::optional<Picoseconds> duration = timeOf(value);
        event.duration = duration.value_or(0), event.hasDuration = true;
        if (!duration || *duration < 0)
          flaw(value, "an event's `dur` is not a number of microseconds, zero or more; it is left out");
      } else if (key == "pid" || key == "tid") {
        if (!readId(value, key == "pid" ? event.pid : event.tid))
          flaw(value, key == "pid" ? "an event's `pid` is neither a number nor a string; it is left out"
                                   : "an event's `tid` is neither a number nor a string; it is left out");
      } else if (key == "args") {
        if (!readArguments(value, event))
          return false;
      } else if (key == "cat") {
        if (value.get_string().get(event.category))
          event.category = {};
      } else if (key == "id") {
        event.id = idText(value);
      } else if (key == "id2") {
        readScopedId(value, event);
      }
    }
    return true;
  }

  /// Reads {"local": …}, an id that is local to a process, or {"global": …}.
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

  /// Ids are integers. Each string, and each number that does not fit a signed 64-bit integer, gets its own id.
  bool readId(od::value &value, int64_t &id) {
    std::string_view token = tokenOf(value);
    std::string word;
    if (isNumber(token)) {
      if (value.get_int64().get(id) == simdjson::SUCCESS)
        return true;
      word = numberText(token);
      if (std::optional<int64_t> whole = parseInteger<int64_t>(word)) {
        id = *whole;
        return true;
      }
    } else if (std::string_view name; token.starts_with('"') && value.get_string().get(name) == simdjson::SUCCESS) {
      word = name;
      if (std::optional<int64_t> whole = parseInteger<int64_t>(word)) { // "7" is process 7
        id = *whole;
        return true;
      }
    } else {
      return false;
    }
    auto next = -1 - static_cast<int64_t>(of_.wordIds_.size());
    id = of_.wordIds_.try_emplace(std::move(word), next).first->second;
    return true;
  }

  bool readArguments(od::value &value, ChromeEvent &event) {
    od::object object;
    if (value.get_object().get(object))
      return true; // an unknown form from another tool
    for (auto entry : object) {
      od::field field;
      if (std::move(entry).get(field))
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
    ChromeEvent::Issue point;
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
        if (std::optional<Picoseconds> ts = timeOf(inner))
          point.ts = *ts, ++found;
    }
    if (found == 3)
      event.issued = point;
  }

  ChromeEvents &of_;
  od::parser parser_;
  std::vector<char> buffer_;
  size_t base_ = 0, flawAt_ = 0;
  const char *flaw_ = nullptr;
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

void ChromeEvents::warn(const std::string &kind, size_t where, const std::string &message) {
  flaws_.try_emplace(message, Flaw{kind, message, {}}).first->second.tally.add(shown(where));
}
void ChromeEvents::leaveOut(uint32_t where, const std::string &message) {
  ++leftOut_;
  warn("trace-left-out", where, message);
}
ChromeEvents::Step ChromeEvents::fails(size_t at, std::string_view what) {
  unfinished(at, what);
  return Step::Fails;
}

std::vector<ChromeEvents::Flaw> ChromeEvents::flaws() const {
  std::vector<Flaw> out;
  for (const auto &[message, flaw] : flaws_)
    out.push_back(flaw);
  std::ranges::stable_sort(out, {}, [](const Flaw &flaw) { return flaw.tally.first; });
  return out;
}

bool ChromeEvents::read(const Take &take) {
  if (!readFile(take))
    return false;
  if (std::vector<Flaw> all = flaws(); used_ == 0 && !all.empty())
    return refuse(all[0].tally.first, all[0].message);
  return true;
}

bool ChromeEvents::readFile(const Take &take) {
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
  if (at < text_.size() && text_[at] == ',') // Chrome's importer drops this comma, too
    at = skipJsonSpace(text_, at + 1);
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
    if (at == text_.size() || text_[at] != ':') {
      if (at == text_.size() && found)
        break;
      return unfinished(at, "a key has no `:` after it");
    }
    at = skipJsonSpace(text_, at + 1);
    if (key == "traceEvents") {
      found = true;
      if (at == text_.size() || text_[at] != '[')
        return refuse(shown(at), "`traceEvents` is not an array");
      if (!readEvents(at, take))
        return false;
    } else {
      end = skipJsonValue(text_, at);
      if (end == kNowhere) {
        if (found)
          break;
        return unfinished(at, "a value does not end");
      }
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
  if (found && skipJsonValue(text_, at) == kNowhere && (at == text_.size() || text_[at] == '"'))
    return endsEarly(at);
  return unfinished(at, "the object does not end");
}

bool ChromeEvents::endsEarly(size_t at) {
  if (used_ == 0)
    return unfinished(at, "the array of events does not end");
  for (const auto &[message, flaw] : flaws_)
    if (flaw.kind == "trace-unfinished")
      return true; // the error is already reported
  warn("trace-unfinished", at, "the file ends before its array of events does; what is there is read");
  return true;
}

/// The index of simdjson's parser is larger than its text, so the file is parsed in pieces. A piece ends where one
/// event seems to end and the next to begin. If this guess is wrong, the piece is broken JSON, and the exact end is
/// searched from the last whole event on. If the JSON is broken there too, its events are read one by one.
bool ChromeEvents::readEvents(size_t &at, const Take &take) {
  at = skipJsonSpace(text_, at + 1);
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
    Parser::Outcome outcome =
        text_[at] == '{' ? parser_->read(text_.substr(at, closed ? end - at : kNowhere), at, closed, take, read)
                         : Parser::Outcome::Broken;
    if (outcome == Parser::Outcome::Refused)
      return false;
    if (outcome == Parser::Outcome::Broken && guess) {
      guess = false, at = read;
      continue;
    }
    guess = true;
    if (outcome == Parser::Outcome::ArrayEnds) {
      at = read;
      return true;
    }
    bool broken = outcome == Parser::Outcome::Broken;
    at = broken ? read : std::min(end, text_.size());
    Step step = readOneByOne(at, broken ? end : at, take);
    if (step != Step::Goes)
      return step == Step::Ends;
  }
  return endsEarly(at);
}

/// Before the call, `at` is at an event, or after an event or a comma. Afterwards it is at an event's beginning, after
/// the array, or at the end of the file.
ChromeEvents::Step ChromeEvents::readOneByOne(size_t &at, size_t until, const Take &take) {
  for (;;) {
    at = skipJsonSpace(text_, at);
    if (at == text_.size())
      return endsEarly(at) ? Step::Ends : Step::Fails;
    size_t before = text_.find_last_not_of(" \t\r\n", at - 1); // finds at least the array's `[`
    bool due = text_[before] == ',' || text_[before] == '[';   // an event is due, not a comma
    if (text_[at] == ']') {
      if (text_[before] == ',')
        warn("trace-comma", before, kIdleComma);
      ++at;
      return Step::Ends;
    }
    if (text_[at] == ',') {
      if (due)
        warn("trace-comma", at, kIdleComma);
      ++at;
      continue;
    }
    if (!due)
      return fails(at, "neither `,` nor `]` follows an event");
    if (at >= until)
      return Step::Goes;
    size_t end = skipJsonValue(text_, at);
    if (end == kNowhere) {
      if (JsonFault fault = firstJsonFault(text_, at); fault.at < text_.size())
        return fails(fault.at, fault.what);
      if (used_ == 0)
        return fails(at, "the file ends within its first event");
      warn("trace-unfinished", at, "the file ends within an event, which is left out; what is before it is read");
      at = text_.size();
      return Step::Ends;
    }
    if (Step step = readOne(at, end, take); step != Step::Goes)
      return step;
    at = end;
  }
}

ChromeEvents::Step ChromeEvents::readOne(size_t begin, size_t end, const Take &take) {
  std::string_view event = text_.substr(begin, end - begin);
  size_t read = begin;
  Parser::Outcome outcome = event[0] == '{' ? parser_->read(event, begin, true, take, read) : Parser::Outcome::Broken;
  if (outcome == Parser::Outcome::Broken)
    if (auto [mended, bad] = wellFormed(event); bad != kNowhere && event[0] == '{') {
      outcome = parser_->read(mended, begin, true, take, read);
      if (outcome == Parser::Outcome::Done)
        warn("trace-utf8", begin + bad, "bytes of an event are no UTF-8; they are read as `\uFFFD`");
    }
  if (outcome == Parser::Outcome::Done)
    return Step::Goes;
  if (outcome == Parser::Outcome::Refused)
    return Step::Fails;
  // One byte more, so that the text does not end with a number.
  if (JsonFault fault = firstJsonFault(text_.substr(0, end + 1), begin); !fault.what.empty())
    return fails(fault.at, fault.what);
  if (event[0] == '{')
    return fails(begin, "an event cannot be read");
  leaveOut(shown(begin), "an event is not a JSON object; it is left out");
  return Step::Goes;
}

/// Reads the marks that Lanescope writes into `otherData`; all other contents belong to other tools.
void ChromeEvents::readOther(std::string_view value) {
  simdjson::padded_string padded(value);
  od::parser parser;
  od::document document;
  od::object object;
  if (parser.iterate(padded).get(document) || document.get_object().get(object))
    return;
  for (auto entry : object) {
    od::field field;
    if (std::move(entry).get(field))
      return;
    std::string_view key = keyOf(field);
    od::value inner = field.value();
    od::array notes;
    if (key == "emulated" && inner.get_bool().get(header_.emulated))
      header_.emulated = false;
    if (key != "notes" || inner.get_array().get(notes))
      continue;
    for (auto item : notes) {
      od::value element;
      od::object note;
      if (std::move(item).get(element) || element.get_object().get(note))
        return;
      std::optional<Picoseconds> ts;
      std::optional<std::string> words;
      for (auto part : note) {
        od::field each;
        if (std::move(part).get(each))
          return;
        std::string_view name = keyOf(each), written;
        od::value said = each.value();
        if (name == "ts")
          ts = timeOf(said);
        else if (name == "text" && said.get_string().get(written) == simdjson::SUCCESS)
          words = std::string(written);
      }
      if (ts && words)
        header_.notes.push_back({*ts, *std::move(words)});
    }
  }
}

} // namespace lanescope::core
