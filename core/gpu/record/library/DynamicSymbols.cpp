// dlsym() for the whole program: a lookup of a watched driver function, or of one of a compiler, finds our function.
// Other lookups go to the C library's dlsym(). RTLD_NEXT depends on the caller, so this call must look as if our caller
// had made it.
#include "core/gpu/record/library/Compilers.h"
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
  if ((name[0] == 'n' && name[1] == 'v') || (name[0] == '_' && name[1] == '_' && name[2] == 'n' && name[3] == 'v'))
    return compilerFunction(handle, name, system(handle, name));
  LANESCOPE_AS_CALLER return system(handle, name);
}
