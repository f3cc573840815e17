// Protects a session's life and consistency: undo records, limits on size, memory, stack and time.
#include "core/data/ProcessMemory.h"
#include "core/data/Scratch.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/evaluate/Evaluator.h"
#include "repl/lang/evaluate/Journal.h"
#include "repl/lang/values/ArrayOps.h"

#include <algorithm>
#include <string>

namespace lanescope::repl {

void Journal::save(const Value &container) {
  if (const ListData *list = container.asList())
    saved_.push_back({container, Value::list(list->items)});
  else if (const DictData *dict = container.asDict())
    saved_.push_back({container, Value::dict(*dict)});
  else if (const core::Array *array = container.asArray())
    saved_.push_back({container, Value(*array)});
}

void Journal::undo() {
  for (; !saved_.empty(); saved_.pop_back()) {
    Saved &saved = saved_.back();
    if (ListData *list = saved.container.asList())
      std::swap(list->items, saved.copy.asList()->items);
    else if (DictData *dict = saved.container.asDict())
      std::swap(*dict, *saved.copy.asDict());
    else if (ArrayData *array = saved.container.asArrayData())
      std::swap(array->array, saved.copy.asArrayData()->array), ++array->changes;
  }
}

Value Evaluator::fresh(Value value) const {
  if (!value.uniquelyHeld())
    return value;
  auto stamp = [&](uint64_t &born) { born = born == 0 ? epoch_ : born; };
  if (ListData *list = value.asList())
    stamp(list->born);
  else if (DictData *dict = value.asDict())
    stamp(dict->born);
  else if (ArrayData *array = value.asArrayData())
    stamp(array->born);
  return value;
}

Result<void> Evaluator::willChange(const Value &container, const Span &span) {
  ListData *list = container.asList();
  DictData *dict = container.asDict();
  ArrayData *array = container.asArrayData();
  if (array && !array->base.isNone())
    return willChange(array->base, span);
  uint64_t *born = list ? &list->born : dict ? &dict->born : array ? &array->born : nullptr;
  if (!born)
    return {};
  if (stagedFloor_ != 0 && *born < stagedFloor_)
    return error("staging", span,
                 Message("this {type} was made outside the loop or branch that runs on the device, so it cannot be "
                         "changed inside; bind a variable instead, or loop over `static_range(…)`",
                         container.typeName()));
  if (*born >= entryEpoch_)
    return {};
  if (journal_)
    journal_->save(container);
  *born = epoch_;
  return {};
}

// --- limits ----------------------------------------------------------------------------------------------------------

static std::string bytesText(int64_t bytes) {
  constexpr int64_t kMiB = 1 << 20;
  return bytes >= 10 * kMiB ? text(bytes / kMiB, " MiB") : text(bytes, " bytes");
}

Result<void> Evaluator::reserveItems(int64_t count, const Span &span) {
  if (count < 0 || count > limits_.containerItems)
    return error("too-large", span,
                 Message("{count} items are more than a list, tuple or dict may hold here ({limit}); arrays hold more: "
                         "`zeros`, `iota`, …",
                         count, limits_.containerItems));
  return checkMemory(count * static_cast<int64_t>(sizeof(Value)), span);
}

Result<void> Evaluator::reserveString(int64_t bytes, const Span &span) {
  if (bytes < 0 || bytes > limits_.stringBytes)
    return error(
        "too-large", span,
        Message("a string of {} is larger than the limit of {}", bytesText(bytes), bytesText(limits_.stringBytes))
            .with("bytes", bytes)
            .with("limit", limits_.stringBytes));
  return checkMemory(bytes, span);
}

Result<void> Evaluator::reserveArray(layouts::Dtype dtype, const layouts::Shape &shape, const Span &span) {
  auto count = checkedCount(shape);
  if (!count)
    return error("too-large", span, Message("an array of shape {shape} is not possible", layouts::tupleText(shape)));
  int64_t bytes = *count * layouts::hostBytes(dtype);
  if (bytes > limits_.arrayBytes)
    return error("too-large", span,
                 Message("an array of shape {shape} and dtype `{dtype}` takes {}; the limit is {}",
                         layouts::tupleText(shape), layouts::name(dtype), bytesText(bytes),
                         bytesText(limits_.arrayBytes))
                     .with("bytes", bytes)
                     .with("limit", limits_.arrayBytes));
  if (!core::checkedArrayBytes(dtype, shape)) // the array has no elements, but its other dimensions are too large
    return error("too-large", span,
                 Message("an array of shape {shape} has no elements, and its other dimensions are too large",
                         layouts::tupleText(shape)));
  return checkMemory(bytes, span, true);
}

int64_t Evaluator::memoryLimit() {
  return limits_.sessionBytes ? limits_.sessionBytes : static_cast<int64_t>(core::memoryLimit());
}

/// Checks the process's memory after every 64 MiB of announced allocations.
Result<void> Evaluator::checkMemory(int64_t bytes, const Span &span, bool ofArray) {
  constexpr int64_t kInterval = 64 << 20;
  unchecked_ += bytes;
  if (unchecked_ < kInterval)
    return {};
  unchecked_ = 0;
  const auto size = static_cast<uint64_t>(bytes), limit = static_cast<uint64_t>(memoryLimit());
  auto room = ofArray ? core::reserveBytes(size, "an array", limit) : core::reserveMemory(size, "a value", limit);
  if (room)
    return {};
  room.error()[0].message += "; `del` what is not needed any more";
  return at(span, std::move(room.error()));
}

Result<void> Evaluator::checkStack(const Span &span) {
  const char *here = static_cast<const char *>(__builtin_frame_address(0));
  if (stackBase_ && stackBase_ - here > limits_.stackBytes)
    return error("recursion", span, "calls and expressions nest too deep");
  return {};
}

Result<void> Evaluator::poll(const Span &span) {
  if (interrupted_.load(std::memory_order_relaxed))
    return error("interrupted", span, "interrupted");
  ++steps_;
  if (limits_.steps != 0 && steps_ > limits_.steps)
    return error("too-long", span, Message("the entry takes more than {limit} steps", limits_.steps));
  // A single step allocates little; large allocations are announced.
  constexpr int64_t kBytesPerStep = 64;
  return checkMemory(kBytesPerStep, span);
}

void Evaluator::capture(const std::shared_ptr<Scope> &scope) {
  if (!captured_.empty() && captured_.back().lock() == scope)
    return;
  if (captured_.size() >= capturedLimit_) {
    std::erase_if(captured_, [](const std::weak_ptr<Scope> &weak) { return weak.expired(); });
    capturedLimit_ = std::max<size_t>(64, captured_.size() * 2);
  }
  captured_.push_back(scope);
}

Result<void> Evaluator::willRebind(const Variable &variable, const Span &span) const {
  bool older = !variable.scope || variable.scope->born < stagedFloor_;
  if (!carried_ || !older || std::ranges::find(*carried_, variable) != carried_->end())
    return {};
  return error(
      "staging", span,
      Message("`{name}` is a variable outside of this loop or branch, which runs on the device and does not carry it, "
              "so it cannot be rebound here; return the value, and bind the name in the loop or branch itself",
              variable.name));
}

Result<Value> Evaluator::callStaged(const Value &callee, const Arguments &arguments, const Span &span) {
  const std::vector<Variable> none;
  StagedPart part(*this, none);
  return call(callee, arguments, span);
}

StagedPart::StagedPart(Evaluator &evaluator, const std::vector<Variable> &carried)
    : evaluator_(evaluator), previousFloor_(std::exchange(evaluator.stagedFloor_, ++evaluator.epoch_)),
      previous_(std::exchange(evaluator.carried_, &carried)) {}

StagedPart::~StagedPart() {
  evaluator_.stagedFloor_ = previousFloor_;
  evaluator_.carried_ = previous_;
}

StagingScope::StagingScope(Evaluator &evaluator, Staging *staging)
    : evaluator_(evaluator), previous_(evaluator.staging_), previousFloor_(evaluator.stagedFloor_),
      previousCarried_(evaluator.carried_) {
  evaluator_.staging_ = staging;
  evaluator_.stagedFloor_ = 0;
  evaluator_.carried_ = nullptr;
}

StagingScope::~StagingScope() {
  evaluator_.staging_ = previous_;
  evaluator_.stagedFloor_ = previousFloor_;
  evaluator_.carried_ = previousCarried_;
}

} // namespace lanescope::repl
