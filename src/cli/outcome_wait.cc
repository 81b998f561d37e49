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
constexpr auto quiet_time = milliseconds(2'000);  // then one may ask why
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

constexpr const char* standstill_sql = R"(
  select id, sluice.explain(id) from sluice.tasks
  where status in ('unsolved', 'queued') and id = any ($1::bigint[]) order by id limit $2::int)";

// Figures change from one look to the next; a reason is told by its words.
std::string words_of(std::string sentence) {
  std::erase_if(sentence, [](char c) { return c >= '0' && c <= '9'; });
  return sentence;
}

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
  Wait(const std::string& database_url, OutcomeWait wait, const OutcomeListener& listener)
      : database_url_(database_url),
        pending_(std::move(wait.ids)),
        sql_(wait.form == OutcomeForm::json ? json_sql : bare_sql),
        listener_(listener),
        connection_(connect_patiently(database_url)) {
    if (wait.timeout_ms) deadline_ = steady_clock::now() + milliseconds(*wait.timeout_ms);
    // Lines with one idempotency key have one task.
    std::sort(pending_.begin(), pending_.end());
    pending_.erase(std::unique(pending_.begin(), pending_.end()), pending_.end());
    total_ = pending_.size();
  }

  // How many have not ended at the deadline.
  size_t run() {
    auto pause = pause_min;
    auto explain_at = steady_clock::now() + quiet_time;
    while (true) {
      const bool some_ended = look_at_all();
      listener_.on_look(total_ - pending_.size(), total_);
      const auto now = steady_clock::now();
      if (pending_.empty()) return 0;
      if (now >= deadline_ || (!some_ended && now >= explain_at)) explain_standstill();
      if (now >= deadline_) return pending_.size();
      if (some_ended || now >= explain_at) explain_at = now + quiet_time;
      pause = some_ended ? pause_min : std::min(pause * 5 / 4, pause_max);
      std::this_thread::sleep_until(std::min(now + pause, deadline_));
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
    for (const pqxx::row& row : ask(sql_, asked, rows_max)) {
      ended.push_back(row[0].as<int64_t>());
      listener_.on_ended({ended.back(), row[1].c_str(), row[2].c_str()});
    }
    std::sort(ended.begin(), ended.end());
    return ended;
  }

  // Of the first that has not begun.
  void explain_standstill() {
    const size_t asked = std::min(pending_.size(), static_cast<size_t>(asked_max));
    for (const pqxx::row& row : ask(standstill_sql, std::span(pending_).first(asked), 1)) {
      const std::string why = row[1].c_str();
      if (words_of(why) == told_) continue;
      told_ = words_of(why);
      listener_.on_standstill(row[0].as<int64_t>(), why);
    }
  }

  pqxx::result ask(const char* sql, std::span<const int64_t> asked, size_t rows) {
    const std::string array = array_of(asked);
    while (true) {
      try {
        pqxx::nontransaction session(*connection_);
        return session.exec_params(sql, array, rows);
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
  steady_clock::time_point deadline_ = steady_clock::time_point::max();
  std::string told_;  // words_of the last reason
};

}  // namespace

size_t wait_for_outcomes(const std::string& database_url, OutcomeWait wait,
                         const OutcomeListener& listener) {
  return Wait(database_url, std::move(wait), listener).run();
}

}  // namespace sluice
