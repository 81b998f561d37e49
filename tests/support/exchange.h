// One recorded exchange with a backend, for tables of them: what is asked, what comes back, and
// what the worker would make of it.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "backends/backend.h"
#include "backends/stream.h"

namespace sluice {

inline Model model_at(std::string url, std::string upstream_name = "m") {
  Model model;
  model.url = std::move(url);
  model.upstream_name = std::move(upstream_name);
  return model;
}

inline Question prompt_of(std::string prompt) {
  Question question;
  question.prompt = std::move(prompt);
  return question;
}

inline HttpResponse response_of(int status, std::string body, HttpFields headers = HttpFields()) {
  HttpResponse response;
  response.status = status;
  response.body = std::move(body);
  response.headers = std::move(headers);
  return response;
}

inline Outcome answer_of(const Backend& backend, std::string body) {
  return outcome_of(backend, response_of(200, std::move(body)));
}

// The answer that a stream of these bytes adds up to; bytes come `piece` at a time.
inline std::optional<std::string> streamed(const Backend& backend, std::string_view bytes,
                                           size_t piece = 1) {
  StreamedBody body(backend.assembly(), 1 << 20, [](const HttpFields&) {});
  for (size_t at = 0; at < bytes.size(); at += piece) {
    if (!body.take(bytes.substr(at, piece))) return "too large";
  }
  return body.body();
}

}  // namespace sluice
