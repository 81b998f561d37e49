// The whole of a request's body, as it would be sent, whatever of it has been given out.
#pragma once

#include <string>
#include <string_view>

#include "runtime/http_body.h"

namespace sluice {

inline std::string text_of(HttpBody body) {
  std::string text;
  body.rewind();
  for (std::string_view rest = body.rest(); !rest.empty(); rest = body.rest()) {
    text += rest;
    body.skip(rest.size());
  }
  return text;
}

}  // namespace sluice
