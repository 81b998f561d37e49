#include "cli/submission.h"

#include <limits>
#include <pqxx/pqxx>
#include <string_view>
#include <utility>

#include "command_error.h"
#include "db/sql_message.h"

namespace sluice {
namespace {

// Whether the error is about the tasks that were sent (ours, data, constraints, size) and not about
// the database (locks, permissions, disk, shutdown).
bool blames_tasks(const pqxx::sql_error& error) {
  for (const char* prefix : {"SL", "22", "23", "54"}) {
    if (error.sqlstate().starts_with(prefix)) return true;
  }
  return false;
}

// Of a statement with one task, so "task 1: " says nothing. The detail is shown where PostgreSQL
// names the character that it cannot store, for the message alone does not.
std::string reason_of(const pqxx::sql_error& error) {
  constexpr std::string_view unstorable_character = "22P05";
  constexpr std::string_view prefix = "task 1: ";
  SqlMessage message = parse_sql_message(error.what());
  if (message.primary.starts_with(prefix)) message.primary.erase(0, prefix.size());
  if (error.sqlstate() == unstorable_character) message.hint = message.detail;
  return one_line(message);
}

// The answer to a COMMIT can be lost: only the database knows then, and the ids went with it.
void commit(pqxx::dbtransaction& transaction) {
  try {
    transaction.commit();
  } catch (const pqxx::in_doubt_error&) {
    throw CommandError(ExitCode::failure,
                       "the connection broke during COMMIT: the last tasks may have been submitted "
                       "or not, their ids are unknown (sluice tasks shows them if they are there; "
                       "lines with an idempotency_key can safely be submitted again)");
  }
}

}  // namespace

Submission::Send Submission::by_statement(std::string statement) {
  return [statement = std::move(statement)](pqxx::dbtransaction& transaction,
                                            const std::string& tasks) {
    std::vector<int64_t> ids;
    for (const pqxx::row& row : transaction.exec_params(statement, tasks)) {
      ids.push_back(row[0].as<int64_t>());
    }
    return ids;
  };
}

Submission::Submission(pqxx::connection& connection, Mode mode, OnRefused on_refused,
                       OnAccepted on_accepted, Send send)
    : connection_(connection),
      on_refused_(std::move(on_refused)),
      on_accepted_(std::move(on_accepted)),
      send_(std::move(send)) {
  if (mode == Mode::all_or_nothing) transaction_ = std::make_unique<pqxx::work>(connection);
}

Submission::~Submission() = default;

void Submission::add(size_t line, std::string json) {
  if (!chunk_.empty() && chunk_bytes_ + json.size() > chunk_bytes_max) send_chunk();
  chunk_bytes_ += json.size();
  chunk_.push_back({line, std::move(json)});
  if (chunk_.size() == chunk_lines_max) send_chunk();
}

void Submission::refuse(size_t line, std::string reason) {
  refused_.emplace_back(line, std::move(reason));
  // It ends all: at once, also where standard input is somebody who types.
  if (transaction_ || refused_.size() == chunk_lines_max) send_chunk();
}

void Submission::finish() {
  send_chunk();
  if (!transaction_) return;
  commit(*transaction_);
  on_accepted_(accepted_);
}

void Submission::send_chunk() {
  if (transaction_) {
    send(*transaction_, chunk_.begin(), chunk_.end());
  } else if (!chunk_.empty()) {
    pqxx::work transaction(connection_);
    send(transaction, chunk_.begin(), chunk_.end());
    commit(transaction);
    on_accepted_(accepted_);
    accepted_.clear();
  }
  chunk_.clear();
  chunk_bytes_ = 0;
  report_refused(std::numeric_limits<size_t>::max());
}

void Submission::report_refused(size_t before_line) {
  while (!refused_.empty() && refused_.front().first < before_line) {
    const auto [line, reason] = std::move(refused_.front());
    refused_.pop_front();
    on_refused_(line, reason);
  }
}

// Savepoints by hand: pqxx::subtransaction (6.4) makes none before exec_params().
// A refused chunk is halved until one line is left to blame. Line numbers in messages would not do,
// since some (JSON that does not parse, an unknown model) carry none. One bad line
// among 1,000 costs 20 statements that hold twice the chunk together; k bad ones at most k times
// that.
void Submission::send(pqxx::dbtransaction& transaction, Position first, Position last) {
  if (first == last) return;
  std::string tasks = "[";
  for (auto item = first; item != last; ++item) (tasks += item->json) += ',';
  tasks.back() = ']';
  try {
    transaction.exec0("savepoint chunk");
    const std::vector<int64_t> ids = send_(transaction, tasks);
    transaction.exec0("release savepoint chunk");
    for (const int64_t id : ids) accepted_.push_back({first++->line, id});
    return;
  } catch (const pqxx::sql_error& error) {
    if (!blames_tasks(error)) throw;
    transaction.exec0("rollback to savepoint chunk; release savepoint chunk");
    if (last - first == 1) {
      report_refused(first->line);
      on_refused_(first->line, reason_of(error));
      return;
    }
  }
  const auto middle = first + (last - first) / 2;
  send(transaction, first, middle);
  send(transaction, middle, last);
}

}  // namespace sluice
