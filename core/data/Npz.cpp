// NumPy's .npz: a zip archive of .npy members, read by libzip, which compares each member with its checksum. This code
// has its own file, so that programs that read no archives need no libzip.
#include "core/data/Npz.h"

#include "core/data/Files.h"
#include "core/data/Scratch.h"
#include "layouts/support/Text.h"
#include "layouts/support/Try.h"

#include <algorithm>
#include <memory>
#include <zip.h>

namespace lanescope::core {

namespace {

/// Deflate expands a byte to at most 1032 bytes. A member that claims more has a false size, which must not be
/// allocated.
constexpr uint64_t kMostInflation = 1040;

using Archive = std::unique_ptr<zip_t, decltype([](zip_t *archive) { zip_discard(archive); })>;
using Stream = std::unique_ptr<zip_file_t, decltype([](zip_file_t *file) { zip_fclose(file); })>;

std::unexpected<Diagnostics> badNpz(const std::string &name, const std::string &what) {
  return error("npz", Message("`{name}` is not a usable .npz file: {}", name, what));
}

std::string reason(zip_error_t &problem) {
  std::string words = zip_error_strerror(&problem);
  zip_error_fini(&problem);
  return words;
}

Result<Archive> openArchive(std::span<const std::byte> bytes, const std::string &name) {
  constexpr size_t kLeastBytes = 22; // an archive without members; libzip also accepts an empty file as one
  if (bytes.size() < kLeastBytes)
    return badNpz(name, "it is too short for a zip file");
  zip_error_t problem;
  zip_error_init(&problem);
  zip_source_t *source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &problem);
  zip_t *archive = source ? zip_open_from_source(source, ZIP_RDONLY, &problem) : nullptr;
  if (archive)
    return Archive(archive);
  if (source)
    zip_source_free(source);
  return badNpz(name, reason(problem));
}

/// The member's bytes, after their checksum was verified.
Result<Bytes> contentOf(zip_t *archive, const zip_stat_t &member, const std::string &name) {
  auto damaged = [&](const char *why) {
    return badNpz(name, text("its member `", member.name, "` is damaged: ", why));
  };
  Stream stream(zip_fopen_index(archive, member.index, 0));
  if (!stream)
    return damaged(zip_strerror(archive));
  LANESCOPE_CHECK(reserveBytes(member.size, text("`", name, "`")));
  Bytes bytes(member.size);
  for (uint64_t done = 0; done < member.size;) {
    zip_int64_t got = zip_fread(stream.get(), bytes.data() + done, member.size - done);
    if (got < 0)
      return damaged(zip_file_strerror(stream.get()));
    if (got == 0)
      return damaged("it is cut short");
    done += static_cast<uint64_t>(got);
  }
  std::byte more; // libzip compares the checksum at the end of the data, which only a further read reaches
  zip_int64_t after = zip_fread(stream.get(), &more, 1);
  if (after < 0)
    return damaged(zip_file_strerror(stream.get()));
  if (after > 0)
    return damaged("it is longer than the archive says");
  return bytes;
}

/// The archive's entry for a member. Error: the stated sizes are impossible.
Result<zip_stat_t> statedOf(zip_t *archive, uint64_t index, const std::string &name) {
  zip_stat_t member;
  if (zip_stat_index(archive, index, ZIP_FL_ENC_RAW, &member) != 0)
    return badNpz(name, zip_strerror(archive));
  constexpr zip_uint64_t kNeeded = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD |
                                   ZIP_STAT_ENCRYPTION_METHOD | ZIP_STAT_CRC;
  if ((member.valid & kNeeded) != kNeeded)
    return badNpz(name, "its directory is damaged");
  if (member.encryption_method != ZIP_EM_NONE ||
      (member.comp_method != ZIP_CM_STORE && member.comp_method != ZIP_CM_DEFLATE))
    return badNpz(name, text("its member `", member.name, "` is neither stored nor deflated"));
  if (member.size > kMaxArrayBytes || member.size / kMostInflation > member.comp_size + 1)
    return badNpz(name, text("the size of its member `", member.name, "` does not fit its data"));
  return member;
}

} // namespace

Result<std::vector<NamedArray>> parseNpz(std::span<const std::byte> bytes, const std::string &name) {
  Archive archive = LANESCOPE_TRY(openArchive(bytes, name));
  std::vector<NamedArray> arrays;
  uint64_t packed = 0, unpacked = 0;
  for (uint64_t i = 0, count = static_cast<uint64_t>(std::max<zip_int64_t>(zip_get_num_entries(archive.get(), 0), 0));
       i < count; ++i) {
    zip_stat_t member = LANESCOPE_TRY(statedOf(archive.get(), i, name));
    // Members that share their data could expand a small file without limit.
    packed += member.comp_size;
    if (member.comp_size > bytes.size() || packed > bytes.size())
      return badNpz(name, "its members overlap");
    unpacked += member.size;
    if (unpacked > limitOf(FileRole::Archive).bytes())
      return badNpz(name, text("its arrays are more than the ", limitOf(FileRole::Archive).mebibytes,
                               " MiB that are read of one"));
    Bytes content = LANESCOPE_TRY(contentOf(archive.get(), member, name));
    std::string called = member.name;
    Array array = LANESCOPE_TRY(parseNpy(content, text(name, ":", called)));
    if (called.ends_with(".npy"))
      called.resize(called.size() - 4);
    arrays.push_back({std::move(called), std::move(array)});
  }
  return arrays;
}

Result<std::vector<NamedArray>> loadNpz(const std::filesystem::path &path) {
  Bytes bytes = LANESCOPE_TRY(readFile(path, FileRole::Archive));
  return parseNpz(bytes, path.string());
}

} // namespace lanescope::core
