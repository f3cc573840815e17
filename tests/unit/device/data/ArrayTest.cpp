#include "core/data/Array.h"
#include "core/data/Files.h"
#include "core/data/Npz.h"
#include "tests/unit/TemporaryFolder.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

namespace lanescope::core {
namespace {

std::filesystem::path golden(const char *name) {
  return std::filesystem::path(LANESCOPE_SOURCE_DIR) / "tests/golden/npy" / name;
}

TEST(Array, HoldsEveryDtype) {
  for (Dtype dtype : layouts::allDtypes()) {
    Array array = Array::zeros(dtype, {2, 3});
    ASSERT_EQ(array.bytes.size(), 6u * layouts::hostBytes(dtype)) << layouts::name(dtype);
    double value = dtype == Dtype::I1 ? 1 : 2;
    array.setNumber(4, value);
    EXPECT_EQ(array.number(4), value) << layouts::name(dtype);
    EXPECT_EQ(array.integer(4), value) << layouts::name(dtype);
    array.setInteger(5, 1);
    EXPECT_EQ(array.number(5), 1) << layouts::name(dtype);
    EXPECT_EQ(array.number(3), dtype == Dtype::F8E8M0FNU ? 0x1p-127 : 0) << layouts::name(dtype);
  }
}

TEST(Array, IntegersWrap) {
  Array bytes = Array::zeros(Dtype::I8, {1}), nibbles = Array::zeros(Dtype::I4, {1}),
        big = Array::zeros(Dtype::U64, {1});
  bytes.setInteger(0, 200);
  EXPECT_EQ(bytes.integer(0), -56);
  bytes.setNumber(0, -2.9);
  EXPECT_EQ(bytes.integer(0), -2);
  nibbles.setInteger(0, 9);
  EXPECT_EQ(nibbles.integer(0), -7);
  big.setNumber(0, 0x1p63);
  EXPECT_EQ(big.number(0), 0x1p63);
  bytes.setNumber(0, NAN); // any value, but not undefined behaviour
}

TEST(Array, LargeIntegersRoundOnce) {
  Array array = Array::zeros(Dtype::BF16, {1});
  array.setInteger(0, (int64_t{1} << 62) + (int64_t{1} << 54) + 1); // just above a tie, which binary64 would hide
  EXPECT_EQ(array.number(0), 0x1p62 + 0x1p55);
}

TEST(Array, ChecksSizes) {
  EXPECT_EQ(checkedArrayBytes(Dtype::F16, {4, 8}), 64u);
  EXPECT_EQ(checkedArrayBytes(Dtype::F16, {}), 2u);
  EXPECT_EQ(checkedArrayBytes(Dtype::F16, {1'000'000'000'000, 0}), std::nullopt);
  EXPECT_EQ(checkedArrayBytes(Dtype::F16, {1 << 20, 0}), 0u);
  EXPECT_EQ(checkedArrayBytes(Dtype::F16, {-1}), std::nullopt);
  EXPECT_EQ(checkedArrayBytes(Dtype::F64, {1 << 30, 1 << 30, 1 << 30}), std::nullopt);
}

TEST(Npy, RoundTripsEveryDtype) {
  for (Dtype dtype : layouts::allDtypes())
    for (const Shape &shape : {Shape{}, Shape{5}, Shape{2, 3, 4}, Shape{0, 7}}) {
      Array array = Array::zeros(dtype, shape);
      for (int64_t i = 0; i < array.size(); ++i)
        array.setInteger(i, i % 2);
      Bytes bytes = npyBytes(array);
      EXPECT_EQ((bytes.size() - array.bytes.size()) % 64, 0u);
      Result<Array> back = parseNpy(bytes, "x.npy");
      ASSERT_TRUE(back) << render(back.error());
      EXPECT_EQ(back->dtype, dtype);
      EXPECT_EQ(back->shape, shape);
      EXPECT_EQ(back->bytes, array.bytes);
      Result<Array> named = parseNpy(bytes, "x.npy", dtype);
      ASSERT_TRUE(named) << render(named.error());
      EXPECT_EQ(named->dtype, dtype);
    }
}

TEST(Npy, ReadsWhatNumpyAndMlDtypesWrite) {
  Result<Array> bf16 = loadNpy(golden("bf16.npy"));
  ASSERT_TRUE(bf16) << render(bf16.error());
  EXPECT_EQ(bf16->dtype, Dtype::BF16);
  EXPECT_EQ(bf16->shape, (Shape{2, 4}));
  EXPECT_EQ(bf16->number(0), -3);
  EXPECT_EQ(bf16->number(7), 4);

  Result<Array> f8 = loadNpy(golden("f8e4m3fn.npy"), Dtype::F8E4M3FN);
  ASSERT_TRUE(f8) << render(f8.error());
  EXPECT_EQ(f8->number(3), 448);
  Result<Array> unnamed = loadNpy(golden("f8e4m3fn.npy"));
  ASSERT_FALSE(unnamed);
  EXPECT_NE(unnamed.error()[0].message.find("f8e4m3fn"), std::string::npos);

  Result<Array> fortran = loadNpy(golden("fortran.npy"));
  ASSERT_TRUE(fortran) << render(fortran.error());
  for (int64_t i = 0; i < 24; ++i)
    EXPECT_EQ(fortran->integer(i), i);
}

TEST(Npy, RefusesWhatItCannotRead) {
  Array array = Array::zeros(Dtype::F32, {2, 2});
  Bytes good = npyBytes(array);
  // Every truncation and every changed byte of the header gives an error or an array, and no crash.
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(parseNpy(std::span(good).first(size), "x.npy")) << size;
  for (size_t i = 0; i < good.size() - array.bytes.size(); ++i)
    for (int value : {0, 1, 0x20, 0x27, 0x28, 0x2C, 0x7F, 0xFF}) {
      Bytes changed = good;
      changed[i] = static_cast<std::byte>(value);
      (void)parseNpy(changed, "x.npy");
    }
  auto withHeader = [](std::string header) {
    std::string all = std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header;
    return parseNpy(std::as_bytes(std::span(all.data(), all.size())), "x.npy");
  };
  for (const char *header :
       {"", "{", "{}", "[]", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': False, 'shape': (1}",
        "{'descr': '<c8', 'fortran_order': False, 'shape': (0,)}",
        "{'descr': '>f4', 'fortran_order': False, 'shape': (0,)}",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (0,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (0,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 99999999999)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (0,), 'more': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (0,)} rest"}) {
    Result<Array> result = withHeader(header);
    ASSERT_FALSE(result) << header;
    EXPECT_EQ(result.error()[0].kind, "npy");
  }
  EXPECT_TRUE(withHeader("{'shape': (0,), \"fortran_order\": True, 'descr': '<f4', }\n"));
}

TEST(Npy, SavesAndReportsFiles) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "array.npy";
  Array array = Array::zeros(Dtype::F16, {3});
  array.setNumber(1, 0.5);
  ASSERT_TRUE(saveNpy(path, array));
  Result<Array> back = loadNpy(path);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->number(1), 0.5);
  std::filesystem::remove(path);
  Result<Array> missing = loadNpy(path);
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error()[0].message.find("No such file"), std::string::npos);
  EXPECT_FALSE(saveNpy("no/such/folder/x.npy", array));
  EXPECT_FALSE(loadNpy(folder.path()));
}

