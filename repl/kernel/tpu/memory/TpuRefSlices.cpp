// Slices of references, the parts that an index takes: x.at[i, 2:5, ds(j, 8)], table.at[rows].
#include "repl/kernel/tpu/memory/TpuRefs.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Words.h"
#include "repl/kernel/trace/DynamicSlice.h"

#include <algorithm>

namespace lanescope::repl {

using core::IrValue;
using core::Offset;
using layouts::Dtype;
using layouts::Shape;

namespace {

using Entry = TpuRefValue::Entry;

/// Reads one entry of an index along a dimension of `size`.
class EntryReader {
public:
  EntryReader(TpuTracer &tracer, const TpuRefValue &ref, Span span)
      : tracer_(tracer), ref_(ref), span_(std::move(span)) {}

  Result<Entry> read(const Value &entry, int64_t size, size_t dimension) {
    if (const int64_t *known = entry.asInt()) {
      int64_t index = *known < 0 && size != core::kDynamicSize ? *known + size : *known;
      if (index < 0 || (size != core::kDynamicSize && index >= size))
        return outside(text("index ", *known), size, dimension);
      return Entry(index);
    }
    if (auto index = tracedIndex(tracer_, entry))
      return Entry(*index);
    if (const SliceData *slice = entry.asSlice())
      return sliceOf(*slice, size, dimension);
    if (auto *dynamic = entry.as<DynamicSlice>())
      return dynamicOf(*dynamic, size, dimension);
    if (auto rows = entry.ref<TpuRefValue>()) {
      LANESCOPE_CHECK(TpuTracer::of({tracer_.evaluator(), span_}, rows->trace()));
      return Entry(TpuRefValue::Rows(rows));
    }
    if (entry.as<TracedValue>() || entry.asArray()) {
      Term rows = LANESCOPE_TRY(termOf(tracer_, {entry, span_}, "an index"));
      if (rows.traced->isScalar() || rows.traced->dtype != Dtype::I32)
        return error("type", span_,
                     Message("an index must be an i32, not {type}", typeText(rows.traced->dtype, rows.traced->shape)));
      return Entry(TpuRefValue::Rows(*rows.traced));
    }
    return error("type", span_,
                 Message("a reference is indexed by ints, slices, `ds(…)`, `...`, and for copies by i32 vectors and "
                         "references that name rows, not `{type}`",
                         entry.typeName()));
  }

private:
  std::unexpected<Diagnostics> outside(std::string what, int64_t size, size_t dimension) const {
    return error("out-of-bounds", span_,
                 Message("{} is outside of dimension {dimension} of `{name}`, which has size {size}", what, dimension,
                         ref_.describe(), size),
                 {ref_.declared()});
  }

  Result<Entry> sliceOf(const SliceData &slice, int64_t size, size_t dimension) {
    int64_t step = 1;
    if (!slice.step.isNone()) {
      const int64_t *known = slice.step.asInt();
      if (!known || *known < 1)
        return error("type", span_, "the step of a slice is an int above 0");
      step = *known;
    }
    if (size == core::kDynamicSize)
      return error("unsupported", span_,
                   Message("dimension {dimension} of `{name}` has a size that only the device knows; slice it with "
                           "`ds(start, size)`",
                           dimension, ref_.describe()));
    int64_t start = 0, stop = size;
    for (auto [bound, target] : {std::pair(&slice.start, &start), std::pair(&slice.stop, &stop)}) {
      if (bound->isNone())
        continue;
      const int64_t *known = bound->asInt();
      if (!known)
        return error("type", span_,
                     bound->as<TracedValue>()
                         ? "a slice with bounds known on the device only is written `ds(start, size)`"
                         : Message("a slice's bounds are ints, not `{type}`", bound->typeName()));
      *target = *known < 0 ? *known + size : *known;
    }
    if (start < 0 || stop > size || start >= stop)
      return outside(text("slice ", start, ":", stop), size, dimension);
    return Entry(TpuRefValue::Part{start, (stop - start + step - 1) / step, step});
  }

  Result<Entry> dynamicOf(const DynamicSlice &dynamic, int64_t size, size_t dimension) {
    auto offset = [&](const Arg &arg, std::string_view what) -> Result<Offset> {
      if (const int64_t *known = arg.value.asInt())
        return Offset(*known);
      if (auto traced = tracedIndex(tracer_, arg.value))
        return Offset(*traced);
      return error("type", arg.span,
                   Message("the {} of a slice must be an i32, not `{type}`", what, arg.value.typeName()));
    };
    Offset start = LANESCOPE_TRY(offset(dynamic.start(), "start"));
    Offset length = LANESCOPE_TRY(offset(dynamic.anySize(), "size"));
    const auto *from = std::get_if<int64_t>(&start), *count = std::get_if<int64_t>(&length);
    if (size != core::kDynamicSize && ((count && *count > size) || (from && (*from < 0 || *from >= size)) ||
                                       (from && count && *from + *count > size)))
      return outside(text("a slice of ", count ? text(*count) : "…", " elements from ", from ? text(*from) : "…"), size,
                     dimension);
    return Entry(TpuRefValue::Part{start, length, 1});
  }

  TpuTracer &tracer_;
  const TpuRefValue &ref_;
  Span span_;
};

Result<Value> rowIndices(Context &, const BoundArguments &args) {
  std::optional<int64_t> ignored;
  if (args.has(1) && !args[1].value.isNone())
    ignored = LANESCOPE_TRY(args.integer(1));
  return Value(std::make_shared<RowIndices>(args[0].value, ignored));
}

} // namespace

Builtin rowIndicesBuiltin() {
  return {.name = "Indices",
          .signature = "Indices(values, ignored_value=None)",
          .doc =
              "Rows for a copy, `table.at[Indices(rows, ignored_value=-1)]`: those of the number `ignored_value` are "
              "passed over.",
          .call = rowIndices,
          .group = "SparseCore"};
}

Result<std::shared_ptr<TpuRefValue>> TpuRefValue::sliced(TpuTracer &tracer, const Arg &index) const {
  std::vector<Value> given = index.value.asTuple() ? *index.value.asTuple() : std::vector{index.value};
  Shape mine = shape();
  auto dots = std::ranges::count_if(given, &Value::isEllipsis);
  if (dots > 1)
    return error("type", index.span, "an index holds one `...` at most");
  size_t count = given.size() - static_cast<size_t>(dots);
  if (count > mine.size())
    return error(
        "type", index.span,
        Message("{indices} indices for `{name}`, which has {}", count, describe(), counted(mine.size(), "dimension")),
        {declared()});
  std::vector<std::optional<Value>> full;
  for (const Value &entry : given) {
    if (entry.isEllipsis())
      full.insert(full.end(), mine.size() - count, std::nullopt);
    else
      full.emplace_back(entry);
  }
  full.resize(mine.size());
  EntryReader reader(tracer, *this, index.span);
  Indexer indexer{.entries = {}, .span = index.span};
  for (std::optional<Value> &entry : full)
    if (auto *rows = entry ? entry->as<RowIndices>() : nullptr) {
      indexer.ignored = rows->ignored;
      Value inner = rows->rows;
      entry = inner;
    }
  for (size_t d = 0; d < mine.size(); ++d)
    indexer.entries.push_back(full[d] ? LANESCOPE_TRY(reader.read(*full[d], mine[d], d))
                                      : Entry(Part{int64_t{0}, mine[d], 1}));
  return with(std::move(indexer));
}

} // namespace lanescope::repl
