#include "repl/kernel/gpu/memory/CopyPartition.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/kernel/gpu/memory/GpuMemory.h"

namespace lanescope::repl {

std::string CopyPartition::repr() const {
  return axis_ ? text("CopyPartition.PARTITIONED(", *axis_, ")") : text("CopyPartition.REPLICATED");
}

namespace {

class CopyPartitions final : public Object {
public:
  std::string typeName() const override { return "CopyPartition"; }
  std::string repr() const override { return "CopyPartition"; }
  std::vector<std::string> members() const override { return {"PARTITIONED", "REPLICATED"}; }
  Result<Value> attribute(Context &context, const std::string &name) override {
    if (name == "REPLICATED")
      return Value(std::make_shared<CopyPartition>(std::nullopt));
    if (name == "PARTITIONED")
      return BuiltinValue::make({.name = "PARTITIONED",
                                 .signature = "PARTITIONED(axis)",
                                 .doc = "Each of the two blocks takes half of the slice along this dimension.",
                                 .call = [](Context &, const BoundArguments &args) -> Result<Value> {
                                   return Value(std::make_shared<CopyPartition>(LANESCOPE_TRY(args.integer(0))));
                                 }});
    return Object::attribute(context, name);
  }
};

} // namespace

Builtin copyPartitionBuiltin() {
  return {.name = "CopyPartition",
          .doc = "How two blocks share a copy that only the first of them waits for, for `leader_tracked=` of "
                 "`copy_gmem_to_smem`: `CopyPartition.PARTITIONED(axis)`, half of the slice each, or "
                 "`CopyPartition.REPLICATED`, all of it each.",
          .constant = Value(std::make_shared<CopyPartitions>())};
}

} // namespace lanescope::repl
