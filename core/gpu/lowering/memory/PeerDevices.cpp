#include "core/gpu/lowering/memory/PeerDevices.h"

#include "core/gpu/ir/DeviceOps.h"

#include "layouts/support/Text.h"

namespace lanescope::core {

using namespace mlir;

bool hasDevices(const KernelLowering &k) { return k.result.launch.devices != 0; }

namespace {

constexpr int64_t kWordBytes = 8;

int64_t buffersOf(const KernelLowering &k) {
  return static_cast<int64_t>(std::get<BytesParam>(k.result.launch.params.front()).buffers.size());
}

/// Reads an address from the metadata, at word `known` plus `computed` (i32).
Value metadataWord(KernelLowering &k, Type type, Value computed, int64_t known) {
  ThreadBuilder &t = k.t;
  Value metadata = k.argumentPointer(static_cast<int>(buffersOf(k))); // the metadata follow the buffers' pointers
  Value offset = computed ? t.multiply(t.resize(computed, 64), kWordBytes) : Value();
  auto load =
      t.create<LLVM::LoadOp>(type, t.address(metadata, offset, known * kWordBytes), static_cast<unsigned>(kWordBytes));
  load.setInvariant(true);
  return load;
}

LogicalResult deviceId(KernelLowering &k, Operation *op) {
  if (!hasDevices(k))
    return op->emitError("the kernel is for one device; `mesh=` of `@kernel` makes it one for several");
  k.set(op->getResult(0), k.t.resize(metadataWord(k, k.t.i64(), Value(), 0), 32));
  return success();
}

/// Checks the rules for accesses to another device, and to all devices.
LogicalResult checkReach(KernelLowering &k, Operation *op, const Ref &ref) {
  if (!hasDevices(k))
    return op->emitError("the kernel is for one device; `mesh=` of `@kernel` makes it one for several");
  if (ref.argument < 0)
    return op->emitError("only a kernel's arguments and semaphores are there on other devices, too");
  if (ref.device || ref.multicast)
    return op->emitError("this reference leads to other devices already");
  return success();
}

/// Traps if there is no such device. Otherwise the access would silently use the metadata words of the next array.
void checkDevice(KernelLowering &k, Value device) {
  uint32_t devices = k.result.launch.devices;
  k.t.ptx(text("{ .reg .pred absent; setp.ge.u32 absent, $0, ", devices, ";\n@absent trap; // lanescope: ",
               "the number of the device is not below ", devices, ", which is how many the mesh has\n}"),
          "r", {k.t.resize(device, 32)});
}

LogicalResult collectiveMetadata(KernelLowering &k, Operation *op) {
  if (!hasDevices(k))
    return op->emitError("the kernel is for one device, which has no metadata of several");
  auto type = cast<MemRefType>(op->getResult(0).getType());
  Ref words;
  words.element = type.getElementType();
  words.elementBytes = kWordBytes;
  words.base = k.argumentPointer(static_cast<int>(buffersOf(k)));
  words.dims.push_back({{type.getDimSize(0)}, {1}});
  k.set(op->getResult(0), std::move(words));
  return success();
}

LogicalResult peerRef(KernelLowering &k, Operation *op) {
  auto peer = cast<statements::PeerRefOp>(op);
  auto there = onDevice(k, op, k.ref(peer.getRef()), k.scalar(peer.getDevice()));
  if (failed(there))
    return failure();
  k.set(peer.getResult(), *there);
  return success();
}

LogicalResult multicastRef(KernelLowering &k, Operation *op) {
  auto multicast = cast<statements::MulticastRefOp>(op);
  auto there = onAllDevices(k, op, k.ref(multicast.getRef()));
  if (failed(there))
    return failure();
  k.set(multicast.getResult(), *there);
  return success();
}

LogicalResult releaseFence(KernelLowering &k, Operation *) {
  k.warpgroupBarrier();
  k.t.ptx("@$0 fence.acq_rel.sys;", "b", k.elected);
  return success();
}

} // namespace

FailureOr<Ref> onDevice(KernelLowering &k, Operation *op, const Ref &ref, Value device) {
  if (failed(checkReach(k, op, ref)))
    return failure();
  int64_t devices = k.result.launch.devices;
  if (auto known = ThreadBuilder::knownInteger(device); !known)
    checkDevice(k, device);
  else if (*known < 0 || *known >= devices)
    return op->emitError(text("there is no device ", *known, " among the ", devices, " of the launch"));
  Ref there = ref;
  there.device = device;
  there.base = metadataWord(k, k.t.pointer(kGlobalSpace), device, kMetadataHeaderWords + devices * ref.argument);
  return there;
}

FailureOr<Ref> onAllDevices(KernelLowering &k, Operation *op, const Ref &ref) {
  if (failed(checkReach(k, op, ref)))
    return failure();
  int64_t devices = k.result.launch.devices;
  Ref there = ref;
  there.multicast = true;
  there.base =
      metadataWord(k, k.t.pointer(kGlobalSpace), Value(), kMetadataHeaderWords + devices * buffersOf(k) + ref.argument);
  return there;
}

Value descriptorOf(KernelLowering &k, const Ref &global, TensorMapSpec map) {
  map.peer.multicast = global.multicast;
  if (!global.device)
    return k.descriptorPointer(map);
  // There is one descriptor per peer. They are adjacent, because no other code uses one of them alone.
  Value first;
  for (uint32_t peer = 0; peer < k.result.launch.devices; ++peer) {
    map.peer.peers.assign(k.result.launch.devices, peer);
    Value descriptor = k.descriptorPointer(map);
    if (peer == 0)
      first = descriptor;
  }
  return k.t.address(first, k.t.multiply(k.t.resize(global.device, 64), KernelLowering::kDescriptorBytes), 0);
}

void addDevices(HandlerTable &table) {
  table["lanescope.device_id"] = deviceId;
  table["lanescope.collective_metadata"] = collectiveMetadata;
  table["lanescope.peer_ref"] = peerRef;
  table["lanescope.multicast_ref"] = multicastRef;
  table["lanescope.release_fence"] = releaseFence;
}

} // namespace lanescope::core
