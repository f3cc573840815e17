// A reference in a SparseCore's kernel: an operand's block, scratch, or a view of one.
//
//   x[i, ds(16 * j, 16)]        loads a vector: a TracedValue
//   x.at[i].at[ds(16 * j, 16)]  the same part as a reference: for copies, gathers, …
//   table.at[rows]              rows that a vector or a VMEM reference names: only for copies, gathers and scatters
//   x.bitcast(f32), x.reshape((4, 32))
//
// A reference records its views without emitting them. An operation emits the views of its references when it is
// emitted itself, as in JAX.
#pragma once

#include "repl/kernel/tpu/trace/TpuTracer.h"

#include <memory>
#include <unordered_map>
#include <variant>

namespace lanescope::repl {

class TpuRefValue final : public Reference {
public:
  struct Part {
    core::Offset start, size;
    int64_t stride = 1;
  };
  /// The numbers of rows, in an i32 vector or in a reference.
  using Rows = std::variant<core::IrValue, std::shared_ptr<TpuRefValue>>;
  /// The part that an index takes of one dimension: an integer (known or not), a range, or rows.
  using Entry = std::variant<int64_t, core::IrValue, Part, Rows>;
  struct Indexer {
    std::vector<Entry> entries;
    Span span;
    std::optional<int64_t> ignored = std::nullopt; // a row number that a copy skips
  };
  struct Bitcast {
    layouts::Dtype dtype;
    layouts::Shape shape;
    Span span;
  };
  struct Reshape {
    layouts::Shape shape;
    Span span;
  };
  using View = std::variant<Indexer, Bitcast, Reshape>;

  TpuRefValue(std::string name, core::TpuRef base, TraceId trace, Span origin)
      : Reference(std::move(name), trace, std::move(origin)), base_(std::move(base)) {}

  const core::TpuRef &base() const { return base_; }
  core::TpuMemory memory() const { return base_.memory; }
  layouts::Dtype dtype() const;
  /// The shape. A size that only the device knows is core::kDynamicSize.
  layouts::Shape shape() const;
  const std::vector<View> &views() const { return views_; }
  bool holdsNumbers() const { return base_.element == core::TpuElement::Number; }
  /// The reference as text: `x`, or `x.at[…]`.
  std::string describe() const;

  std::shared_ptr<TpuRefValue> with(View view) const;
  Result<std::shared_ptr<TpuRefValue>> sliced(TpuTracer &tracer, const Arg &index) const;
  Result<Value> read(TpuTracer &tracer, const Span &span, const std::optional<core::IrValue> &mask) const;
  Result<void> write(TpuTracer &tracer, const Span &span, const core::IrValue &value,
                     const std::optional<core::IrValue> &mask, bool add) const;
  Result<void> write(TpuTracer &tracer, const Span &span, const Arg &value) const;

  std::string typeName() const override;
  std::string repr() const override;
  Result<Value> attribute(Context &context, const std::string &name) override;
  std::vector<std::string> members() const override;
  Result<Value> getItem(Context &context, const Arg &index) override;
  Result<void> setItem(Context &context, const Arg &index, const Arg &value) override;
  Result<Value> unary(Context &context, UnaryOp op) override;
  Result<std::optional<Value>> binary(Context &context, BinaryOp op, const Arg &other, bool reflected) override;
  Result<std::optional<Value>> compare(Context &context, CompareOp op, const Arg &other) override;
  Result<bool> truth(Context &context) override;
  Result<int64_t> length(Context &context) override;

private:
  std::unexpected<Diagnostics> notAValue(const Context &context, std::string_view what) const;
  /// The emitted reference and indices of a load or store. `verb` names the operation in errors.
  struct Access {
    core::TpuRef ref;
    std::vector<core::TpuIndex> at;
  };
  Result<Access> access(TpuTracer &tracer, const Span &span, std::string_view verb, bool masked) const;

  core::TpuRef base_;
  std::vector<View> views_;
};

/// The value of `Indices(rows, ignored_value=4)`: row numbers for a copy, which skips rows with number 4.
class RowIndices final : public Object {
public:
  RowIndices(Value rows, std::optional<int64_t> ignored) : rows(std::move(rows)), ignored(ignored) {}
  std::string typeName() const override { return "Indices"; }
  const Value rows;
  const std::optional<int64_t> ignored;
};
Builtin rowIndicesBuiltin();

/// The constants for the integers in the indices of views. An operation emits the constants of all its references
/// before it emits any view.
class IndexConstants {
public:
  void add(TpuTracer &tracer, const TpuRefValue &ref);
  const core::IrValue &of(const TpuRefValue::Entry &entry) const { return constants_.at(&entry); }

private:
  std::unordered_map<const TpuRefValue::Entry *, core::IrValue> constants_;
};

/// Emits the first `count` views of a reference.
Result<core::TpuRef> viewed(TpuTracer &tracer, const TpuRefValue &ref, size_t count, const IndexConstants &constants);
/// Emits all views of a reference.
Result<core::TpuRef> viewed(TpuTracer &tracer, const TpuRefValue &ref, const IndexConstants &constants);

/// Argument `index` as a reference of this trace.
Result<std::shared_ptr<TpuRefValue>> refArgument(TpuTracer &tracer, const BoundArguments &args, size_t index);
/// Argument `index`, an i1 array of the shape; nullopt if it is left out or None.
Result<std::optional<core::IrValue>> maskArgument(TpuTracer &tracer, const BoundArguments &args, size_t index,
                                                  const layouts::Shape &shape);
/// A place on another device, core or subcore, which is not emitted yet.
struct PlaceTerms {
  std::optional<Term> device, core, subcore;
  Result<core::TpuBuilder::Elsewhere> emitted(TpuTracer &tracer) const;
};
/// Reads argument `index`, if it is given: an i32, which is the device's number, or places by the names of axes,
/// `{"core": 0, "subcore": 1}`. A name that no mesh has is the devices' axis.
Result<PlaceTerms> placeArgument(TpuTracer &tracer, const BoundArguments &args, size_t index);
/// True if the entry takes all of a dimension of that size.
bool takesAll(const TpuRefValue::Entry &entry, int64_t size);

} // namespace lanescope::repl