TEST(Npz, ReadsStoredAndDeflatedMembers) {
  Result<std::vector<NamedArray>> two = loadNpz(golden("two.npz"));
  ASSERT_TRUE(two) << render(two.error());
  ASSERT_EQ(two->size(), 2u);
  EXPECT_EQ((*two)[0].name, "a");
  EXPECT_EQ((*two)[0].array.number(999), 999);
  EXPECT_EQ((*two)[1].name, "b");
  EXPECT_EQ((*two)[1].array.shape, Shape{});
  EXPECT_EQ((*two)[1].array.integer(0), 7);
  Result<std::vector<NamedArray>> stored = loadNpz(golden("stored.npz"));
  ASSERT_TRUE(stored) << render(stored.error());
  EXPECT_EQ((*stored)[0].array.number(4), 1);
  EXPECT_EQ((*stored)[1].array.dtype, Dtype::I1);
}

TEST(Npz, SurvivesDamage) {
  Result<Bytes> good = readFile(golden("two.npz"), FileRole::Archive);
  ASSERT_TRUE(good);
  auto whole = loadNpz(golden("two.npz"));
  ASSERT_TRUE(whole);
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "damaged.npz";
  for (size_t i = 0; i < good->size(); i += 7) {
    Bytes changed = *good;
    changed[i] ^= std::byte{0xFF};
    ASSERT_TRUE(writeFile(path, changed));
    // A changed byte is found, unless the archive's reader does not need it.
    if (auto arrays = loadNpz(path)) {
      ASSERT_EQ(arrays->size(), whole->size()) << i;
      for (size_t n = 0; n < whole->size(); ++n)
        EXPECT_EQ((*arrays)[n].array.bytes, (*whole)[n].array.bytes) << "byte " << i;
    }
    changed.resize(i);
    ASSERT_TRUE(writeFile(path, changed));
    EXPECT_FALSE(loadNpz(path));
  }
}

// One changed bit of a stored member's data is found by its checksum only.
TEST(Npz, ChecksumsAreCompared) {
  Result<Bytes> stored = readFile(golden("stored.npz"), FileRole::Archive);
  ASSERT_TRUE(stored);
  std::string_view text(reinterpret_cast<const char *>(stored->data()), stored->size());
  size_t member = text.find("\x93NUMPY"), data = text.find('\n', member) + 1;
  ASSERT_NE(member, text.npos);
  ASSERT_TRUE(parseNpz(*stored, "stored.npz"));
  (*stored)[data] ^= std::byte{1};
  auto damaged = parseNpz(*stored, "stored.npz");
  ASSERT_FALSE(damaged);
  EXPECT_EQ(damaged.error()[0].kind, "npz");
  EXPECT_NE(damaged.error()[0].message.find("CRC error"), std::string::npos) << damaged.error()[0].message;
}

} // namespace
} // namespace lanescope::core
