#include "api/batch_runner.h"

#include <spdlog/spdlog.h>

#include <utility>

namespace sluice {
namespace {

constexpr int64_t pause_ms_on_error = 1000;

}  // namespace

BatchRunner::BatchRunner(Clock& clock, PgPool& looks, PgPool& steps)
    : clock_(clock), looks_(looks), steps_(steps) {
  coroutines_.spawn(keep_advancing());
}

Co<void> BatchRunner::keep_advancing() {
  constexpr const char* step_sql = "select sluice.advance_batches()";
  std::string last_code;
  bool has_more = false;
  while (!stopped_) {
    Co<Result<PgResult>> reply = has_more ? steps_.query(step_sql, PgParams())
                                          : looks_.query_unguarded(step_sql, PgParams());
    Result<PgResult> rows = co_await std::move(reply);
    const std::string code = rows ? std::string() : rows.error().code;
    // While it is not connected the pool says so.
    if (code != std::exchange(last_code, code) && !code.empty() && code != PgPool::not_sent) {
      spdlog::warn("batches do not move on: SQLSTATE {}", code);
    }
    const int64_t pause_ms = rows ? rows->int64(0, 0) : pause_ms_on_error;
    has_more = pause_ms <= 0;
    if (pause_ms > 0) co_await work_.wait_until(clock_, clock_.now_ns() + pause_ms * ns_per_ms);
  }
}

}  // namespace sluice
