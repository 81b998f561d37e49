// Ends what a blocking connection is doing when its time is up: it asks the server to cancel the
// statement, and cuts the connection if that does not help either.
//
// A thread of its own watches the time; nothing else of the connection is touched from there.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <pqxx/pqxx>
#include <string_view>
#include <thread>

namespace sluice {

// The SQLSTATE of a statement that was cancelled.
inline constexpr std::string_view query_canceled = "57014";

class StatementDeadline final {
 public:
  // `connection` outlives this object.
  StatementDeadline(pqxx::connection& connection, int64_t timeout_ms);
  ~StatementDeadline() = default;  // the thread is told to stop, and waited for
  StatementDeadline(const StatementDeadline&) = delete;
  StatementDeadline& operator=(const StatementDeadline&) = delete;

  // Whether the time was up: the statement's error, query_canceled or a broken connection, comes
  // from here.
  bool has_fired() const { return has_fired_; }

 private:
  void watch(const std::stop_token& stopped);

  pqxx::connection& connection_;
  const int64_t timeout_ms_;
  const int socket_;
  std::atomic<bool> has_fired_ = false;
  std::mutex mutex_;
  std::condition_variable_any ends_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace sluice
