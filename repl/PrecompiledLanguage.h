// The headers that nearly every file here includes, precompiled. Add only headers that all files include and that
// seldom change.
#pragma once

#include "layouts/support/Precompiled.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/values/Builtin.h"
