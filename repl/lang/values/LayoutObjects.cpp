#include "repl/lang/values/LayoutObjects.h"

#include "layouts/MapJson.h"
#include "layouts/support/Text.h"
#include "layouts/support/Words.h"
#include "repl/lang/values/ArrayOps.h"
#include "repl/lang/values/Builtin.h"

namespace lanescope::repl {

namespace {
/// A table of indices as an i32 array.
Value indexArray(std::span<const int32_t> values, Shape shape) {
  Array out = Array::zeros(Dtype::I32, std::move(shape));
  for (size_t i = 0; i < values.size(); ++i)
    out.setInteger(static_cast<int64_t>(i), values[i]);
  return Value(std::move(out));
}
} // namespace

std::string TilingObject::repr() const {
  // The text has the form of JAX's repr: Tiling(tiles=((64, 8), (8, 8)))
  std::string out = "Tiling(tiles=(";
  const auto &tiles = tiling.tiles();
  for (size_t i = 0; i < tiles.size(); ++i)
    out += (i > 0 ? ", " : "") + layouts::tupleText(tiles[i]);
  return out + (tiles.size() == 1 ? ",))" : "))");
}
std::vector<std::string> TilingObject::members() const {
  return {"tiles", "tile_shape", "untile_shape", "canonicalize"};
}
Result<Value> TilingObject::attribute(Context &context, const std::string &name) {
  if (name == "tiles") {
    std::vector<Value> out;
    for (const Shape &tile : tiling.tiles())
      out.push_back(Value::shape(tile));
    return Value::tuple(std::move(out));
  }
  Value self = shared_from_this();
  auto shaped = [&](Result<Shape> (layouts::Tiling::*function)(const Shape &) const, std::string doc) {
    return BuiltinValue::make({name, name + "(shape)", std::move(doc),
                               [function](Context &, const BoundArguments &args) -> Result<Value> {
                                 auto shape = args.shape(0);
                                 if (!shape)
                                   return std::unexpected(std::move(shape.error()));
                                 auto out = (args.self->as<TilingObject>()->tiling.*function)(*shape);
                                 if (!out)
                                   return std::unexpected(std::move(out.error()));
                                 return Value::shape(*out);
                               }},
                              self);
  };
  if (name == "tile_shape")
    return shaped(&layouts::Tiling::tileShape, "The shape after tiling.");
  if (name == "untile_shape")
    return shaped(&layouts::Tiling::untileShape, "The shape before tiling.");
  if (name == "canonicalize")
    return BuiltinValue::make(
        {name, "canonicalize()", "The same tiling without tiles that do nothing.",
         [](Context &, const BoundArguments &args) -> Result<Value> {
           return Value(std::make_shared<TilingObject>(args.self->as<TilingObject>()->tiling.canonicalize()));
         }},
        self);
  return Object::attribute(context, name);
}

std::string ReplicatedObject::repr() const { return text("Replicated(times=", replicated.times, ")"); }
Result<Value> ReplicatedObject::attribute(Context &context, const std::string &name) {
  if (name == "times")
    return Value(replicated.times);
  return Object::attribute(context, name);
}

std::string ElementMapObject::repr() const {
  return text("<element map of shape ", layouts::tupleText(map.shape()), ": ", map.threads(), " threads x ",
              counted(map.registers(), "register"), " of ", map.vector(),
              map.replication() > 1 ? text(", each element ", map.replication(), " times") : std::string(), ">");
}
std::vector<std::string> ElementMapObject::members() const {
  return {"layout", "map", "registers", "replication", "shape", "threads", "threads_per_warp", "vector"};
}
Result<Value> ElementMapObject::attribute(Context &context, const std::string &name) {
  if (name == "layout")
    return Value(map.layout());
  if (name == "shape")
    return Value::shape(map.shape());
  if (name == "threads")
    return Value(map.threads());
  if (name == "threads_per_warp")
    return Value(map.threadsPerWarp());
  if (name == "registers")
    return Value(map.registers());
  if (name == "vector")
    return Value(map.vector());
  if (name == "replication")
    return Value(map.replication());
  if (name == "map")
    return indexArray(map.elements(), {map.threads(), static_cast<int64_t>(map.elements().size()) / map.threads()});
  return Object::attribute(context, name);
}
std::optional<std::string> ElementMapObject::json() const { return layouts::elementMapJson(map); }

std::string TmemMapObject::repr() const {
  return text("<tensor memory map of shape ", layouts::tupleText(map.shape()), " and dtype ", layouts::name(dtype),
              ": ", map.lanes(), " lanes x ", map.columns(), " columns of ", map.packing(), ">");
}
std::vector<std::string> TmemMapObject::members() const {
  return {"columns", "dtype", "lanes", "layout", "map", "packing", "shape"};
}
Result<Value> TmemMapObject::attribute(Context &context, const std::string &name) {
  if (name == "layout")
    return Value(map.layout());
  if (name == "shape")
    return Value::shape(map.shape());
  if (name == "dtype")
    return Value(dtype);
  if (name == "lanes")
    return Value(map.lanes());
  if (name == "columns")
    return Value(map.columns());
  if (name == "packing")
    return Value(map.packing());
  if (name == "map")
    return indexArray(map.elements(), {map.lanes(), static_cast<int64_t>(map.columns()) * map.packing()});
  return Object::attribute(context, name);
}
std::optional<std::string> TmemMapObject::json() const { return layouts::tmemMapJson(map, layouts::name(dtype)); }

std::string AddressMapObject::repr() const {
  return text("<address map of shape ", layouts::tupleText(map.shape()), " and dtype ", layouts::name(dtype), ": ",
              map.bytes(), " bytes>");
}
std::vector<std::string> AddressMapObject::members() const {
  return {"buffer_bytes", "bytes", "dtype", "image", "layout", "offsets", "shape"};
}
Result<Value> AddressMapObject::attribute(Context &context, const std::string &name) {
  if (name == "layout")
    return Value(map.title());
  if (name == "shape")
    return Value::shape(map.shape());
  if (name == "dtype")
    return Value(dtype);
  if (name == "bytes")
    return map.bitwidth() < 8 ? Value(map.bitwidth() / 8.0) : Value(map.bitwidth() / 8);
  if (name == "buffer_bytes")
    return Value(map.bytes());
  if (name == "offsets")
    return indexArray(map.offsets(), map.shape());
  if (name == "image")
    return indexArray(map.image(), {map.extent()});
  return Object::attribute(context, name);
}
std::optional<std::string> AddressMapObject::json() const { return layouts::addressMapJson(map); }

std::string SmemMapObject::repr() const {
  return text("<shared memory map of shape ", layouts::tupleText(map.shape()), " and dtype ", layouts::name(dtype),
              ": ", map.bytes(), " bytes, tiling ", map.tiling().empty() ? "None" : layouts::tupleText(map.tiling()),
              ", swizzle ", map.swizzle() ? text(*map.swizzle()) : "None", map.transpose() ? ", transposed" : "", ">");
}
std::vector<std::string> SmemMapObject::members() const {
  return {"buffer_bytes", "bytes", "dtype", "image", "shape", "swizzle", "tiling", "transpose"};
}
Result<Value> SmemMapObject::attribute(Context &context, const std::string &name) {
  if (name == "shape")
    return Value::shape(map.shape());
  if (name == "dtype")
    return Value(dtype);
  if (name == "bytes")
    return map.bitwidth() < 8 ? Value(map.bitwidth() / 8.0)
                              : Value(map.bitwidth() / 8); // bytes per element, as in the JSON form
  if (name == "buffer_bytes")
    return Value(map.bytes());
  if (name == "tiling")
    return map.tiling().empty() ? Value() : Value::shape(map.tiling());
  if (name == "swizzle")
    return map.swizzle() ? Value(*map.swizzle()) : Value();
  if (name == "transpose")
    return Value(map.transpose());
  if (name == "image")
    return indexArray(map.image(), {map.elements()});
  return Object::attribute(context, name);
}
std::optional<std::string> SmemMapObject::json() const { return layouts::smemMapJson(map); }

} // namespace lanescope::repl
