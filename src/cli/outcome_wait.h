// Waiting for submitted tasks to end. It only looks: the tasks go on without it. It survives a
// restart of the database.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sluice {

struct EndedTask {
  int64_t id = 0;
  std::string status;  // solved, failed, cancelled or expired
  std::string text;    // see OutcomeForm
};

enum class OutcomeForm {
  json,  // an object: id, status, model, answer, error, error_code, attempts and tokens
  bare,  // the answer, or what went wrong
};

struct OutcomeListener {
  std::function<void(const EndedTask&)> on_ended;
  std::function<void(size_t ended, size_t total)> on_look;  // after every look at the database
};

// Blocks until each of `ids` has ended and was reported once. Connects, and reconnects, for up to
// five minutes. Throws CommandError(database_unreachable), and pqxx::sql_error (no right to read
// tasks).
void wait_for_outcomes(const std::string& database_url, std::vector<int64_t> ids, OutcomeForm form,
                       const OutcomeListener& listener);

}  // namespace sluice
