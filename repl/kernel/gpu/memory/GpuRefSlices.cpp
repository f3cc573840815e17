// Slices of references, the parts that an index takes: x.at[i, 2:5, ds(j, 8)], x.at[rows, :].
#include "repl/kernel/gpu/memory/GpuRefs.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "layouts/support/Words.h"
#include "repl/kernel/trace/Traced.h"

#include <algorithm>

namespace lanescope::repl {

using core::IrValue;
using core::Offset;
using core::SliceDim;
using layouts::Dtype;
using layouts::Shape;

/// Reads one entry of an index along a dimension of `size`. The result counts from the start of the reference's own
/// part of the dimension.
static Result<SliceDim> entryOf(GpuTracer &tracer, const Value &given, int64_t size, size_t dimension, const Span &span,
                                const RefValue &ref) {
  const Value entry = given.plain();
  auto outside = [&](std::string what) {
    return error("out-of-bounds", span,
                 Message("{} is outside of dimension {dimension} of `{name}`, which has size {size}", what, dimension,
                         ref.describe(), size),
                 {ref.declared()});
  };
  if (const int64_t *known = entry.asInt()) {
    int64_t index = *known < 0 ? *known + size : *known;
    if (index < 0 || index >= size)
      return outside(text("index ", *known));
    return SliceDim{index, 1, false};
  }
  if (auto index = tracedIndex(tracer, entry))
    return SliceDim{*index, 1, false};
  if (const SliceData *slice = entry.asSlice()) {
    if (!slice->step.isNone() && slice->step.integer() != 1)
      return error("unsupported", span, "a reference can be sliced with step 1 only");
    int64_t start = 0, stop = size;
    for (auto [bound, target] : {std::pair(&slice->start, &start), std::pair(&slice->stop, &stop)}) {
      if (bound->isNone())
        continue;
      const Value plain = bound->plain();
      const int64_t *known = plain.asInt();
      if (!known)
        return error("type", span,
                     bound->as<TracedValue>()
                         ? "a slice with bounds known on the device only is written `ds(start, size)`"
                         : Message("a slice's bounds are ints, not `{type}`", bound->typeName()));
      *target = *known < 0 ? *known + size : *known;
    }
    if (start < 0 || stop > size || start >= stop)
      return start >= stop && start >= 0 && stop <= size
                 ? Result<SliceDim>(error("out-of-bounds", span, Message("the slice {}:{} is empty", start, stop)))
                 : Result<SliceDim>(outside(text("slice ", start, ":", stop)));
    return SliceDim{start, stop - start, true};
  }
  if (auto *dynamic = entry.as<DynamicSlice>()) {
    int64_t length = LANESCOPE_TRY(dynamic->size());
    bool global = ref.space() == core::MemorySpace::Global;
    if (length > size && !global)
      return outside(text("a slice of ", length, " elements"));
    if (const int64_t *known = dynamic->start().value.asInt()) {
      if (*known < 0 || *known >= size || (*known + length > size && !global))
        return outside(text("slice ", *known, ":", *known + length));
      return SliceDim{*known, length, true};
    }
    if (auto start = tracedIndex(tracer, dynamic->start().value))
      return SliceDim{*start, length, true};
    return error("type", dynamic->start().span,
                 Message("the start of a slice must be an integer, not `{type}`", dynamic->start().value.typeName()));
  }
  if (auto *traced = entry.as<TracedValue>())
    return error("type", span, Message("an index must be an i32, not {dtype}", name(traced->ir().dtype)));
  return error("type", span,
               Message("a reference is indexed by ints, slices, `ds(…)` and `...`, not `{type}`", entry.typeName()));
}

/// The rows that an array chooses along base dimension `axis`.
static Result<SliceDim> rowsOf(const IrValue &rows, const RefValue &ref, size_t axis, const Span &span) {
  auto refuse = [&](Message why) { return error("unsupported", span, std::move(why), {ref.declared()}); };
  if (ref.space() != core::MemorySpace::Global)
    return refuse(
        Message("rows of `{name}` are not chosen by an array: copies gather them from global memory", ref.name()));
  if (ref.base().shape.size() != 2 || axis != 0)
    return refuse(Message(
        "an array chooses rows along the first dimension of an array of 2 dimensions, and `{name}` has shape {shape}{}",
        ref.name(), layouts::tupleText(ref.base().shape), axis != 0 ? ", which it indexes along another" : ""));
  const SliceDim &all = ref.dims()[axis];
  const auto *start = std::get_if<int64_t>(&all.start);
  if (!all.keep || !start || *start != 0)
    return refuse(Message(
        "`{name}` is a part of the rows already; add its start to the array, and index `{other_name}` with that",
        ref.describe(), ref.name()));
  if (rows.shape.size() != 1)
    return refuse(
        Message("rows are chosen by an array of 1 dimension, not of shape {shape}", layouts::tupleText(rows.shape)));
  if (!layouts::isUnsignedInteger(rows.dtype) || layouts::bitwidth(rows.dtype) > 32 ||
      layouts::bitwidth(rows.dtype) < 8)
    return error("type", span,
                 Message("rows are chosen by integers without sign of 8, 16 or 32 bits, not by {dtype}; convert them "
                         "with `.astype(u32)`",
                         name(rows.dtype)));
  return SliceDim{rows, rows.shape[0], true};
}

bool RefValue::gathers() const {
  return std::ranges::any_of(dims_, [](const SliceDim &dim) {
    const auto *start = std::get_if<IrValue>(&dim.start);
    return start && !start->isScalar();
  });
}

Result<std::shared_ptr<RefValue>> RefValue::sliced(GpuTracer &tracer, const Arg &index) const {
  std::vector<Value> entries;
  if (const auto *tuple = index.value.asTuple())
    entries = *tuple;
  else
    entries = {index.value};

  Shape mine = shape();
  auto dots = std::ranges::count_if(entries, &Value::isEllipsis);
  if (dots > 1)
    return error("type", index.span, "an index holds one `...` at most");
  size_t given = entries.size() - static_cast<size_t>(dots);
  if (given > mine.size())
    return error(
        "type", index.span,
        Message("{indices} indices for `{name}`, which has {}", given, describe(), counted(mine.size(), "dimension")),
        {declared()});
  std::vector<std::optional<Value>> full;
  for (const Value &entry : entries) {
    if (entry.isEllipsis())
      full.insert(full.end(), mine.size() - given, std::nullopt);
    else
      full.emplace_back(entry);
  }
  full.resize(mine.size());

  auto result = std::make_shared<RefValue>(*this);
  for (size_t at = 0; at < axes_.size(); ++at) {
    if (!full[at])
      continue;
    SliceDim &dim = result->dims_[axes_[at]];
    if (const auto *start = std::get_if<IrValue>(&dim.start); start && !start->isScalar())
      return error("unsupported", index.span,
                   Message("the rows of `{name}` are chosen by an array; slice the array instead", describe()),
                   {declared()});
    auto *traced = full[at]->as<TracedValue>();
    const core::Array *constant = full[at]->asArray();
    if (traced ? !traced->ir().isScalar() : constant && !constant->shape.empty()) {
      Term rows = LANESCOPE_TRY(termOf(tracer, {*full[at], index.span}, "an index"));
      dim = LANESCOPE_TRY(rowsOf(*rows.traced, *this, axes_[at], index.span));
      continue;
    }
    SliceDim taken = LANESCOPE_TRY(entryOf(tracer, *full[at], dim.length, at, index.span, *this));
    const auto *start = std::get_if<int64_t>(&taken.start);
    result->outside_ |= taken.length > dim.length || (start && *start + taken.length > dim.length);
    dim = {addOffsets(tracer, dim.start, taken.start), taken.length, taken.keep};
  }
  std::erase_if(result->axes_, [&](size_t axis) { return !result->dims_[axis].keep; });
  if (isTensor())
    LANESCOPE_CHECK(result->checkTensorSlice(index.span));
  return result;
}

Result<void> RefValue::checkTensorSlice(const Span &span) const {
  size_t rows = dims_.size() - 2, columns = dims_.size() - 1;
  auto refuse = [&](Message what) { return error("unsupported", span, std::move(what), {declared()}); };
  auto whole = [&](size_t axis) {
    const auto *start = std::get_if<int64_t>(&dims_[axis].start);
    return dims_[axis].keep && start && *start == 0 && dims_[axis].length == base_.shape[axis];
  };
  for (size_t axis = 0; axis < rows; ++axis)
    if (dims_[axis].keep && !whole(axis))
      return refuse(Message("dimension {dimension} of `{name}` is taken whole, or one index of it: tensor memory is "
                            "sliced along its columns",
                            axis, name_));
  if (!whole(rows))
    return refuse(Message("tensor memory is taken with all of its rows, which are lanes: write `{}{}", name_,
                          rows == 0 ? ".at[:, …]`" : ".at[…, :, …]`"));
  if (!dims_[columns].keep)
    return refuse("columns of tensor memory are sliced, not indexed: write `i:i + n` or `ds(i, n)`");
  if (whole(columns))
    return {};
  const Shape &tile = base_.tensor->layout.tiled().baseTile();
  if (base_.shape[rows] != tile[0])
    return refuse(Message(
        "`{name}` has {tiles} tiles of {rows} rows one beside the other in the columns, which a slice would cut", name_,
        base_.shape[rows] / tile[0], tile[0]));
  const auto *start = std::get_if<int64_t>(&dims_[columns].start);
  if ((start && *start % tile[1] != 0) || dims_[columns].length % tile[1] != 0)
    return refuse(Message("a slice of `{name}` begins at a multiple of {columns} columns and has as many, which its "
                          "layout keeps together; this takes {}{}",
                          name_, tile[1],
                          start ? text(*start, ":", *start + dims_[columns].length) : text(dims_[columns].length),
                          start ? "" : " of them"));
  return {};
}

} // namespace lanescope::repl
