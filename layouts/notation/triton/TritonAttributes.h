// Builds an encoding from the keys of one Triton attribute, older spellings included. Private to notation/.
#pragma once

#include "layouts/notation/triton/TritonValue.h"

namespace lanescope::layouts {

/// The way an attribute writes its parameters between its angle brackets.
enum class TritonForm { Dictionary, Parameters, LinearThenAlignment, IntervalsThenDictionary };

struct TritonAttribute {
  std::string_view name; // its present name: "blocked", "nvidia_mma", …
  TritonForm form;
  std::string_view dialect; // its present dialect: "ttg" or "ttng"
};

/// The attribute with a present or an older name ("mma", "shared", "mfma", "wmma"); null if there is none.
const TritonAttribute *findTritonAttribute(std::string_view name);
/// All names, for messages.
std::string tritonAttributeNames();

/// `written`: the name in the text; `intervals`: the intervals of a padded layout.
Result<TritonEncoding> buildTriton(const TritonAttribute &attribute, std::string_view written, TritonFields &fields,
                                   std::vector<std::pair<int64_t, int64_t>> intervals);

} // namespace lanescope::layouts
