// From the keys of one Triton attribute to its encoding, older spellings included. Private to notation/.
#pragma once

#include "layouts/notation/triton/TritonValue.h"

namespace lanescope::layouts {

/// How the parameters of an attribute stand between its angle brackets.
enum class TritonForm { Dictionary, Parameters, LinearThenAlignment, IntervalsThenDictionary };

struct TritonAttribute {
  std::string_view name; // today's: "blocked", "nvidia_mma", …
  TritonForm form;
  std::string_view dialect; // today's: "ttg" or "ttng"
};

/// The attribute with a name of today's or an older one ("mma", "shared", "mfma", "wmma"); null when there is none.
const TritonAttribute *findTritonAttribute(std::string_view name);
/// All names, for messages.
std::string tritonAttributeNames();

/// `written`: the name in the text; `intervals`: of a padded layout.
Result<TritonEncoding> buildTriton(const TritonAttribute &attribute, std::string_view written, TritonFields &fields,
                                   std::vector<std::pair<int64_t, int64_t>> intervals);

} // namespace lanescope::layouts
