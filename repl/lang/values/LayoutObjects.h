// Values of the layout family that are not layouts themselves: tilings, replications, and the maps of elements to their
// owners.
#pragma once

#include "layouts/AddressMap.h"
#include "layouts/ElementMap.h"
#include "layouts/SharedMemory.h"
#include "layouts/TmemMap.h"
#include "repl/lang/values/Value.h"

namespace lanescope::repl {

/// The value of `Tiling((64, 8), (8, 8))`.
class TilingObject : public Object {
public:
  explicit TilingObject(layouts::Tiling tiling) : tiling(std::move(tiling)) {}
  std::string typeName() const override { return "Tiling"; }
  std::string repr() const override;
  Result<Value> attribute(Context &context, const std::string &name) override;
  std::vector<std::string> members() const override;
  std::string key() const override { return repr(); }

  const layouts::Tiling tiling;
};

/// The value of `Replicated(times=4)`.
class ReplicatedObject : public Object {
public:
  explicit ReplicatedObject(layouts::Replicated replicated) : replicated(replicated) {}
  std::string typeName() const override { return "Replicated"; }
  std::string repr() const override;
  Result<Value> attribute(Context &context, const std::string &name) override;
  std::vector<std::string> members() const override { return {"times"}; }
  std::string key() const override { return repr(); }

  const layouts::Replicated replicated;
};

/// The result of `element_map` for a register layout.
class ElementMapObject : public Object {
public:
  explicit ElementMapObject(layouts::ElementMap map) : map(std::move(map)) {}
  std::string typeName() const override { return "element_map"; }
  std::string repr() const override;
  Result<Value> attribute(Context &context, const std::string &name) override;
  std::vector<std::string> members() const override;
  std::optional<std::string> json() const override;

  const layouts::ElementMap map;
};

/// The result of `element_map` for a tensor-memory layout.
class TmemMapObject : public Object {
public:
  TmemMapObject(layouts::TmemMap map, layouts::Dtype dtype) : map(std::move(map)), dtype(dtype) {}
  std::string typeName() const override { return "tmem_map"; }
  std::string repr() const override;
  Result<Value> attribute(Context &context, const std::string &name) override;
  std::vector<std::string> members() const override;
  std::optional<std::string> json() const override;

  const layouts::TmemMap map;
  const layouts::Dtype dtype;
};

/// The result of `element_map` for a layout of shared memory.
class AddressMapObject : public Object {
public:
  AddressMapObject(layouts::AddressMap map, layouts::Dtype dtype) : map(std::move(map)), dtype(dtype) {}
  std::string typeName() const override { return "address_map"; }
  std::string repr() const override;
  Result<Value> attribute(Context &context, const std::string &name) override;
  std::vector<std::string> members() const override;
  /// {"layout", "bytes" (per element), "shape", "offsets" (per element), "image" (per offset, null for a hole)}
  std::optional<std::string> json() const override;

  const layouts::AddressMap map;
  const layouts::Dtype dtype;
};

/// The result of `smem_map`.
class SmemMapObject : public Object {
public:
  SmemMapObject(layouts::SmemMap map, layouts::Dtype dtype) : map(std::move(map)), dtype(dtype) {}
  std::string typeName() const override { return "smem_map"; }
  std::string repr() const override;
  Result<Value> attribute(Context &context, const std::string &name) override;
  std::vector<std::string> members() const override;
  std::optional<std::string> json() const override;

  const layouts::SmemMap map;
  const layouts::Dtype dtype;
};

} // namespace lanescope::repl
