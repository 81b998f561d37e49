#include "runtime/request_problem.h"

#include <algorithm>

#include "hex.h"

namespace sluice {
namespace {

// More is no client that we know of.
constexpr size_t headers_max = 100;
constexpr ptrdiff_t arguments_max = 100;

bool is_token(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), is_token_char);
}

// A tab is the one control character that a value may hold.
bool is_field_value(std::string_view value) {
  return std::none_of(value.begin(), value.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7f;
  });
}

bool is_longer_than(std::string_view name, std::string_view beginning) {
  return name.size() > beginning.size() && name.starts_with(beginning);
}

bool has_body(std::string_view method) {
  return method == "POST" || method == "PUT" || method == "PATCH";
}

}  // namespace

std::optional<RequestProblem> request_problem(std::string_view method, std::string_view version,
                                              const HttpFields& headers) {
  const auto bad = [](std::string_view message) { return RequestProblem{400, message}; };
  if (headers.size() > headers_max) return bad("more than 100 headers");
  int hosts = 0;
  int lengths = 0;
  int encodings = 0;
  int credentials = 0;
  int keys = 0;
  for (const auto& [name, value] : headers) {
    if (!is_token(name)) return bad("a header's name is no token");
    if (!is_field_value(value)) return bad("a control character in a header");
    if (is_longer_than(name, "content-length") || is_longer_than(name, "transfer-encoding")) {
      return bad("a header that begins like Content-Length or Transfer-Encoding");
    }
    if (name == "host") ++hosts;
    if (name == "authorization") ++credentials;
    if (name == "x-api-key") ++keys;
    if (name == "content-length" && (++lengths > 1 || !is_number(value))) {
      return bad("Content-Length must be one number");
    }
    if (name == "transfer-encoding" && (++encodings > 1 || !is_in_any_case(value, "chunked"))) {
      return bad("the only Transfer-Encoding that is understood is chunked");
    }
  }
  if (lengths > 0 && encodings > 0) return bad("both Content-Length and Transfer-Encoding");
  if (encodings > 0 && version != "HTTP/1.1") return bad("Transfer-Encoding needs HTTP/1.1");
  if (hosts > 1) return bad("more than one Host");
  if (credentials > 1) return bad("more than one Authorization");
  if (keys > 1) return bad("more than one x-api-key");
  if (hosts == 0 && version == "HTTP/1.1") return bad("HTTP/1.1 needs a Host");
  if (lengths + encodings == 0 && has_body(method)) {
    return RequestProblem{411, "Content-Length is missing: without a body it is 0 (curl: -d '')"};
  }
  return std::nullopt;
}

std::optional<RequestProblem> target_problem(std::string_view target, size_t bytes_max) {
  if (target.size() > bytes_max) return RequestProblem{414, "the path and its query are too long"};
  const size_t query = target.find('?');
  if (query == std::string_view::npos) return std::nullopt;
  const auto separators =
      std::count(target.begin() + static_cast<ptrdiff_t>(query), target.end(), '&');
  if (separators < arguments_max) return std::nullopt;
  return RequestProblem{400, "more than 100 arguments in the query"};
}

std::optional<std::string> percent_decode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0 || (high == 0 && low == 0)) return std::nullopt;
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return decoded;
}

}  // namespace sluice
