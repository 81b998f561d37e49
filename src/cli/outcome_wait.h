// Waiting for submitted tasks to end. It only looks: the tasks go on without it. It survives a
// restart of the database.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
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
  // Nothing has ended for a while, and this task has not begun: why (sluice.explain). Again when
  // more than figures has changed.
  std::function<void(int64_t id, const std::string& why)> on_standstill;
};

struct OutcomeWait {
  std::vector<int64_t> ids;
  OutcomeForm form = OutcomeForm::json;
  std::optional<int64_t> timeout_ms;
};

// Blocks until each of the tasks has ended and was reported once: 0; or until the time-out: how
// many have not. Connects, and reconnects, for up to five minutes. Throws
// CommandError(database_unreachable), and pqxx::sql_error (no right to read tasks).
size_t wait_for_outcomes(const std::string& database_url, OutcomeWait wait,
                         const OutcomeListener& listener);

}  // namespace sluice
