// Redaction removes a model's secret from its backend's texts: an echo of our headers must not
// reach tables and logs. It recognises the secret as it is and as JSON may escape it.
#pragma once

#include <string>
#include <string_view>

#include "backends/outcome.h"

namespace sluice {

class Redaction final {
 public:
  // Shorter secrets stay: they are placeholders that local servers want ("ollama", "EMPTY"), and
  // words of good answers, which would be destroyed.
  static constexpr size_t secret_bytes_min = 8;

  Redaction() = default;  // no secret: everything stays
  explicit Redaction(std::string secret);

  // Also where characters of it are escaped (\u0073, \/), and escaped once more, as in JSON inside
  // a text of JSON. Valid JSON stays valid. Whether there was any.
  bool apply(std::string& text) const;
  // The texts of an outcome. An answer is put together from pieces of the response that held no
  // secret each: where it holds one, nothing is left of the response.
  void apply(Outcome& outcome) const;

 private:
  bool redact_plain(std::string& text) const;
  bool redact_escaped(std::string& text) const;
  size_t end_of(std::string_view text, size_t at, size_t i) const;

  std::string secret_;  // empty: none
};

}  // namespace sluice
