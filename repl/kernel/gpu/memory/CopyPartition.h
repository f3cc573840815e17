// `CopyPartition.PARTITIONED(axis)` and `CopyPartition.REPLICATED`: how two blocks share a copy for which only the
// first block waits (`leader_tracked=` of `copy_gmem_to_smem`).
#pragma once

#include "repl/lang/values/Builtin.h"

namespace lanescope::repl {

class CopyPartition final : public Object {
public:
  explicit CopyPartition(std::optional<int64_t> axis) : axis_(axis) {}
  /// The dimension of the slice that the two blocks halve; nothing if both blocks load the whole slice.
  const std::optional<int64_t> &axis() const { return axis_; }
  std::string typeName() const override { return "CopyPartition"; }
  std::string repr() const override;

private:
  std::optional<int64_t> axis_;
};

} // namespace lanescope::repl
