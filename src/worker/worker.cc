#include "worker/worker.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "bounds.h"
#include "counted.h"

namespace sluice {

Worker::Worker(WorkerOptions options, Clock& clock, Database& database, HttpClient& http,
               Metrics& metrics, SpanExporter* spans)
    : options_(std::move(options)),
      clock_(clock),
      database_(database),
      metrics_(metrics),
      link_(clock, database, metrics),
      models_(options_.models),
      calls_({options_.request_bytes_max, options_.extra_calls_max, options_.secrets}, clock, http,
             metrics, spans, models_, link_,
             [this](Calls::Ended ended) {
               intake_.note_ended(ended.model, ended.end);
               ended.call.model = ended.model;
               outcomes_.add(ended.worker, std::move(ended.call));
               link_.want_flush();
             }),
      outcomes_(clock, metrics, link_, calls_,
                [this](const std::vector<EndedCall>& stored) {
                  intake_.note_stored(stored);
                  note_demand();
                }),
      intake_(options_.slots, clock, metrics, models_, link_, calls_, outcomes_,
              [this](size_t tasks) {
                wakeups_.note_claimed(tasks);
                if (tasks > 0) sleep_.note_busy(clock_.now_ns());
              }),
      upkeep_(clock, metrics, link_, calls_, [this] { wake(); }),
      wakeups_(clock, database, *this) {
  hear_database();
}

Worker::~Worker() {
  clock_.cancel(leave_timer_);
}

void Worker::hear_database() {
  database_.on_work = [this](int64_t model) {
    const ReadyQueue::Batch batch;  // who sleeps is roused first, but its first flush is a claim
    wakeups_.note_work(model);
    rouse();
  };
  database_.on_configuration = [this] {
    rouse();
    due_.configuration = true;
    upkeep_.want_jobs();
    link_.want_flush();
  };
  database_.on_abort = [this](int64_t worker) {
    if (worker != link_.worker()) return;
    upkeep_.want_beat();
    link_.want_flush();
  };
  database_.on_clock = [this](int64_t reading_us, int64_t sent_ns) {
    link_.note_clock(reading_us, sent_ns);
  };
  database_.on_scarce = [this] { on_scarce(); };
  database_.on_lost = [this] {
    rouse();
    link_.want_flush();
    wakeups_.note_change();
  };
}

void Worker::on_scarce() {
  if (database_.listen_mode() == ListenMode::scarce) {
    spdlog::warn(
        "the server's queue of notifications is half full, so nobody notifies: polling once a "
        "second; sluice doctor names who may hold it up");
  } else {
    spdlog::info("there is room for notifications again");
  }
  rouse();
  catch_up();  // nobody has told of what came meanwhile
}

// ---- serving ----

Co<Result<void>> Worker::run() {
  Result<void> result = co_await link_.connect();
  if (!result && draining_) co_return Result<void>();
  if (!result) co_return result;
  link_.want_registration();
  upkeep_.want_beat();
  helpers_ = 6;
  spawn(help(outcomes_.run()));
  spawn(help(outcomes_.run_large()));
  spawn(help(upkeep_.run_rounds()));
  spawn(help(calls_.run_fetches()));
  spawn(help(keep_time()));
  spawn(help(wakeups_.run()));
  while (result && !is_finished()) {
    if (!link_.is_connected()) {
      result = co_await reconnect();
    } else if (has_flush_work()) {
      co_await flush();
    } else {
      co_await wait_for_work();
    }
  }
  co_await finish();
  co_return result;
}

// Results wait in memory and calls go on meanwhile.
Co<Result<void>> Worker::reconnect() {
  co_await link_.pause_before_connecting();
  if (is_finished()) co_return Result<void>();
  if (link_.worker() != 0) outcomes_.want_reread();
  // Back before a worker that reconnected sooner may declare us dead.
  Result<void> result = co_await link_.reconnect(upkeep_.heartbeat_interval_ms());
  if (result && link_.is_connected()) {
    upkeep_.want_beat();
    due_.configuration = true;
    outcomes_.look();
    calls_.look();
  }
  co_return result;
}

Co<void> Worker::wait_for_work() {
  if (!link_.may_send()) {
    co_await link_.work().wait_until(clock_, link_.not_before_ns());
    co_return;
  }
  constexpr int64_t never = std::numeric_limits<int64_t>::max();
  const int64_t urgent_ns = intake_.looks_for_urgent() ? intake_.urgent_look_at_ns() : never;
  const int64_t step_ns = outcomes_.must_reread() ? never : upkeep_.next_step_ns();
  if (const int64_t look_ns = std::min(urgent_ns, step_ns); look_ns != never) {
    co_await link_.work().wait_until(clock_, look_ns);
  } else {
    co_await link_.work().wait();
  }
}

bool Worker::has_flush_work() const {
  if (!link_.may_send()) return false;
  if (upkeep_.must_advance_jobs() && !outcomes_.must_reread()) return true;
  return link_.has_work() || upkeep_.has_work() || due_.configuration || due_.unfinished ||
         due_.rest || outcomes_.has_work() || calls_.has_work() || intake_.has_work();
}

Co<void> Worker::flush() {
  const int64_t begun_ns = clock_.now_ns();
  is_flushing_ = true;
  if (link_.must_register()) {
    const bool is_registered =
        co_await link_.enroll(options_.name, options_.slots, options_.models);
    due_.configuration = due_.configuration || is_registered;
  } else {
    outcomes_.begin_flush();
    co_await converse();
  }
  metrics_.note_flush(static_cast<double>(clock_.now_ns() - begun_ns) /
                      static_cast<double>(ns_per_s));
  note_demand();
  outcomes_.end_flush();
  is_flushing_ = false;
}

Co<void> Worker::converse() {
  Flush flush(clock_.now_ns());
  send(flush);
  co_await flush.receive();
  // Last, for the next heartbeat waits behind it.
  if (!outcomes_.must_reread() && upkeep_.must_advance_jobs()) co_await upkeep_.advance_jobs();
}

// In this order: what is damaged would fail all the others; calls go by the models as they are now;
// what backends said lowers buckets before they are used; calls that take long have their permits
// before new ones, what is due is woken, the claim takes it; what nobody waits for goes last. All
// are sent before the first answer is awaited.
void Worker::send(Flush& flush) {
  link_.send(flush);
  send_configuration(flush);
  if (!outcomes_.send_reread(flush)) {  // first learn what we hold
    calls_.send_limits(flush);
    calls_.send_hedges(flush);
    intake_.send(flush);
    calls_.send_for_bodies(flush);
  }
  upkeep_.send(flush);
  send_question_of_end(flush);
  send_question_of_rest(flush);
  outcomes_.send_announcement(flush);
}

void Worker::send_configuration(Flush& flush) {
  if (!std::exchange(due_.configuration, false)) return;
  flush.add(
      database_.configuration(options_.models),
      [this](const Result<Configuration>& configuration) { on_configuration(configuration); });
}

void Worker::on_configuration(const Result<Configuration>& configuration) {
  if (!configuration) {
    due_.configuration = true;
    return link_.note_failure(configuration.error(), "reading the models");
  }
  intake_.serve(models_.take(*configuration));
  outcomes_.announce(configuration->events);
  sleep_.set_idle_look_ms(configuration->idle_look_ms);
  if (upkeep_.set_heartbeat_timeout_ms(configuration->heartbeat_timeout_ms)) tick_.raise();
}

void Worker::send_question_of_end(Flush& flush) {
  if (!std::exchange(due_.unfinished, false)) return;
  flush.add(database_.unfinished(link_.worker()),
            [this](const Result<bool>& unfinished) { on_unfinished(unfinished); });
}

void Worker::on_unfinished(const Result<bool>& unfinished) {
  if (!unfinished) {
    link_.note_error(unfinished.error(), "looking for unfinished tasks");
  } else if (!*unfinished && is_idle()) {
    spdlog::info("no task of its models is unfinished");
    drain();
  }
}

void Worker::send_question_of_rest(Flush& flush) {
  if (!std::exchange(due_.rest, false)) return;
  flush.add(database_.fall_asleep(link_.worker()),
            [this](const Result<Rest>& rest) { on_rest(rest); });
}

// Not if news came while the answer was on its way.
void Worker::on_rest(const Result<Rest>& rest) {
  if (!rest) link_.note_error(rest.error(), "falling asleep");
  if (sleep_.is_awake()) return;
  if (!rest || !rest->asleep) {
    if (rest && is_asleep()) wake();
    upkeep_.want_jobs();
    return rouse();
  }
  upkeep_.rest_from_jobs();
  sleep_.grant(clock_.now_ns(), rest->wake_in_ms);
  tick_.raise();
  wakeups_.note_change();
}

// ---- beside it ----

Co<void> Worker::help(Co<void> work) {
  co_await std::move(work);
  --helpers_;
  helpers_done_.raise();
}

// Heartbeats, sweeps, retention, sleep, and the end of --once: it only notes what is due.
Co<void> Worker::keep_time() {
  sleep_.note_busy(clock_.now_ns());
  while (!finishing_) {
    co_await tick_.wait_until(clock_, next_tick_ns());
    if (outcomes_.is_reread_due()) {
      rouse();
      outcomes_.reread_again();
    }
    if (is_asleep()) {
      note_what_is_due_asleep();
    } else {
      note_what_is_due();
    }
    link_.want_flush();
  }
}

int64_t Worker::next_tick_ns() const {
  if (is_asleep()) return sleep_.look_up_at_ns();
  const int64_t interval_ms = std::min(bounds::look_interval_ms, upkeep_.heartbeat_interval_ms());
  return clock_.now_ns() + interval_ms * ns_per_ms;
}

void Worker::note_what_is_due() {
  upkeep_.note_due(draining_);
  database_.check_listening();
  if (database_.listen_mode() != ListenMode::listen) {  // nobody tells us
    if (!draining_) catch_up();
    if (!calls_.empty()) upkeep_.want_beat();  // which one to abort
  }
  due_.unfinished = options_.once && !draining_ && is_idle();
  if (!calls_.empty() || outcomes_.waiting() > 0) sleep_.note_busy(clock_.now_ns());
  if (may_fall_asleep()) {
    sleep_.ask();
    due_.rest = true;
  }
}

void Worker::note_what_is_due_asleep() {
  const int64_t now_ns = clock_.now_ns();
  if (sleep_.has_alarm(now_ns)) {
    rouse();
    wake();
  } else if (sleep_.take_look(now_ns)) {
    due_.rest = true;
    database_.check_listening();
    upkeep_.note_due_asleep();
  }
}

bool Worker::may_fall_asleep() const {
  return link_.worker() != 0 && !options_.once && !draining_ && is_idle() &&
         sleep_.is_tired(clock_.now_ns()) && link_.is_connected() &&
         database_.listen_mode() == ListenMode::listen;
}

// It has something to do, or will hear of something. From here on it beats again.
void Worker::rouse() {
  if (!sleep_.end(clock_.now_ns())) return;
  due_.rest = false;
  upkeep_.want_beat();
  tick_.raise();
  link_.want_flush();
  wakeups_.note_change();
}

// ---- the end ----

void Worker::drain() {
  if (draining_) return;
  spdlog::info("draining: {} under way", counted(calls_.size(), "call"));
  draining_ = true;
  intake_.stop();
  calls_.drain();
  wakeups_.stop();
  link_.want_flush();
  // Nothing was ever claimed, so no server is worth waiting for.
  if (link_.worker() == 0 && !link_.is_connected()) database_.close();
  leave_timer_ = clock_.call_at(clock_.now_ns() + options_.drain_timeout_ms * ns_per_ms, [this] {
    if (!calls_.empty())
      spdlog::warn("drain time-out: handing back {}", counted(calls_.size(), "task"));
    leave();
  });
}

void Worker::leave() {
  if (leaving_) return;
  draining_ = leaving_ = true;
  clock_.cancel(leave_timer_);  // the drain's
  intake_.stop();
  calls_.abort_all();
  wakeups_.stop();
  leave_timer_ = clock_.call_at(clock_.now_ns() + bounds::leave_timeout_ms * ns_per_ms, [this] {
    given_up_ = true;
    // Ends the wait for a server, and for an answer of one that stands still.
    if (!link_.is_connected() || is_flushing_) database_.close();
    link_.end_pause();
    link_.want_flush();
  });
  link_.want_flush();
}

bool Worker::is_finished() const {
  const bool has_announced = outcomes_.has_announced() || !link_.is_connected();
  return given_up_ || (draining_ && calls_.empty() && outcomes_.empty() && has_announced);
}

Co<void> Worker::finish() {
  leave();  // nothing is left, or the schema is not ours any more
  finishing_ = true;
  const Clock::TimerId give_up = clock_.call_at(
      clock_.now_ns() + bounds::leave_timeout_ms * ns_per_ms, [this] { database_.close(); });
  outcomes_.finish();
  upkeep_.finish();
  calls_.finish();
  wakeups_.stop();
  tick_.raise();
  while (helpers_ > 0 || !calls_.empty() || outcomes_.is_storing()) {
    if (helpers_ > 0) {
      co_await helpers_done_.wait();
    } else {
      co_await link_.work().wait();
    }
  }
  if (link_.is_connected() && link_.worker() != 0) {
    const Result<int64_t> handed_back = co_await database_.unregister_worker(link_.worker());
    if (handed_back && *handed_back > 0)
      spdlog::info("handed back {}", counted(*handed_back, "task"));
  }
  clock_.cancel(give_up);
  database_.close();
}

// ---- what others see of it ----

void Worker::wake() {
  upkeep_.want_sweeps();
  intake_.wake();
  link_.want_flush();
  note_demand();
}

void Worker::wake(int64_t model) {
  upkeep_.want_sweeps();
  intake_.wake(model);
  link_.want_flush();
  note_demand();
}

void Worker::catch_up() {
  // The listening session is there: the other need not wait for its own next try.
  if (!link_.is_connected() && database_.is_listening()) link_.end_pause();
  due_.configuration = true;
  wake();
}

bool Worker::is_idle() const {
  return intake_.is_idle() && calls_.empty() && outcomes_.empty();
}

std::string Worker::not_ready_because() const {
  if (draining_) return "draining";
  if (!link_.is_connected()) return "no connection to the database";
  if (database_.is_doubtful()) return "the database does not answer";
  if (link_.worker() == 0) return "not registered yet";
  if (!intake_.has_looked()) return "looking for work for the first time";
  if (outcomes_.is_refused()) return "the database refuses to store results";
  if (database_.listen_mode() == ListenMode::lost)
    return "no wake-ups: polling until they are back";
  return "";
}

Wakeups::Demand Worker::demand() const {
  if (intake_.slots_free() <= 0) return Wakeups::Demand::full;
  return intake_.is_idle() ? Wakeups::Demand::idle : Wakeups::Demand::claiming;
}

// Tells the sleeper when it has something to do.
void Worker::note_demand() {
  metrics_.set_slots(options_.slots, static_cast<int>(calls_.size()),
                     static_cast<int>(outcomes_.waiting()));
  intake_.note_slot_wait();
  wakeups_.note_demand();
}

}  // namespace sluice
