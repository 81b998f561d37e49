#include "doctor/deadline.h"

#include <sys/socket.h>

#include <chrono>

namespace sluice {
namespace {

// How long the cancelled statement's error may take: a round trip.
constexpr std::chrono::milliseconds cancel_wait(2'000);

}  // namespace

StatementDeadline::StatementDeadline(pqxx::connection& connection, int64_t timeout_ms)
    : connection_(connection),
      timeout_ms_(timeout_ms),
      socket_(connection.sock()),
      thread_([this](const std::stop_token& stopped) { watch(stopped); }) {}

void StatementDeadline::watch(const std::stop_token& stopped) {
  std::unique_lock lock(mutex_);
  const auto stop_asked = [&] { return stopped.stop_requested(); };
  if (ends_.wait_for(lock, stopped, std::chrono::milliseconds(timeout_ms_), stop_asked)) return;
  if (stop_asked()) return;
  has_fired_ = true;
  try {
    connection_.cancel_query();
  } catch (const std::exception&) {
    // The server does not answer: the connection is cut below.
  }
  if (ends_.wait_for(lock, stopped, cancel_wait, stop_asked) || stop_asked()) return;
  ::shutdown(socket_, SHUT_RDWR);
}

}  // namespace sluice
