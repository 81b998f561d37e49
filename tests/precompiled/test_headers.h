// As src/precompiled/headers.h, for the unit tests.
#pragma once

#include <doctest/doctest.h>

#include "../../src/precompiled/headers.h"
