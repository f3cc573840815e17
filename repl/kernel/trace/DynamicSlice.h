// `ds(start, size)`: `size` elements of a reference from `start`. Either may be known only on the device.
#pragma once

#include "repl/lang/values/Builtin.h"

namespace lanescope::repl {

class DynamicSlice final : public Object {
public:
  DynamicSlice(Arg start, Arg size) : start_(std::move(start)), size_(std::move(size)) {}
  const Arg &start() const { return start_; }
  /// The size, known while tracing. Error: it is not, and the target's references require it.
  Result<int64_t> size() const;
  const Arg &anySize() const { return size_; }
  std::string typeName() const override { return "ds"; }
  std::string repr() const override;

private:
  Arg start_, size_;
};

/// `ds`, which also exists outside kernels.
Builtin dynamicSliceBuiltin();

} // namespace lanescope::repl
