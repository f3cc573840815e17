// dlsym() for the whole program: watched functions of the driver are replaced, whatever library they are asked of. All
// else is the C library's own, called so that it sees our caller as its own: RTLD_NEXT counts from the caller.
#include "core/gpu/record/library/Interposer.h"
#include "core/gpu/record/RealDriver.h"

#include <dlfcn.h>

#if defined(__clang__)
#define LANESCOPE_AS_CALLER [[clang::musttail]]
#else
#define LANESCOPE_AS_CALLER // GCC does so when it optimises
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
