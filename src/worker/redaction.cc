#include "worker/redaction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace sluice {

namespace {

constexpr std::string_view redacted = "[secret]";

struct Spelled {
  char c;
  size_t end;
};

// The ASCII character that an escape spells whose backslashes, any number of them, begin at `at`.
std::optional<Spelled> escaped_at(std::string_view text, size_t at) {
  constexpr size_t digits = 4;
  const size_t kind = text.find_first_not_of('\\', at);
  if (kind == at || kind == std::string_view::npos) return std::nullopt;
  if (text[kind] == '/' || text[kind] == '"') return Spelled{text[kind], kind + 1};
  if (text[kind] != 'u' || text.size() - kind <= digits) return std::nullopt;
  unsigned code = 0;
  const char* const first = text.data() + kind + 1;
  const auto [end, error] = std::from_chars(first, first + digits, code, 16);
  if (error != std::errc() || end != first + digits || code > 0x7F) return std::nullopt;
  return Spelled{static_cast<char>(code), kind + 1 + digits};
}

// Where the backslashes end that begin at `at` and spell some: each level of escapes doubles them.
// The last of several escapes what follows, unless that is `next` as it is.
size_t end_of_backslashes(std::string_view text, size_t at, std::string_view next) {
  const size_t end = std::min(text.find_first_not_of('\\', at), text.size());
  const bool escapes = !next.empty() ? text.substr(end, 1) != next : (end - at) % 2 == 1;
  return end - at > 1 && escapes ? end - 1 : end;
}

// Where each character stands in a secret, in order. To look through the secret at each escape took
// 1 us, and the worker's loop seconds for an answer of escapes alone.
class Places {
 public:
  explicit Places(std::string_view secret) : places_(secret.size()) {
    for (const char c : secret) ++ends_[index_of(c)];
    std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
    begins_ = ends_;
    for (size_t i = secret.size(); i-- > 0;) places_[--begins_[index_of(secret[i])]] = i;
  }
  std::span<const size_t> of(char c) const {
    const size_t at = index_of(c);
    return std::span(places_).subspan(begins_[at], ends_[at] - begins_[at]);
  }

 private:
  static size_t index_of(char c) { return static_cast<unsigned char>(c); }

  std::vector<size_t> places_;
  std::array<size_t, 256> begins_{}, ends_{};
};

// `text` without what was cut out of it, piece by piece: linear however many there are.
class Cutter {
 public:
  explicit Cutter(std::string& text) : text_(text) {}
  void cut(size_t begin, size_t end) {
    kept_.append(text_, copied_, begin - copied_).append(redacted);
    copied_ = end;
  }
  size_t copied() const { return copied_; }
  // Whether anything was cut out.
  bool finish() {
    if (copied_ == 0) return false;
    kept_.append(text_, copied_);
    text_ = std::move(kept_);
    return true;
  }

 private:
  std::string& text_;
  std::string kept_;
  size_t copied_ = 0;
};

}  // namespace

Redaction::Redaction(std::string secret) {
  if (secret.size() >= secret_bytes_min) secret_ = std::move(secret);
}

bool Redaction::apply(std::string& text) const {
  if (secret_.empty()) return false;
  const bool was_escaped = redact_escaped(text);  // first: it takes all backslashes of a last one
  return redact_plain(text) || was_escaped;
}

void Redaction::apply(Outcome& outcome) const {
  std::visit(
      [this](auto& told) {
        if constexpr (requires { told.error; }) apply(told.error);
        if constexpr (requires { told.answer; }) {
          if (told.answer && apply(*told.answer)) told.response = fmt::format(R"("{}")", redacted);
        }
      },
      outcome);
}

bool Redaction::redact_plain(std::string& text) const {
  Cutter cutter(text);
  for (size_t at = text.find(secret_); at != std::string::npos;
       at = text.find(secret_, cutter.copied())) {
    cutter.cut(at, at + secret_.size());
  }
  return cutter.finish();
}

// Looks at escapes alone, of which an answer may be full: what stands before one may be the
// secret's beginning.
bool Redaction::redact_escaped(std::string& text) const {
  size_t at = text.find('\\');
  if (at == std::string::npos) return false;
  const Places places(secret_);
  Cutter cutter(text);
  while (at != std::string::npos) {
    const std::optional<Spelled> spelled = escaped_at(text, at);
    size_t next = spelled ? spelled->end : text.find_first_not_of('\\', at);
    const auto cut_from = [&](size_t i) {
      if (at - cutter.copied() < i) return false;
      if (i > 0 && text[at - 1] != secret_[i - 1]) return false;  // mostly: compare takes 20 ns
      if (text.compare(at - i, i, secret_, 0, i) != 0) return false;
      const size_t end = end_of(text, at, i);
      if (end == std::string::npos) return false;
      cutter.cut(at - i, end);
      next = end;
      return true;
    };
    if (!spelled || !std::ranges::any_of(places.of(spelled->c), cut_from)) {
      std::ranges::any_of(places.of('\\'), cut_from);
    }
    at = text.find('\\', next);
  }
  return cutter.finish();
}

// The end of the secret in `text` whose character `i` is spelled at `at`.
size_t Redaction::end_of(std::string_view text, size_t at, size_t i) const {
  for (; i < secret_.size(); ++i) {
    const std::optional<Spelled> spelled = escaped_at(text, at);
    if (spelled && spelled->c == secret_[i]) {
      at = spelled->end;
    } else if (at >= text.size() || text[at] != secret_[i]) {
      return std::string::npos;
    } else if (secret_[i] != '\\') {
      ++at;
    } else {
      i = std::min(secret_.find_first_not_of('\\', i), secret_.size()) - 1;
      at = end_of_backslashes(text, at, secret_.substr(i + 1, 1));
    }
  }
  return at;
}

}  // namespace sluice
