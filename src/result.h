// Errors as values: what went wrong and what to do next. Nothing throws across the event loop; only
// blocking commands (migrate, submit, status) may throw, and main() turns that into an exit code.
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace sluice {

// One failure, sorted by what the caller can do about it.
struct Error {
  enum class Action {
    retry_later,  // the same request may succeed in a moment (lock time-out, deadlock, throttled)
    reconnect,    // the connection is gone; whether the statement committed is unknown
    refuse,       // the request itself is wrong; repeating it cannot help
    bug,          // cannot happen; log it loudly
  };
  Action action = Action::bug;
  std::string code;        // SQLSTATE where there is one, else empty
  std::string message;     // for people; never holds a prompt, an answer or a secret
  std::string hint = {};   // of our own errors: the way out
  std::string param = {};  // the argument or column that is at fault, where it is one's
};

template <class T>
using Result = tl::expected<T, Error>;

}  // namespace sluice
