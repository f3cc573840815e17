// What nearly every file here would parse again. Add what all of them include and what seldom changes.
#pragma once

#include "layouts/support/Precompiled.h"

#include "layouts/support/Text.h"
#include "layouts/support/Try.h"
#include "repl/lang/values/Builtin.h"
