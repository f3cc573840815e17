// `sharded(layout, mesh, sharding)`: an array that is split over devices, with a layout for each part.
//
//   s = sharded(WGMMA, {"x": 2}, ("x", None))      prints a description in words
//   show(s, (128, 64))                             the device, thread and register of each element
//   owners(s, (128, 64), (70, 3))                  the device, then its thread, warp, lane and register
#pragma once

#include "repl/kernel/launch/DeviceMesh.h"

namespace lanescope::repl {

class ShardedLayout final : public Object {
public:
  ShardedLayout(Value layout, DeviceMesh mesh, Sharding sharding)
      : layout_(std::move(layout)), mesh_(std::move(mesh)), sharding_(std::move(sharding)) {}

  std::string typeName() const override { return "sharded layout"; }
  std::string repr() const override;
  Result<std::optional<Value>> applyBuiltin(Context &context, const std::string &name,
                                            const Arguments &arguments) override;
  /// The layout of each device's part.
  const Value &layout() const { return layout_; }
  const DeviceMesh &mesh() const { return mesh_; }
  const Sharding &sharding() const { return sharding_; }

private:
  std::string layoutText() const;
  Result<Value> owners(Context &context, const BoundArguments &args) const;

  Value layout_;
  DeviceMesh mesh_;
  Sharding sharding_;
};

Builtin shardedBuiltin();

} // namespace lanescope::repl
