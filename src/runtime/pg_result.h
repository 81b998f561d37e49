// PgResult owns the rows that one statement returned, in text format, and reads single values of
// them. It does not know the connection they came from and may outlive it.
//
// Views returned by text() live as long as the PgResult.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "result.h"

struct pg_result;

namespace sluice {

class PgResult final {
 public:
  // Takes over `result`, which is a success.
  explicit PgResult(pg_result* result);

  int rows() const;
  int columns() const;
  // Requires for all: 0 <= row < rows(), 0 <= column < columns().
  bool is_null(int row, int column) const;
  std::string_view text(int row, int column) const;  // empty for null
  // Require a value of that type; anything else is a mistake in our SQL and ends the process.
  int64_t int64(int row, int column) const;
  bool boolean(int row, int column) const;

 private:
  struct Clear {
    void operator()(pg_result* result) const;
  };
  std::unique_ptr<pg_result, Clear> result_;
};

// The action to take after a failed statement, by its SQLSTATE (five characters, or empty if the
// server gave none).
Error::Action classify_sqlstate(std::string_view sqlstate);

// Of a commit that failed because the server's queue of notifications is full. Of 54000 it alone
// may be repeated; the others are about what was sent.
Error notify_queue_full();
bool is_notify_queue_full(const Error& error);

}  // namespace sluice
