// Writes launch descriptions in the form that parseLaunch() reads.
#include "core/data/Array.h"
#include "core/data/Json.h"
#include "core/gpu/kernel/Launch.h"
#include "core/gpu/kernel/LaunchBuffers.h"
#include "layouts/support/Words.h"

#include <array>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>

namespace lanescope::core {

namespace {

using Ordered = nlohmann::ordered_json;

void put(Ordered &json, const BufferSpec &buffer) {
  json["dtype"] = std::string(layouts::name(buffer.dtype));
  json["shape"] = buffer.shape;
  for (auto [key, value] :
       {std::pair("data", &buffer.data), std::pair("out", &buffer.out), std::pair("name", &buffer.name)})
    if (!value->empty())
      json[key] = *value;
}

void putBuffer(Ordered &json, uint32_t buffer) {
  json[isOfLaunch(buffer) ? "launch_buffer" : "buffer"] = buffer & ~kOfLaunch;
}

void put(Ordered &json, const PeerSpec &peer) {
  if (peer.multicast)
    json["peer"] = "multicast";
  else if (!peer.peers.empty())
    json["peer"] = peer.peers;
}

Ordered toOrdered(const TensorMapSpec &map) {
  Ordered json;
  json["offset"] = map.offset;
  putBuffer(json, map.buffer);
  if (map.at)
    json["at"] = map.at;
  json["dtype"] = std::string(map.format == TmaFormat::Plain ? layouts::name(map.dtype) : name(map.format));
  json["shape"] = map.shape;
  json["strides_bytes"] = map.stridesBytes;
  if (map.mode == TmaMode::Tiled)
    json["box"] = map.box;
  else
    json["im2col"] = {{"mode", std::string(name(map.mode))},
                      {"lower", map.im2col.lower},
                      {"upper", map.im2col.upper},
                      {"pixels", map.im2col.pixels},
                      {"channels", map.im2col.channels}};
  if (!map.elementStrides.empty())
    json["element_strides"] = map.elementStrides;
  json["swizzle"] = map.swizzle;
  if (map.atom != 16)
    json["atom"] = map.atom;
  json["oob_fill"] = map.oobNan ? "nan" : "zeros";
  put(json, map.peer);
  return json;
}

Ordered toOrdered(const Param &param) {
  Ordered json;
  if (const auto *buffer = std::get_if<BufferParam>(&param)) {
    json["kind"] = "buffer";
    put(json, buffer->buffer);
  } else if (const auto *scalar = std::get_if<ScalarParam>(&param)) {
    json["kind"] = "scalar";
    json["dtype"] = std::string(layouts::name(scalar->dtype));
    Array one = Array::zeros(scalar->dtype, {1});
    std::memcpy(one.bytes.data(), &scalar->bits, one.bytes.size());
    if (layouts::isFloat(scalar->dtype)) {
      std::string_view name = nameOfNumber(one.number(0));
      json["value"] = name.empty() ? Ordered(one.number(0)) : Ordered(name);
    } else if (scalar->dtype == Dtype::U64)
      json["value"] = scalar->bits;
    else
      json["value"] = one.integer(0);
    if (!scalar->name.empty())
      json["name"] = scalar->name;
  } else if (const auto *pointer = std::get_if<PointerParam>(&param)) {
    json["kind"] = "pointer";
    json["buffer"] = pointer->buffer;
    json["at"] = pointer->at;
    put(json, pointer->peer);
    if (!pointer->name.empty())
      json["name"] = pointer->name;
  } else if (std::holds_alternative<MetadataParam>(param)) {
    json["kind"] = "collective_metadata";
  } else {
    const auto &block = std::get<BytesParam>(param);
    json["kind"] = "bytes";
    json["size"] = block.size;
    json["align"] = block.align;
    if (!block.data.empty()) {
      std::string digits;
      for (std::byte one : block.data) {
        digits += "0123456789abcdef"[static_cast<unsigned>(one) >> 4];
        digits += "0123456789abcdef"[static_cast<unsigned>(one) & 15];
      }
      json["hex"] = digits;
    }
    json["buffers"] = Ordered::array();
    for (const BufferSpec &buffer : block.buffers)
      put(json["buffers"].emplace_back(), buffer);
    json["tensor_maps"] = Ordered::array();
    for (const TensorMapSpec &map : block.tensorMaps)
      json["tensor_maps"].push_back(toOrdered(map));
    json["pointers"] = Ordered::array();
    for (const PointerSpec &pointer : block.pointers) {
      Ordered &one = json["pointers"].emplace_back();
      one["offset"] = pointer.offset;
      putBuffer(one, pointer.buffer);
      if (pointer.at)
        one["at"] = pointer.at;
      put(one, pointer.peer);
    }
    if (block.metadata)
      json["collective_metadata"] = *block.metadata;
  }
  return json;
}

} // namespace

std::string toJson(const Launch &launch) {
  Ordered json;
  json["entry"] = launch.entry;
  json["grid"] = launch.grid;
  json["cluster"] = launch.cluster;
  json["block"] = launch.block;
  json["dynamic_smem"] = launch.dynamicSmem;
  if (launch.devices)
    json["devices"] = launch.devices;
  json["params"] = Ordered::array();
  for (const Param &param : launch.params)
    json["params"].push_back(toOrdered(param));
  if (launch.cooperative)
    json["cooperative"] = true;
  for (const BufferSpec &buffer : launch.memory)
    put(json["memory"].emplace_back(), buffer);
  for (const ModuleVariable &variable : launch.variables) {
    Ordered &one = json["variables"].emplace_back();
    one["variable"] = variable.variable;
    put(one, variable.buffer);
  }
  for (const BufferLink &link : launch.links) {
    Ordered &one = json["pointers"].emplace_back();
    one = {{"in", link.buffer}, {"offset", link.offset}, {"buffer", link.target}, {"at", link.at}};
    put(one, link.peer);
  }
  for (const FixedAddress &each : launch.addresses)
    json["addresses"].push_back({{"buffer", each.buffer}, {"address", hexText(each.address)}});
  if (launch.multiprocessors)
    json["device"]["multiprocessors"] = launch.multiprocessors;
  for (const SharedArray &array : launch.sharedArrays) {
    Ordered &one = json["shared"].emplace_back();
    one = {{"name", array.name},
           {"dtype", std::string(layouts::name(array.dtype))},
           {"shape", array.shape},
           {"offset", array.offset}};
    if (!array.tiling.empty())
      one["tiling"] = array.tiling;
    if (array.swizzle)
      one["swizzle"] = array.swizzle;
  }
  return json.dump(1, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

} // namespace lanescope::core
