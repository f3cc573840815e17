// Keeps a decoded kernel for further runs. A check runs one kernel under many schedules, and decoding it each time
// would take longer than most of these runs.
//
//   DecodedKernels decoded;
//   EmulatorOptions options{.decoded = &decoded};
//   emulate(ptx, launch, arrays, options);        // decodes
//   emulate(ptx, launch, otherArrays, options);   // does not
//
// Only the kernel that was requested last is kept. Several threads may use this.
#pragma once

#include "core/gpu/emulator/decode/Decoder.h"
#include "core/gpu/emulator/machine/StandingMemory.h"
#include "core/gpu/kernel/Launch.h"
#include "layouts/support/Source.h"

#include <memory>
#include <mutex>
#include <vector>

namespace lanescope::core::emulator {

struct DecodedKernel {
  SourceRef ptx, snippet; // the snippet may be null
  std::string entry;
  uint32_t dynamicSmem = 0;
  PlacedVariables variables; // places of the variables in standing memory
  std::vector<FixedAddress> addresses;
  Program program;
  std::vector<Decoder::NamedRegister> registers; // in any order

  /// `standing` gives the places of the module's variables. If it is null, they take the first regions. Errors are
  /// those of emulate(), placed at the snippet's lines where these are known.
  static Result<std::shared_ptr<const DecodedKernel>>
  of(const SourceRef &ptx, const Launch &launch, const SourceRef &snippet, const StandingMemory *standing = nullptr);
};

class DecodedKernels {
public:
  Result<std::shared_ptr<const DecodedKernel>> get(const SourceRef &ptx, const Launch &launch, const SourceRef &snippet,
                                                   const StandingMemory *standing = nullptr);

private:
  std::mutex mutex_;
  std::shared_ptr<const DecodedKernel> last_;
};

} // namespace lanescope::core::emulator
