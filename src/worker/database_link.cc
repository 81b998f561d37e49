#include "worker/database_link.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "bounds.h"
#include "counted.h"
#include "db/mend.h"

namespace sluice {
namespace {

constexpr int64_t say_again_ns = 10 * ns_per_s;  // the same error of the same statement

}  // namespace

Co<Result<void>> DatabaseLink::connect() {
  Result<void> connected = co_await database_.connect();
  if (connected) must_mend_ = true;
  co_return connected;
}

Co<void> DatabaseLink::pause_before_connecting() {
  const int64_t pause_ms = backoff_.pause_ms();
  if (pause_ms > 0) co_await pause_.wait_until(clock_, clock_.now_ns() + pause_ms * ns_per_ms);
}

Co<Result<void>> DatabaseLink::reconnect(int64_t pause_ms_max) {
  Result<void> connected = co_await connect();
  if (connected) {
    metrics_.note_reconnect();
    backoff_.note_success();
    co_return connected;
  }
  if (connected.error().code == "schema") co_return connected;
  note_error(connected.error(), "connecting");
  backoff_.note_failure(std::min(pause_ms_max, bounds::reconnect_pause_ms_max));
  co_return Result<void>();
}

void DatabaseLink::pause() {
  not_before_ns_ = clock_.now_ns() + bounds::reconnect_pause_ms_base * ns_per_ms;
}

void DatabaseLink::note_error(const Error& error, std::string_view doing) {
  if (error.code == damaged_sqlstate) must_mend_ = true;
  if (error.action == Error::Action::reconnect) return;  // PgServers says it once for all sessions
  const auto [place, is_first] = said_.try_emplace(doing);
  Said& said = place->second;
  const int64_t now_ns = clock_.now_ns();
  if (misses_relation(error) &&
      now_ns >= std::exchange(said.no_deletion_until_ns, now_ns + say_again_ns)) {
    return spdlog::info("{} failed, as a model has been deleted: {}", doing, error.message);
  }
  const bool is_same = !is_first && error.code == said.code;
  if (is_same && now_ns < said.at_ns + say_again_ns) {
    ++said.unsaid;
    return;
  }
  const std::string times =
      is_same && said.unsaid > 0 ? fmt::format(", {} more times", said.unsaid) : "";
  spdlog::error("{} failed{}: {}{}{}", doing, times, error.code, error.code.empty() ? "" : " ",
                error.message);
  said = {error.code, now_ns, 0, said.no_deletion_until_ns};
}

void DatabaseLink::note_failure(const Error& error, std::string_view doing) {
  note_error(error, doing);
  if (error.action != Error::Action::reconnect) pause();
}

Co<bool> DatabaseLink::enroll(std::string name, int slots, std::vector<std::string> models) {
  const Result<int64_t> id =
      co_await database_.register_worker(std::move(name), slots, std::move(models));
  if (!id) {
    note_error(id.error(), "registering");
    pause();
    co_return false;
  }
  worker_ = *id;
  must_register_ = false;
  spdlog::info("registered as worker {} with {} slots", worker_, slots);
  co_return true;
}

void DatabaseLink::note_clock(int64_t reading_us, int64_t sent_ns) {
  server_clock_.note(reading_us, sent_ns, clock_.now_ns());
  if (!server_clock_.has_jumped()) return;
  has_clock_jumped_ = true;
  want_flush();
}

int64_t DatabaseLink::send_by_ns(int64_t sent_ns, int64_t within_ms) const {
  return server_clock_.has_jumped() ? 0 : sent_ns + within_ms * ns_per_ms;
}

void DatabaseLink::send(Flush& flush) {
  if (std::exchange(must_mend_, false)) {
    flush.add(database_.mend_sequences(),
              [this](const Result<int64_t>& mended) { on_mended(mended); });
  }
  if (std::exchange(has_clock_jumped_, false) && server_clock_.has_jumped()) {
    flush.add(database_.note_clock_jump(server_clock_.jump_us(), server_clock_.sound_us()),
              [this, sent_ns = flush.sent_ns()](const Result<int64_t>& noted) {
                on_jump_noted(noted, sent_ns);
              });
  }
}

void DatabaseLink::on_mended(const Result<int64_t>& mended) {
  if (!mended) return note_failure(mended.error(), "looking for damaged sequences");
  if (*mended <= 0) return;
  spdlog::warn("made {} anew: another server has taken over", counted(*mended, "damaged sequence"));
  must_mend_ = true;  // there may be more
}

// Statements behind it in this flush were granted after the jump. After an error the next reading
// notes it again.
void DatabaseLink::on_jump_noted(const Result<int64_t>& noted, int64_t sent_ns) {
  if (!noted) return note_error(noted.error(), "noting that the database's clock has jumped");
  spdlog::warn("the database's clock has jumped ahead by {:.3f} s: quotas start empty",
               static_cast<double>(server_clock_.jump_us()) / 1e6);
  server_clock_.reset(*noted, sent_ns);
}

}  // namespace sluice
