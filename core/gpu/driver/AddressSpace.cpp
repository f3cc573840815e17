#include "core/gpu/driver/AddressSpace.h"

#include "layouts/support/Text.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace lanescope::core::driver {

namespace {

// A process has addresses below 2^47, with its libraries and stacks at the upper end.
constexpr uint32_t kHostRegions = 224;
constexpr uint32_t kFirstDevice = 256; // regions from 2^47 on
constexpr size_t kQuarantine = 64;     // freed regions to keep, so that a use after free is found
constexpr uint64_t kProcessEnd = uint64_t{1} << 47;

uint32_t regionAt(uint64_t address) {
  return static_cast<uint32_t>((address - emulator::kGlobalBase) >> emulator::kRegionShift);
}

size_t pagesOf(size_t bytes) {
  auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

void *allocateHost(void *at, size_t bytes) {
  int fixed = at ? MAP_FIXED_NOREPLACE : 0;
  void *got =
      ::mmap(at, pagesOf(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
  if (got == MAP_FAILED)
    return nullptr;
  if (at && got != at) { // the kernel of an older Linux ignores the flag that refuses an address in use
    ::munmap(got, pagesOf(bytes));
    return nullptr;
  }
  return got;
}

} // namespace

AddressSpace::~AddressSpace() {
  for (const auto &[region, allocation] : regions_)
    release(allocation);
}

void AddressSpace::release(const Allocation &allocation) {
  if (allocation.kind != Allocation::Kind::Registered)
    ::munmap(allocation.host, pagesOf(std::max(allocation.bytes, allocation.reserved)));
}

uint32_t AddressSpace::takeRegion(bool hostVisible) {
  if (hostVisible) {
    for (uint32_t tried = 0; tried < kHostRegions; ++tried) {
      uint32_t region = nextHost_++ % kHostRegions;
      if (!regions_.contains(region))
        return region;
    }
    return kHostRegions;
  }
  if (freed_.size() > kQuarantine) {
    uint32_t region = freed_.front();
    freed_.pop_front();
    gone_.erase(region);
    return region;
  }
  return kFirstDevice + nextDevice_++;
}

Allocation *AddressSpace::allocate(Allocation::Kind kind, size_t bytes, int device, std::string name) {
  Allocation one{.kind = kind, .bytes = bytes, .device = device, .id = nextId_++, .name = std::move(name)};
  if (bytes > (size_t{1} << emulator::kRegionShift) / 2)
    return nullptr;
  bool visible = one.hostVisible();
  for (uint32_t tried = 0; tried < (visible ? kHostRegions : 1) && !one.host; ++tried) {
    one.region = takeRegion(visible);
    if (visible && one.region == kHostRegions)
      return nullptr;
    one.address = emulator::addressOfRegion(one.region);
    one.host = static_cast<std::byte *>(allocateHost(visible ? reinterpret_cast<void *>(one.address) : nullptr, bytes));
  }
  if (!one.host)
    return nullptr;
  if (one.name.empty())
    one.name = text(kind == Allocation::Kind::Pinned    ? "pinned "
                    : kind == Allocation::Kind::Managed ? "managed "
                                                        : "",
                    "allocation ", ++named_);
  if (visible)
    onHost_[one.address] = one.region;
  if (kind == Allocation::Kind::Device || kind == Allocation::Kind::Managed)
    used_ += bytes;
  return &(regions_[one.region] = std::move(one));
}

Allocation *AddressSpace::enlist(void *host, size_t bytes) {
  auto begin = reinterpret_cast<uint64_t>(host);
  auto next = onHost_.lower_bound(begin);
  if ((next != onHost_.end() && next->first < begin + bytes) || findOnHost(host))
    return nullptr;
  Allocation one{.kind = Allocation::Kind::Registered, .bytes = bytes, .id = nextId_++};
  one.region = takeRegion(false);
  one.address = emulator::addressOfRegion(one.region);
  one.host = static_cast<std::byte *>(host);
  one.name = text("registered memory ", ++named_);
  onHost_[begin] = one.region;
  return &(regions_[one.region] = std::move(one));
}

Allocation *AddressSpace::reserve(size_t bytes) {
  if (bytes > (size_t{1} << emulator::kRegionShift) / 2)
    return nullptr;
  // Reading a gap between mappings gives zeros.
  void *host =
      ::mmap(nullptr, pagesOf(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (host == MAP_FAILED)
    return nullptr;
  Allocation one{.kind = Allocation::Kind::Device, .reserved = bytes, .id = nextId_++};
  one.region = takeRegion(false);
  one.address = emulator::addressOfRegion(one.region);
  one.host = static_cast<std::byte *>(host);
  one.name = text("reserved addresses ", ++named_);
  return &(regions_[one.region] = std::move(one));
}

Allocation *AddressSpace::reserved(uint64_t address) {
  if (address < emulator::kGlobalBase)
    return nullptr;
  auto found = regions_.find(regionAt(address));
  return found != regions_.end() && address - found->second.address < found->second.reserved ? &found->second : nullptr;
}

bool AddressSpace::map(Allocation &reserved, uint64_t address, size_t bytes, int file) {
  size_t at = address - reserved.address;
  if (::mmap(reserved.host + at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) == MAP_FAILED)
    return false;
  reserved.bytes = std::max(reserved.bytes, at + bytes);
  return true;
}

void AddressSpace::unmap(Allocation &reserved, uint64_t address, size_t bytes) {
  // Replaces pages that are mapped, so it needs no new address space and does not fail.
  (void)::mmap(reserved.host + (address - reserved.address), bytes, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

bool AddressSpace::free(uint64_t address) {
  Allocation *one = find(address);
  if (!one || one->address != address)
    return false;
  if (!one->reserved && (one->kind == Allocation::Kind::Device || one->kind == Allocation::Kind::Managed))
    used_ -= one->bytes;
  if (one->hostVisible())
    onHost_.erase(reinterpret_cast<uint64_t>(one->host));
  if (one->region >= kFirstDevice) {
    freed_.push_back(one->region);
    gone_[one->region] = one->name + " (freed)";
  }
  release(*one);
  regions_.erase(one->region);
  return true;
}

Allocation *AddressSpace::find(uint64_t address) {
  if (address < emulator::kGlobalBase)
    return nullptr;
  auto found = regions_.find(regionAt(address));
  return found != regions_.end() && address - found->second.address <= found->second.bytes ? &found->second : nullptr;
}

Allocation *AddressSpace::findOnHost(const void *place) {
  auto address = reinterpret_cast<uint64_t>(place);
  auto next = onHost_.upper_bound(address);
  if (next == onHost_.begin())
    return nullptr;
  auto [begin, region] = *std::prev(next);
  Allocation &one = regions_.at(region);
  return address - begin < one.bytes ? &one : nullptr;
}

std::byte *AddressSpace::resolve(uint64_t address, size_t bytes) {
  if (Allocation *one = find(address)) {
    uint64_t offset = address - one->address;
    return bytes <= one->bytes - offset ? one->host + offset : nullptr;
  }
  return address < kProcessEnd ? reinterpret_cast<std::byte *>(address) : nullptr;
}

std::vector<emulator::StandingPiece> AddressSpace::pieces() const {
  std::vector<emulator::StandingPiece> out;
  out.reserve(regions_.size());
  for (const auto &[region, one] : regions_)
    out.push_back({region, {one.host, one.bytes}, one.name});
  for (const auto &[region, name] : gone_)
    out.push_back({region, {}, name});
  std::ranges::sort(out, {}, &emulator::StandingPiece::region);
  return out;
}

} // namespace lanescope::core::driver
