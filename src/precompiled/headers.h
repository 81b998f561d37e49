// The system headers that most files include and compilers take long to read. Compiled once where
// meson is told -Db_pch=true, as .ci/run tells it for ASan (D-377). Without it, as in all other
// builds, nothing includes this: each file names what it needs.
#pragma once

#include <fmt/format.h>
#include <simdjson.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <coroutine>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <pqxx/pqxx>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <unordered_map>
#include <variant>
#include <vector>
