// The flags of those commands that read backends' secrets: what may be named, and where it may go.
#pragma once

#include "cli/syntax.h"
#include "worker/secrets.h"

namespace sluice {

// `bounds` outlives the parsing; a flag that is given replaces its default.
void add_secret_flags(CommandSyntax syntax, SecretBounds& bounds);

}  // namespace sluice
