#include "cli/outcome_wait.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <pqxx/pqxx>
#include <span>
#include <thread>

#include "command_error.h"
#include "db/database_url.h"

namespace sluice {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Completions do not notify (that would slow all of them down), so a waiter asks.
constexpr auto pause_min = milliseconds(50);
constexpr auto pause_max = milliseconds(250);
constexpr auto reconnect_pause = milliseconds(500);
constexpr auto reconnect_time_max = std::chrono::minutes(5);  // crash recovery takes its time
constexpr ptrdiff_t asked_max = 5'000;                        // ids in a statement: 2 to 5 ms
constexpr size_t rows_max = 100;                              // answers in memory at a time

constexpr const char* json_sql = R"(
  select id, status, row_to_json(t) from (
    select id, status, model, answer, error, error_code, attempts, input_tokens, output_tokens from sluice.tasks
    where status in ('solved', 'failed', 'cancelled', 'expired') and id = any ($1::bigint[]) limit $2::int) t)";
constexpr const char* bare_sql = R"(
  select id, status, coalesce(answer, error, response) from sluice.tasks
  where status in ('solved', 'failed', 'cancelled', 'expired') and id = any ($1::bigint[]) limit $2::int)";

std::string array_of(std::span<const int64_t> ids) {
  std::string array = "{";
  for (const int64_t id : ids) array += std::to_string(id) + ',';
  array.back() = '}';
  return array;
}

// Patient from the start: whoever waits has just submitted, so the database is there or comes back.
std::unique_ptr<pqxx::connection> connect_patiently(const std::string& database_url) {
  const auto deadline = steady_clock::now() + reconnect_time_max;
  while (true) {
    try {
      return connect(database_url);
    } catch (const CommandError&) {
      if (steady_clock::now() >= deadline) throw;
    }
    std::this_thread::sleep_for(reconnect_pause);
  }
}

class Wait final {
 public:
  Wait(const std::string& database_url, std::vector<int64_t> ids, OutcomeForm form,
       const OutcomeListener& listener)
      : database_url_(database_url),
        pending_(std::move(ids)),
        sql_(form == OutcomeForm::json ? json_sql : bare_sql),
        listener_(listener),
        connection_(connect_patiently(database_url)) {
    // Lines with one idempotency key have one task.
    std::sort(pending_.begin(), pending_.end());
    pending_.erase(std::unique(pending_.begin(), pending_.end()), pending_.end());
    total_ = pending_.size();
  }

  void run() {
    auto pause = pause_min;
    while (!pending_.empty()) {
      const bool some_ended = look_at_all();
      listener_.on_look(total_ - pending_.size(), total_);
      pause = some_ended ? pause_min : std::min(pause * 5 / 4, pause_max);
      if (!pending_.empty()) std::this_thread::sleep_for(pause);
    }
  }

 private:
  bool look_at_all() {
    const size_t before = pending_.size();
    ptrdiff_t position = 0;
    while (position < std::ssize(pending_)) {
      const ptrdiff_t asked = std::min(asked_max, std::ssize(pending_) - position);
      const std::vector<int64_t> ended = look(
          std::span(pending_).subspan(static_cast<size_t>(position), static_cast<size_t>(asked)));
      const auto first = pending_.begin() + position;
      pending_.erase(std::remove_if(first, first + asked,
                                    [&](int64_t id) {
                                      return std::binary_search(ended.begin(), ended.end(), id);
                                    }),
                     first + asked);
      // A full answer: there may be more among the same ids.
      if (ended.size() < rows_max) position += asked - std::ssize(ended);
    }
    return pending_.size() < before;
  }

  // The ids that have ended and were reported, ascending.
  std::vector<int64_t> look(std::span<const int64_t> asked) {
    std::vector<int64_t> ended;
    for (const pqxx::row& row : ask(asked)) {
      ended.push_back(row[0].as<int64_t>());
      listener_.on_ended({ended.back(), row[1].c_str(), row[2].c_str()});
    }
    std::sort(ended.begin(), ended.end());
    return ended;
  }

  pqxx::result ask(std::span<const int64_t> asked) {
    const std::string array = array_of(asked);
    while (true) {
      try {
        pqxx::nontransaction session(*connection_);
        return session.exec_params(sql_, array, rows_max);
      } catch (const pqxx::broken_connection&) {
      } catch (const pqxx::sql_error& error) {
        if (!error.sqlstate().starts_with("57P")) throw;  // not a shutdown
      }
      connection_ = connect_patiently(database_url_);
    }
  }

  const std::string& database_url_;
  std::vector<int64_t> pending_;  // ascending
  const char* sql_;
  const OutcomeListener& listener_;
  std::unique_ptr<pqxx::connection> connection_;
  size_t total_ = 0;
};

}  // namespace

void wait_for_outcomes(const std::string& database_url, std::vector<int64_t> ids, OutcomeForm form,
                       const OutcomeListener& listener) {
  Wait(database_url, std::move(ids), form, listener).run();
}

}  // namespace sluice
