// DatabaseLink is the state of the worker's relation to its database: whether it is connected,
// under which id it is registered, the last error, and the database's clock. It owns the id, the
// pauses after errors and the signal that there is something to send. It has the statements that
// come before all others: to register, to mend sequences, to report a jump of the clock.
//
// Thread rule: loop thread only. Clock, database and metrics outlive it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "runtime/backoff.h"
#include "runtime/clock.h"
#include "runtime/signal.h"
#include "worker/database.h"
#include "worker/flush.h"
#include "worker/metrics.h"
#include "worker/server_clock.h"

namespace sluice {

class DatabaseLink final {
 public:
  DatabaseLink(Clock& clock, Database& database, Metrics& metrics)
      : clock_(clock), database_(database), metrics_(metrics) {}

  Database& database() { return database_; }
  bool is_connected() const { return database_.is_connected(); }
  // Under which this worker is registered; 0: it has not been yet.
  int64_t worker() const { return worker_; }

  Co<Result<void>> connect();
  // Until the next attempt, after one that failed. end_pause(): or until now.
  Co<void> pause_before_connecting();
  void end_pause() { pause_.raise(); }
  // Error: the schema is not one we serve. Others are logged, and the next pause, of
  // `pause_ms_max` at most, is longer.
  Co<Result<void>> reconnect(int64_t pause_ms_max);

  // There is something to send: says so to who waits for work().
  void want_flush() { work_.raise(); }
  Signal& work() { return work_; }

  // Not while there is a pause after an error.
  bool may_send() const { return clock_.now_ns() >= not_before_ns_; }
  int64_t not_before_ns() const { return not_before_ns_; }
  void pause();

  // Logs it, but not again within 10 s, and has sequences mended if it says that they are damaged.
  // One of a model that was deleted meanwhile is no error, unless it comes again within 10 s.
  // `doing`: a literal.
  void note_error(const Error& error, std::string_view doing);
  // Likewise; what was asked for is asked for again, after a pause.
  void note_failure(const Error& error, std::string_view doing);

  // The next flush registers, and does nothing else.
  bool must_register() const { return must_register_; }
  void want_registration() { must_register_ = true; }
  // False: there was an error, and it is to be repeated.
  Co<bool> enroll(std::string name, int slots, std::vector<std::string> models);

  // A reading of the database's clock: see ServerClock.
  void note_clock(int64_t reading_us, int64_t sent_ns);
  // When what was granted for `within_ms` by a statement sent at `sent_ns` is forfeited. At once if
  // the database's clock has jumped: what it has granted since is void.
  int64_t send_by_ns(int64_t sent_ns, int64_t within_ms) const;

  bool has_work() const { return must_register_ || must_mend_ || has_clock_jumped_; }
  // Damaged sequences are mended first: one would fail all statements behind it.
  void send(Flush& flush);

 private:
  void on_mended(const Result<int64_t>& mended);
  void on_jump_noted(const Result<int64_t>& noted, int64_t sent_ns);

  Clock& clock_;
  Database& database_;
  Metrics& metrics_;
  ServerClock server_clock_;
  Backoff backoff_;  // of connecting
  Signal work_;
  Signal pause_;
  int64_t worker_ = 0;
  int64_t not_before_ns_ = 0;
  struct Said {
    std::string code;
    int64_t at_ns = 0;
    int unsaid = 0;  // how often it came since
    int64_t no_deletion_until_ns = 0;
  };
  std::map<std::string_view, Said> said_;  // the last error, by what was done
  bool must_register_ = false;
  bool must_mend_ = false;
  bool has_clock_jumped_ = false;  // and the database has not been told
};

}  // namespace sluice
