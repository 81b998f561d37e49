#include "worker/upkeep.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "bounds.h"
#include "counted.h"

namespace sluice {

Upkeep::Upkeep(Clock& clock, Metrics& metrics, DatabaseLink& link, Calls& calls,
               std::function<void()> on_swept)
    : clock_(clock),
      metrics_(metrics),
      link_(link),
      calls_(calls),
      on_swept_(std::move(on_swept)),
      beat_at_ns_(clock.now_ns()) {}

bool Upkeep::set_heartbeat_timeout_ms(int64_t timeout_ms) {
  const int64_t interval_ms = std::max<int64_t>(1, timeout_ms / 3);
  return std::exchange(heartbeat_interval_ms_, interval_ms) != interval_ms;
}

void Upkeep::note_due(bool is_draining) {
  const int64_t now_ns = clock_.now_ns();
  is_draining_ = is_draining;
  if (now_ns >= beat_at_ns_) {
    beat_at_ns_ = now_ns + heartbeat_interval_ms_ * ns_per_ms;
    must_beat_ = true;
  }
  must_sweep_ = !is_draining && now_ns >= sweep_not_before_ns_;
  must_retain_ = must_retain_ || now_ns >= retention_at_ns_;
  must_keep_history_ = must_keep_history_ || now_ns >= history_at_ns_;
  if (has_round()) round_is_due_.raise();
  if (jobs_at_ns_ == never) jobs_at_ns_ = now_ns + bounds::jobs_look_interval_ms * ns_per_ms;
}

void Upkeep::note_due_asleep() {
  constexpr int64_t longer_ms =
      bounds::retention_interval_asleep_ms - bounds::retention_interval_ms;
  must_retain_ = must_retain_ || clock_.now_ns() >= retention_at_ns_ + longer_ms * ns_per_ms;
  if (has_round()) round_is_due_.raise();
}

void Upkeep::send(Flush& flush) {
  if (std::exchange(must_beat_, false)) {
    send_beat(flush);
    must_recover_ = true;
  }
  if (std::exchange(must_recover_, false)) send_recovery(flush);
  if (std::exchange(must_sweep_, false)) send_sweep(flush);
}

void Upkeep::send_beat(Flush& flush) {
  flush.add(link_.database().heartbeat(link_.worker()),
            [this](const Result<std::vector<TaskKey>>& unwanted) {
              if (!unwanted) return link_.note_error(unwanted.error(), "proving life");
              calls_.abort_unwanted(*unwanted);
            });
}

void Upkeep::send_recovery(Flush& flush) {
  flush.add(link_.database().recover(link_.worker()), [this](const Result<int64_t>& recovered) {
    if (!recovered) return link_.note_error(recovered.error(), "recovering");
    if (*recovered <= 0) return;
    must_recover_ = *recovered >= bounds::recovered_rows_max;  // there may be more
    metrics_.note_recovered(*recovered);
    spdlog::warn("took back {} of dead workers", counted(*recovered, "task"));
  });
}

void Upkeep::send_sweep(Flush& flush) {
  flush.add(link_.database().sweep(), [this](const Result<int64_t>& swept) {
    if (!swept) return link_.note_error(swept.error(), "sweeping");
    if (*swept > 0) on_swept_();
    if (*swept < 0) {  // it rests
      sweep_not_before_ns_ = clock_.now_ns() + bounds::sweep_interval_idle_ms * ns_per_ms;
    }
  });
}

Co<void> Upkeep::run_rounds() {
  while (!is_finished_) {
    if (!link_.is_connected() || !has_round()) {
      link_.database().end_rounds();
      co_await round_is_due_.wait();
    } else if (must_retain_) {
      co_await retain();
    } else {
      co_await keep_history();
    }
  }
  link_.database().end_rounds();
}

void Upkeep::finish() {
  is_finished_ = true;
  round_is_due_.raise();
}

Co<void> Upkeep::retain() {
  const Result<int64_t> removed = co_await link_.database().retain();
  if (!removed) link_.note_error(removed.error(), "retention");
  must_retain_ = false;
  const bool is_done = !removed || *removed == 0;
  const int64_t pause_ms = is_done ? bounds::retention_interval_ms : 0;
  retention_at_ns_ = clock_.now_ns() + pause_ms * ns_per_ms;
}

void Upkeep::rest_from_jobs() {
  jobs_at_ns_ = never;
  are_jobs_open_ = false;
}

Co<void> Upkeep::advance_jobs() {
  jobs_at_ns_ = never;
  const Result<int64_t> pause_ms = co_await link_.database().advance_jobs();
  if (!pause_ms) link_.note_error(pause_ms.error(), "a step of a job");
  are_jobs_open_ = pause_ms && *pause_ms >= 0;
  const int64_t look_ms = are_jobs_open_ ? *pause_ms : bounds::jobs_look_interval_ms;
  // Not if news of a job came meanwhile.
  jobs_at_ns_ = std::min(jobs_at_ns_, clock_.now_ns() + look_ms * ns_per_ms);
}

Co<void> Upkeep::keep_history() {
  const Result<bool> is_unfinished = co_await link_.database().keep_history();
  if (!is_unfinished) link_.note_error(is_unfinished.error(), "keeping the history");
  must_keep_history_ = false;
  const bool is_more = is_unfinished && *is_unfinished;
  const int64_t pause_ms = is_more ? 0 : bounds::history_interval_ms;
  history_at_ns_ = clock_.now_ns() + pause_ms * ns_per_ms;
}

}  // namespace sluice
