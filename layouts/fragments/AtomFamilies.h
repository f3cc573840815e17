// One reader for each family of instructions; parseAtom() calls them. Private to fragments/.
#pragma once

#include "layouts/fragments/Atom.h"
#include "layouts/fragments/Mnemonic.h"

namespace lanescope::layouts::families {

/// parseAtom() has taken the family's first words from the name. Each reader reads the rest and records its errors in
/// the mnemonic. It may return a half-made atom after an error, so parseAtom() checks for errors.
Atom readMma(Mnemonic &in);
Atom readWgmma(Mnemonic &in);
Atom readTmemTransfer(Mnemonic &in, bool load);
Atom readTmemMma(Mnemonic &in);
Atom readMatrixTransfer(Mnemonic &in, bool load);

/// The matrix type in a part of the name, for a query of the table.
MatrixTypeName typeNamed(std::string_view part);
/// 4 for "4X"; 0 for an empty text, -1 for words that are not a count.
int scaleCount(std::string_view vectorSize);
/// The row of the table that a name selects; null after an error at the part that does not fit. The query's types and
/// `vectorSize` are parts of the name.
const MatrixInstruction *rowOf(Mnemonic &in, const MatrixQuery &query, std::string_view vectorSize = {});
void checkSaturation(Mnemonic &in, const MatrixInstruction &row, bool saturating, std::string_view a);

/// The words, besides sizes and types, that such names may contain; used for suggestions.
constexpr std::string_view kMmaWords =
    "sync aligned row col sp satfinite xor and popc block_scale sp::ordered_metadata kind::f8f6f4 kind::mxf8f6f4 "
    "kind::mxf4 kind::mxf4nvf4 scale_vec::1X scale_vec::2X scale_vec::4X selector::0 byte_id_a::0 thread_id_a::0 "
    "byte_id_b::0 thread_id_b::0";
constexpr std::string_view kWgmmaWords = "mma_async sync aligned sp satfinite and popc selector::0";
constexpr std::string_view kTmemTransferWords =
    "sync aligned 32x32b 16x64b 16x128b 16x256b 16x32bx2 x1 x2 x4 x8 x16 x32 x64 x128 pack::16b unpack::16b b32";
constexpr std::string_view kTmemMmaWords =
    "sp ws cta_group::1 cta_group::2 kind::f16 kind::tf32 kind::f8f6f4 kind::i8 kind::mxf8f6f4 kind::mxf4 "
    "kind::mxf4nvf4 block_scale block16 block32 scale_vec::1X scale_vec::2X scale_vec::4X byte_id_a::0 byte_id_b::0";
constexpr std::string_view kMatrixTransferWords =
    "sync aligned m8n8 m8n16 m16n16 m16n8 x1 x2 x4 trans shared shared::cta b16 b8 b8x16 b6x16_p32 b4x16_p64";

/// The names of one instruction of each family, for atoms().
std::vector<std::string> mmaNames();
std::vector<std::string> wgmmaNames();
std::vector<std::string> tmemNames();
std::vector<std::string> matrixNames();

} // namespace lanescope::layouts::families
