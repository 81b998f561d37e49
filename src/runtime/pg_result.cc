#include "runtime/pg_result.h"

#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>

namespace sluice {

void PgResult::Clear::operator()(pg_result* result) const {
  PQclear(result);
}

PgResult::PgResult(pg_result* result) : result_(result) {}

int PgResult::rows() const {
  return PQntuples(result_.get());
}

int PgResult::columns() const {
  return PQnfields(result_.get());
}

bool PgResult::is_null(int row, int column) const {
  assert(row >= 0 && row < rows() && column >= 0 && column < columns());
  return PQgetisnull(result_.get(), row, column) != 0;
}

std::string_view PgResult::text(int row, int column) const {
  assert(row >= 0 && row < rows() && column >= 0 && column < columns());
  return {PQgetvalue(result_.get(), row, column),
          static_cast<size_t>(PQgetlength(result_.get(), row, column))};
}

int64_t PgResult::int64(int row, int column) const {
  const std::string_view digits = text(row, column);
  int64_t value = 0;
  [[maybe_unused]] const auto parsed =
      std::from_chars(digits.data(), digits.data() + digits.size(), value);
  assert(parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size());
  return value;
}

bool PgResult::boolean(int row, int column) const {
  const std::string_view letter = text(row, column);
  assert(letter == "t" || letter == "f");
  return letter == "t";
}

Error::Action classify_sqlstate(std::string_view sqlstate) {
  struct Rule {
    std::string_view prefix;
    Error::Action action;
  };
  using enum Error::Action;
  static constexpr std::array rules{
      Rule{"40001", retry_later},  // serialization failure
      Rule{"40P01", retry_later},  // deadlock
      Rule{"55P03", retry_later},  // lock not available
      Rule{"57014", retry_later},  // statement time-out or cancel
      Rule{"25006", retry_later},  // read-only: a standby, or its disk is full
      Rule{"53", retry_later},     // out of connections, memory, disk
      Rule{"57P01", reconnect},    // administrator shut it down
      Rule{"57P02", reconnect},    // crash of another backend
      Rule{"57P03", reconnect},    // starting up or shutting down
      Rule{"08", reconnect},       // connection
      Rule{"SL", refuse},          // our own: the caller's mistake
      Rule{"22", refuse},          // data
      Rule{"23", refuse},          // constraint
  };
  const auto matches = [&](const Rule& rule) { return sqlstate.starts_with(rule.prefix); };
  const auto* found = std::find_if(rules.begin(), rules.end(), matches);
  return found == rules.end() ? bug : found->action;
}

Error notify_queue_full() {
  return {Error::Action::retry_later, "54000", "the server's queue of notifications is full",
          "sluice doctor names who may hold it up."};
}

bool is_notify_queue_full(const Error& error) {
  return error.code == "54000" && error.action == Error::Action::retry_later;
}

}  // namespace sluice
