// `jax.new_ref(x)`: an array that kernels read and write in place. On the host, `ref[…]` reads and writes it. A kernel
// that is called with it gets a reference, and the array has the written values after the call.
//
//   total = jax.new_ref(jnp.zeros((128,)))
//   plgpu.kernel(add_rows, out_type=(), grid=(4,), grid_names=("i",))(x, total)
//   total[...]
//
// The body of a `pl.core_map` on the host closes over such arrays. While the body is traced, each array stands for its
// reference.
#pragma once

#include "repl/lang/evaluate/Evaluator.h"
#include "repl/lang/values/Builtin.h"

namespace lanescope::repl {

class MutableArray final : public Object {
public:
  explicit MutableArray(Value array, Value place = {}) : array_(std::move(array)), place_(std::move(place)) {}
  /// A JAX array; a later write creates another one.
  const Value &array() const { return array_; }
  /// The memory in which a SparseCore's kernel finds the array (tpu/specs/TpuSpecs.h, placeOf); None: HBM.
  const Value &place() const { return place_; }
  /// Writes the array. If the running entry is undone, the write is undone, too.
  Result<void> write(Context &context, const core::Array &array);
  /// Sets the reference that stands for the array in the kernel that is being traced.
  void bind(Value reference) { inside_ = std::move(reference); }

  std::string typeName() const override { return "mutable array"; }
  std::string repr() const override { return "Ref(" + lanescope::repl::repr(array_) + ")"; }
  Result<Value> attribute(Context &context, const std::string &name) override;
  std::vector<std::string> members() const override { return {"shape", "dtype", "ndim", "size"}; }
  Result<Value> getItem(Context &context, const Arg &index) override;
  Result<void> setItem(Context &context, const Arg &index, const Arg &value) override;
  Result<int64_t> length(Context &context) override;
  Result<std::optional<Value>> applyBuiltin(Context &context, const std::string &name,
                                            const Arguments &arguments) override;

  /// The reference that stands for the array, if the trace of the current kernel has bound one; else null.
  const Value *inside(const Context &context) const;

private:
  Value array_, inside_, place_;
};

/// The builtins `new_ref`, `empty_ref` and `freeze`; and for `core_map`: `_live_refs()`, `_bind(refs, references)`,
/// `_inside(ref)`.
Builtins mutableArrayNatives();

} // namespace lanescope::repl
