// `ds(start, size)`: a slice of `size` elements of a reference from `start` on. Either number may be known only on the
// device.
#pragma once

#include "repl/lang/values/Builtin.h"

namespace lanescope::repl {

class DynamicSlice final : public Object {
public:
  DynamicSlice(Arg start, Arg size) : start_(std::move(start)), size_(std::move(size)) {}
  const Arg &start() const { return start_; }
  /// The size if it is known while tracing. Error: only the device knows it, and the target's references need a known
  /// size.
  Result<int64_t> size() const;
  const Arg &anySize() const { return size_; }
  std::string typeName() const override { return "ds"; }
  std::string repr() const override;

private:
  Arg start_, size_;
};

/// The builtin `ds`, which also exists outside kernels.
Builtin dynamicSliceBuiltin();

} // namespace lanescope::repl
