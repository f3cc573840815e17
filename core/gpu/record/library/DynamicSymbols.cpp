// dlsym() for the whole program: it replaces watched driver functions, whatever library they are looked up in. Other
// lookups go to the C library's dlsym(), called so that it sees our caller as its own, because RTLD_NEXT depends on the
// caller.
#include "core/gpu/record/library/Interposer.h"
#include "core/gpu/record/RealDriver.h"

#include <dlfcn.h>

#if defined(__clang__)
#define LANESCOPE_AS_CALLER [[clang::musttail]]
#else
#define LANESCOPE_AS_CALLER // GCC makes this tail call when it optimises
#endif

namespace {

using Lookup = void *(*)(void *, const char *);
using namespace lanescope::core::record;

} // namespace

extern "C" __attribute__((visibility("default"))) void *dlsym(void *handle, const char *name) noexcept {
  static const Lookup system = systemLookup();
  if (name[0] == 'c' && name[1] == 'u' && isWatched(name))
    return standInFor(name, system(handle, name));
  LANESCOPE_AS_CALLER return system(handle, name);
}
