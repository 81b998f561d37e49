// Submits many tasks: in chunks, through sluice.submit_many; if a chunk is refused, it finds the
// line at fault. It does not read, wait or print.
//
// Blocking; throws CommandError, and what libpqxx throws when the database itself fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "db/database_url.h"

namespace pqxx {
class dbtransaction;
}

namespace sluice {

class Submission final {
 public:
  // A statement holds at most so many tasks, and so many bytes unless one task alone is larger: a
  // round trip is then lost in the work, and neither side holds more than a few chunks in memory.
  static constexpr size_t chunk_lines_max = 1'000;
  static constexpr size_t chunk_bytes_max = 8 << 20;

  enum class Mode {
    all_or_nothing,  // one transaction, committed by finish()
    chunk_by_chunk,  // what is accepted stays
  };
  // A line was refused, and why. May throw to end the submission: all_or_nothing then leaves
  // nothing.
  using OnRefused = std::function<void(size_t line, const std::string& reason)>;
  struct Accepted {
    size_t line;
    int64_t id;
  };
  // Told of committed tasks, in the order of their lines.
  using OnAccepted = std::function<void(const std::vector<Accepted>& accepted)>;

  // Makes one statement of a chunk, a JSON array, and gives an id for each element, in order.
  using Send = std::function<std::vector<int64_t>(pqxx::dbtransaction&, const std::string& tasks)>;
  // A statement that takes the chunk as $1 and returns the ids.
  static Send by_statement(std::string statement);

  Submission(pqxx::connection& connection, Mode mode, OnRefused on_refused, OnAccepted on_accepted,
             Send send);
  ~Submission();  // without finish(): all_or_nothing rolls back
  Submission(const Submission&) = delete;
  Submission& operator=(const Submission&) = delete;

  // Requires: `json` is outlined like one JSON object, keys as sluice.submit's arguments.
  void add(size_t line, std::string json);
  // A line that is not worth sending: it is reported in the order of lines, with what PostgreSQL
  // refuses of those before it.
  void refuse(size_t line, std::string reason);
  void finish();

 private:
  struct Item {
    size_t line;
    std::string json;
  };
  using Position = std::vector<Item>::const_iterator;

  void send_chunk();
  void send(pqxx::dbtransaction& transaction, Position first, Position last);
  void report_refused(size_t before_line);

  pqxx::connection& connection_;
  OnRefused on_refused_;
  OnAccepted on_accepted_;
  Send send_;
  std::vector<Item> chunk_;
  std::deque<std::pair<size_t, std::string>> refused_;  // ascending lines, not yet reported
  size_t chunk_bytes_ = 0;
  std::vector<Accepted> accepted_;                    // not yet committed
  std::unique_ptr<pqxx::dbtransaction> transaction_;  // all_or_nothing only
};

}  // namespace sluice
