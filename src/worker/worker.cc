#include "worker/worker.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "bounds.h"
#include "db/mend.h"
#include "log.h"
#include "worker/race.h"

namespace sluice {

namespace {

double seconds_since(const Clock& clock, int64_t then_ns) {
  return static_cast<double>(clock.now_ns() - then_ns) / static_cast<double>(ns_per_s);
}

// Whether the backend refused, failed or did not answer: it has more than it bears.
bool is_overload(const Outcome& outcome) {
  const auto is_down = [](const std::optional<int>& http_status) {
    return !http_status || *http_status == 408 || *http_status >= 500;
  };
  if (const auto* retry = std::get_if<Retry>(&outcome)) return is_down(retry->http_status);
  if (const auto* batch = std::get_if<BatchFailed>(&outcome)) return is_down(batch->http_status);
  return std::holds_alternative<Throttled>(outcome) || std::holds_alternative<Unsent>(outcome);
}

// Results that came when the task was no longer ours. An aborted call has none.
int64_t count_late(const Completer::Batch& batch, const std::vector<Applied>& applied) {
  std::set<TaskKey> aborted;
  for (const EndedCall& ended : batch.ended) {
    if (std::holds_alternative<Cancelled>(ended.outcome)) aborted.insert(ended.key);
  }
  return std::count_if(applied.begin(), applied.end(), [&aborted](const Applied& answer) {
    return !answer.applied && !aborted.contains(answer.key);
  });
}

// Codes and figures: an error's text may quote a prompt.
void log_ended(const Call& call, const Outcome& outcome, double seconds) {
  const bool is_final = std::holds_alternative<Failed>(outcome);
  const auto level = is_final ? spdlog::level::warn : spdlog::level::debug;
  if (!spdlog::should_log(level)) return;
  const LogSubject subject{call.task.key.task_id, call.task.key.fence};
  const std::string_view code = error_code_of(outcome);
  log_about(level, subject,
            fmt::format("model \"{}\": {}{}{} after {:.3f} s", call.task.model, kind_of(outcome),
                        code.empty() ? "" : " ", code, seconds));
}

}  // namespace

// One flush: what was sent together, each with its own Sync, and the answers still to come.
struct Worker::Flush {
  int64_t sent_ns = 0;
  std::optional<Task<Result<int64_t>>> mending;
  std::optional<Task<Result<int64_t>>> clock_jump;
  std::optional<Task<Result<std::vector<TaskKey>>>> beat;
  std::optional<Task<Result<int64_t>>> recovery;
  std::optional<Task<Result<int64_t>>> sweep;
  std::optional<Task<Result<Configuration>>> configuration;
  std::optional<Task<Result<bool>>> unfinished;
  std::optional<Task<Result<Rest>>> rest;
  std::optional<Task<Result<std::vector<TaskKey>>>> reread;

  std::optional<Task<Result<void>>> limits;
  std::optional<Task<Result<int64_t>>> waking;
  int asked = 0;
  std::vector<TaskKey> hedged;
  std::optional<Task<Result<std::vector<TaskKey>>>> hedge;
  std::vector<std::string> claimed_models;
  std::vector<int> shares;  // of each of them
  std::optional<Task<Result<std::vector<ClaimedTask>>>> claim;
  std::optional<Task<Result<std::vector<ClaimedTask>>>> urgent_claim;
  struct Bodies {
    std::vector<TaskKey> asked;  // ascending
    Task<Result<std::vector<ClaimedTask>>> arrival;
  };
  std::vector<Bodies> bodies;
  size_t announced = 0;
  std::optional<Task<Result<int64_t>>> announcement;
};

Worker::Worker(WorkerOptions options, Clock& clock, Database& database, HttpClient& http,
               Metrics& metrics, SpanExporter* spans)
    : options_(std::move(options)),
      clock_(clock),
      database_(database),
      http_(http),
      metrics_(metrics),
      spans_(spans),
      concurrency_(options_.slots),
      batcher_(clock),
      announcer_(metrics),
      wakeups_(clock, database, *this),
      secrets_(options_.secrets),
      limit_news_(clock) {
  database_.on_work = [this](int64_t model) {
    rouse();
    wakeups_.note_work(model);
  };
  database_.on_configuration = [this] {
    rouse();
    due_.configuration = true;
    work_.raise();
  };
  database_.on_abort = [this](int64_t worker) {
    if (worker != worker_) return;
    due_.beat = true;
    work_.raise();
  };
  database_.on_clock = [this](int64_t reading_us, int64_t sent_ns) {
    server_clock_.note(reading_us, sent_ns, clock_.now_ns());
    if (!server_clock_.has_jumped()) return;
    due_.clock_jump = true;
    work_.raise();
  };
  database_.on_lost = [this] {
    rouse();
    work_.raise();
    wakeups_.note_change();
  };
}

Worker::~Worker() {
  clock_.cancel(leave_timer_);
}

// ---- the life of one task ----

// Claimed (by a flush, in a short transaction) -> called (no connection held) -> recorded (by a
// completion, in a short transaction). The slot is free again when the outcome is on its way there.
Task<void> Worker::live(std::shared_ptr<Call> call) {
  const int64_t begun_ns = clock_.now_ns();
  const std::string& model = call->task.model;
  Answer answer = co_await answer_of(*call);
  Outcome& outcome = answer.outcome;
  // If it is no longer ours, the database passes over it.
  if (call->is_unwanted && std::holds_alternative<Returned>(outcome)) outcome = Cancelled{};
  metrics_.note_call(model, outcome, seconds_since(clock_, begun_ns));
  log_ended(*call, outcome, seconds_since(clock_, begun_ns));
  if (!std::holds_alternative<Solved>(outcome)) answer.first_token_after_ns.reset();
  if (answer.first_token_after_ns) {
    metrics_.note_first_token(
        model, static_cast<double>(*answer.first_token_after_ns) / static_cast<double>(ns_per_s));
  }
  concurrency_.note_ended(
      model, {begun_ns, clock_.now_ns(), is_overload(outcome), answer.first_token_after_ns});
  if (concurrency_.is_held_back()) claimer_.wake();
  hedging_.forget(call->task.key);
  calls_.erase(call->task.key);
  completer_.add(call->worker,
                 EndedCall{call->task.key, std::move(outcome), std::move(answer.memory)});
  outcomes_.raise();
  work_.raise();
}

Task<Answer> Worker::answer_of(Call& call) {
  if (!call.task.has_body) co_await call.body_arrived.wait();
  const auto model = models_.find(call.task.model);
  if (call.abort.aborted() || !call.task.has_body || model == models_.end()) {
    co_return Answer{Returned()};
  }
  if (!may_send(call, clock_.now_ns())) {
    metrics_.note_forfeited();
    co_return Answer{Returned()};
  }
  Answer answer = co_await ask(call, model->second);
  // The connection took too long, and the request was not sent.
  if (std::holds_alternative<Returned>(answer.outcome) && !may_send(call, clock_.now_ns())) {
    metrics_.note_forfeited();
  }
  co_return answer;
}

// No coroutine of its own: 10,000 calls that wait would each hold its frame.
Task<Answer> Worker::ask(Call& call, SharedModel model) {
  const Calling calling{clock_, http_, secrets_, limit_news_, spans_};
  if (Batcher::takes(*model, call.task)) return batcher_.ask(calling, std::move(model), call);
  hedging_.note_call(model->name);
  if (model->hedge_after_ms) return race(call, std::move(model));
  Question question = std::exchange(call.task.question, Question());
  return ask_model(calling, std::move(model), call.task, std::move(question), call.send_by_ns,
                   call.abort);
}

Task<Answer> Worker::race(Call& call, SharedModel model) {
  const Calling calling{clock_, http_, secrets_, limit_news_, spans_};
  Race race(calling, model, call,
            [this, model, &call] { return ask_for_one_more(*model, call.task.key); });
  co_return co_await race.run();
}

bool Worker::ask_for_one_more(const Model& model, const TaskKey& key) {
  if (leaving_ || !hedging_.ask(model, key)) return false;
  work_.raise();
  return true;
}

void Worker::begin(ClaimedTask task, std::optional<int64_t> send_by_ns) {
  auto call = std::make_shared<Call>();
  call->worker = worker_;
  call->send_by_ns = send_by_ns;
  call->task = std::move(task);
  concurrency_.note_begun(call->task.model);
  if (leaving_) abort(*call);
  if (!call->task.has_body) bodies_wanted_.insert(call->task.key);
  calls_.emplace(call->task.key, call);
  spawn(live(std::move(call)));
}

// ---- flushes ----

bool Worker::has_flush_work() const {
  if (clock_.now_ns() < flush_not_before_ns_) return false;
  return due_.registration || due_.mending || due_.clock_jump || due_.beat || due_.sweep ||
         due_.retention || due_.configuration || may_reread() || due_.unfinished || due_.rest ||
         !bodies_wanted_.empty() || hedging_.has_asked() || !announcer_.empty() ||
         (looks_for_urgent() && clock_.now_ns() >= urgent_look_at_ns_) || may_claim();
}

bool Worker::may_claim() const {
  if (draining_ || claimer_.is_sated() || slots_free() <= 0) return false;
  if (claimer_.models().empty()) return concurrency_.has_room();
  return claim_size(concurrency_.shares(claimer_.models(), slots_free())) > 0;
}

// Those that woke us, or all: the database passes over those that have no work.
const std::vector<std::string>& Worker::models_to_claim() const {
  return claimer_.models().empty() ? model_names_ : claimer_.models();
}

// How many to claim when each model may give its share.
int Worker::claim_size(const std::vector<int>& shares) const {
  const int all = std::accumulate(shares.begin(), shares.end(), 0);
  return claimer_.wanted(std::min(slots_free(), all));
}

// In this order: what is damaged would fail all the others; what backends said lowers buckets
// before they are used; calls that take long have their permits before new ones, what is due is
// woken, the claim takes it; what nobody waits for goes last. All are sent before the
// first answer is awaited.
void Worker::send(Flush& flush) {
  flush.sent_ns = clock_.now_ns();
  if (std::exchange(due_.mending, false)) flush.mending.emplace(database_.mend_sequences());
  if (std::exchange(due_.clock_jump, false) && server_clock_.has_jumped()) {
    flush.clock_jump.emplace(
        database_.note_clock_jump(server_clock_.jump_us(), server_clock_.sound_us()));
  }
  if (std::exchange(due_.beat, false)) {
    flush.beat.emplace(database_.heartbeat(worker_));
    flush.recovery.emplace(database_.recover(worker_));
  }
  if (std::exchange(due_.sweep, false)) flush.sweep.emplace(database_.sweep());
  if (std::exchange(due_.unfinished, false))
    flush.unfinished.emplace(database_.unfinished(worker_));
  if (std::exchange(due_.rest, false)) flush.rest.emplace(database_.fall_asleep(worker_));
  if (std::exchange(due_.configuration, false)) {
    flush.configuration.emplace(database_.configuration(options_.models));
  }
  if (may_reread()) {
    flush.reread.emplace(database_.held_leases(worker_));
    return;  // first learn what we hold
  }
  const std::vector<ModelLimits> limits = limit_news_.take();
  if (!limits.empty()) flush.limits.emplace(database_.drain_buckets(limits));
  flush.hedged = hedging_.take();
  if (!flush.hedged.empty()) flush.hedge.emplace(database_.hedge(worker_, flush.hedged));
  if (!draining_) send_claim(flush);
  send_for_bodies(flush);
  send_announcement(flush);
}

void Worker::send_claim(Flush& flush) {
  if (slots_free() <= 0) return send_urgent_claim(flush);
  flush.claimed_models = models_to_claim();
  flush.shares = concurrency_.shares(flush.claimed_models, slots_free());
  flush.asked = claim_size(flush.shares);
  if (flush.asked <= 0) return send_urgent_claim(flush);
  if (claimer_.wakes_later()) flush.waking.emplace(database_.wake());
  note_slot_wait();  // over
  flush.claim.emplace(database_.claim(worker_, flush.claimed_models, flush.shares, flush.asked));
}

// A claim for all takes urgent tasks first: this is for when there can be none.
void Worker::send_urgent_claim(Flush& flush) {
  if (!looks_for_urgent() || clock_.now_ns() < urgent_look_at_ns_) return;
  urgent_look_at_ns_ = clock_.now_ns() + bounds::urgent_look_interval_ms * ns_per_ms;
  flush.urgent_claim.emplace(
      database_.claim_urgent(worker_, models_for_urgent(), urgent_slots_free()));
}

// In portions that grow: the first calls begin while the other bodies are on their way.
void Worker::send_for_bodies(Flush& flush) {
  size_t portion = bounds::requests_rows_min;
  for (auto next = bodies_wanted_.begin(); next != bodies_wanted_.end();) {
    std::vector<TaskKey> asked;
    std::vector<int64_t> ids;
    for (; next != bodies_wanted_.end() && asked.size() < portion; ++next) {
      asked.push_back(*next);
      ids.push_back(next->task_id);
    }
    flush.bodies.push_back({std::move(asked), database_.requests(worker_, std::move(ids))});
    portion = std::min(portion * 2, bounds::requests_rows_max);
  }
}

// Of what earlier flushes have stored: its transaction has committed. The last statement, for it
// may wait for others who notify.
void Worker::send_announcement(Flush& flush) {
  if (announcer_.empty()) return;
  std::vector<int64_t> ids = announcer_.take();
  flush.announced = ids.size();
  flush.announcement.emplace(database_.announce(ids));
}

Task<void> Worker::flush() {
  const int64_t begun_ns = clock_.now_ns();
  if (due_.registration) {
    co_await enroll();
  } else {
    if (may_store()) begin_storing();  // ahead of the claim: it makes room
    Flush flush;
    is_flushing_ = true;
    send(flush);
    co_await receive_upkeep(flush);
    co_await receive_tasks(flush);
    // Last, for the next heartbeat waits behind it: about a second at most, as the SQL sees to.
    if (due_.retention && !due_.reread) co_await retain();
    is_flushing_ = false;
  }
  metrics_.note_flush(seconds_since(clock_, begun_ns));
  note_appetite();
  outcomes_.raise();
}

// Again at once while there is something to remove: the database keeps the pace.
Task<void> Worker::retain() {
  due_.retention = false;
  const Result<int64_t> removed = co_await database_.retain();
  if (!removed) note_error(removed.error(), "retention");
  const bool is_done = !removed || *removed == 0;
  const int64_t pause_ms = is_done ? bounds::retention_interval_ms : 0;
  retention_at_ns_ = clock_.now_ns() + pause_ms * ns_per_ms;
}

// Stores what ends while no flush is under way, or at any time if completions have a session of
// their own: then neither waits for the other.
Task<void> Worker::store() {
  while (!finishing_) {
    if (may_store()) {
      begin_storing();
    } else if (clock_.now_ns() < flush_not_before_ns_) {
      co_await outcomes_.wait_until(clock_, flush_not_before_ns_);
    } else {
      co_await outcomes_.wait();
    }
  }
  --helpers_;
  helpers_done_.raise();
}

// One batch at a time: meanwhile the outcomes of the next gather. It is sent before this returns.
void Worker::begin_storing() {
  is_storing_ = true;
  Completer::Batch batch = completer_.take();
  Task<Result<std::vector<Applied>>> completion = database_.complete(batch.worker, batch.ended);
  work_.raise();  // their slots are free
  spawn(finish_storing(std::move(batch), std::move(completion), clock_.now_ns()));
}

Task<void> Worker::finish_storing(Completer::Batch batch,
                                  Task<Result<std::vector<Applied>>> completion, int64_t begun_ns) {
  const Result<std::vector<Applied>> applied = co_await std::move(completion);
  is_storing_ = false;
  metrics_.note_flush(seconds_since(clock_, begun_ns));
  on_completed(std::move(batch), applied);
  // A claim in the other session may have found a model full that has room now, or be about to tell
  // so: the answer of one that is under way may be older than this.
  if (database_.stores_apart() && has_ceiling_) claimer_.wake();
  note_appetite();
  outcomes_.raise();
  work_.raise();
}

// In the session of the flushes between two of them: more would come of it than one batch a flush,
// each with its commit (a drain 0.94 times as fast). Not before it is known what we hold.
bool Worker::may_store() const {
  return !completer_.empty() && !is_storing_ && (database_.stores_apart() || !is_flushing_) &&
         !due_.reread && database_.is_connected() && clock_.now_ns() >= flush_not_before_ns_;
}

Task<void> Worker::enroll() {
  Result<int64_t> id =
      co_await database_.register_worker(options_.name, options_.slots, options_.models);
  if (!id) {
    note_error(id.error(), "registering");
    pause_flushes();
    co_return;
  }
  worker_ = *id;
  due_.registration = false;
  due_.configuration = true;
  spdlog::info("registered as worker {} with {} slots", worker_, options_.slots);
}

Task<void> Worker::receive_upkeep(Flush& flush) {
  if (flush.mending) {
    const Result<int64_t> mended = co_await std::move(*flush.mending);
    on_mended(mended);
  }
  if (flush.clock_jump) {
    const Result<int64_t> noted = co_await std::move(*flush.clock_jump);
    on_jump_noted(flush, noted);
  }
  if (flush.beat) {
    Result<std::vector<TaskKey>> unwanted = co_await std::move(*flush.beat);
    on_beat(unwanted);
  }
  if (flush.recovery) {
    Result<int64_t> recovered = co_await std::move(*flush.recovery);
    if (!recovered) note_error(recovered.error(), "recovering");
    if (recovered && *recovered > 0) {
      metrics_.note_recovered(*recovered);
      spdlog::warn("took back {} task(s) of dead workers", *recovered);
    }
  }
  if (flush.sweep) {
    Result<int64_t> swept = co_await std::move(*flush.sweep);
    if (!swept) note_error(swept.error(), "sweeping");
    if (swept && *swept > 0) wake();
    if (swept && *swept < 0) {  // it rests
      sweep_not_before_ns_ = clock_.now_ns() + bounds::sweep_interval_idle_ms * ns_per_ms;
    }
  }
  if (flush.configuration) {
    Result<Configuration> configuration = co_await std::move(*flush.configuration);
    on_configuration(configuration);
  }
  if (flush.reread) {
    Result<std::vector<TaskKey>> held = co_await std::move(*flush.reread);
    on_reread(held);
  }
  if (flush.unfinished) {
    Result<bool> unfinished = co_await std::move(*flush.unfinished);
    on_unfinished(unfinished);
  }
  if (flush.rest) {
    const Result<Rest> rest = co_await std::move(*flush.rest);
    on_rest(rest);
  }
}

Task<void> Worker::receive_tasks(Flush& flush) {
  if (flush.limits) {
    Result<void> drained = co_await std::move(*flush.limits);
    if (!drained) note_error(drained.error(), "lowering a model's buckets");
  }
  if (flush.hedge) {
    Result<std::vector<TaskKey>> granted = co_await std::move(*flush.hedge);
    on_hedged(flush, granted);
  }
  if (flush.waking) {
    Result<int64_t> woken = co_await std::move(*flush.waking);
    if (!woken) note_error(woken.error(), "waking");
    claimer_.note_woken();
  }
  if (flush.claim) {
    Result<std::vector<ClaimedTask>> tasks = co_await std::move(*flush.claim);
    on_claimed(flush, std::move(tasks));
  }
  if (flush.urgent_claim) {
    Result<std::vector<ClaimedTask>> tasks = co_await std::move(*flush.urgent_claim);
    on_claimed_urgent(flush, std::move(tasks));
  }
  for (Flush::Bodies& bodies : flush.bodies) {
    Result<std::vector<ClaimedTask>> arrived = co_await std::move(bodies.arrival);
    on_bodies(bodies.asked, std::move(arrived));
  }
  if (flush.announcement) {
    const Result<int64_t> announced = co_await std::move(*flush.announcement);
    announcer_.note_announced(flush.announced, announced);
  }
}

// ---- what a flush brought ----

void Worker::on_mended(const Result<int64_t>& mended) {
  if (!mended) {
    note_error(mended.error(), "looking for damaged sequences");
    if (mended.error().action != Error::Action::reconnect) pause_flushes();
  } else if (*mended > 0) {
    spdlog::warn("made {} damaged sequence(s) anew: another server has taken over", *mended);
    due_.mending = true;  // there may be more
  }
}

// What comes next in this flush was granted after it. After an error the next reading tells anew.
void Worker::on_jump_noted(const Flush& flush, const Result<int64_t>& noted) {
  if (!noted) return note_error(noted.error(), "noting that the database's clock has jumped");
  spdlog::warn("the database's clock has jumped ahead by {:.3f} s: quotas start empty",
               static_cast<double>(server_clock_.jump_us()) / 1e6);
  server_clock_.reset(*noted, flush.sent_ns);
}

void Worker::on_beat(const Result<std::vector<TaskKey>>& unwanted) {
  if (!unwanted) {
    note_error(unwanted.error(), "proving life");
    return;
  }
  for (const TaskKey& key : *unwanted) {
    const auto call = calls_.find(key);
    if (call == calls_.end()) continue;
    log_about(spdlog::level::info, LogSubject{key.task_id, key.fence},
              "cancelled or taken from this worker; aborting its call");
    call->second->is_unwanted = true;
    abort(*call->second);
  }
}

void Worker::on_completed(Completer::Batch batch, const Result<std::vector<Applied>>& applied) {
  if (applied) {
    completer_.note_stored();
    announcer_.note_stored(*applied);
    unknown_errors_ = 0;
    const auto late = count_late(batch, *applied);
    if (late > 0) {
      spdlog::warn("{} result(s) came too late and were kept for audit only", late);
      metrics_.note_late(static_cast<int>(late));
    }
    return;
  }
  note_error(applied.error(), "recording results");
  switch (applied.error().action) {
    case Error::Action::reconnect:
      completer_.put_back(std::move(batch));
      break;
    case Error::Action::retry_later:
      completer_.put_back(std::move(batch));
      pause_flushes();
      break;
    case Error::Action::bug:
      // An error we do not know may pass; an answer that somebody paid for is worth some patience.
      if (++unknown_errors_ < bounds::unknown_errors_max) {
        completer_.put_back(std::move(batch));
        pause_flushes();
        break;
      }
      [[fallthrough]];
    case Error::Action::refuse:
      if (!completer_.put_back_refused(std::move(batch), applied.error())) {
        spdlog::error("an outcome cannot be stored; its task stays leased until this worker ends");
      }
      pause_flushes();
      break;
  }
}

void Worker::on_claimed(const Flush& flush, Result<std::vector<ClaimedTask>> tasks) {
  if (!tasks) {
    if (tasks.error().code == "SL010") due_.registration = true;
    note_error(tasks.error(), "claiming");
    if (tasks.error().action != Error::Action::reconnect) pause_flushes();
    return;
  }
  std::map<std::string, int> taken;
  for (const ClaimedTask& task : *tasks) ++taken[task.model];
  claimer_.note_claimed(flush.asked, taken);
  concurrency_.note_claimed(flush.asked, flush.claimed_models, flush.shares, taken);
  has_looked_ = has_looked_ || !taken.empty() || claimer_.is_sated();
  if (tasks->empty()) return metrics_.note_claim_refused();
  busy_at_ns_ = clock_.now_ns();
  begin_all(flush, std::move(*tasks));
}

void Worker::on_claimed_urgent(const Flush& flush, Result<std::vector<ClaimedTask>> tasks) {
  if (!tasks) {
    if (tasks.error().code == "SL010") due_.registration = true;
    note_error(tasks.error(), "claiming urgent tasks");
    return;
  }
  if (!tasks->empty()) begin_all(flush, std::move(*tasks));
}

// What the database's clock has granted since it jumped is forfeited.
int64_t Worker::send_by(const Flush& flush, int64_t within_ms) const {
  return server_clock_.has_jumped() ? 0 : flush.sent_ns + within_ms * ns_per_ms;
}

void Worker::begin_all(const Flush& flush, std::vector<ClaimedTask> tasks) {
  metrics_.note_claimed(static_cast<int>(tasks.size()));
  wakeups_.note_claimed();
  for (ClaimedTask& task : tasks) {
    std::optional<int64_t> send_by_ns;
    if (task.send_within_ms) send_by_ns = send_by(flush, *task.send_within_ms);
    begin(std::move(task), send_by_ns);
  }
}

void Worker::on_hedged(const Flush& flush, const Result<std::vector<TaskKey>>& granted) {
  if (!granted) note_error(granted.error(), "asking for extra calls");
  for (const TaskKey& key : flush.hedged) {
    const bool is_granted =
        granted && std::find(granted->begin(), granted->end(), key) != granted->end();
    const auto call = calls_.find(key);
    hedging_.note_answer(key, is_granted && call != calls_.end());
    if (call == calls_.end()) continue;
    Hedge& hedge = call->second->hedge;
    hedge.is_asked = false;
    if (is_granted) {
      metrics_.note_hedged(call->second->task.model);
      hedge.is_granted = true;
      if (call->second->send_by_ns) {  // its model has permits
        hedge.send_by_ns = send_by(flush, bounds::hedge_send_within_ms);
      }
    }
    hedge.changed.raise();
  }
}

void Worker::on_bodies(const std::vector<TaskKey>& asked, Result<std::vector<ClaimedTask>> tasks) {
  if (!tasks) {
    note_error(tasks.error(), "reading requests");
    if (tasks.error().action != Error::Action::reconnect) pause_flushes();
    return;
  }
  std::map<TaskKey, ClaimedTask> arrived;
  for (ClaimedTask& task : *tasks) arrived.emplace(task.key, std::move(task));
  for (const TaskKey& key : asked) {
    const auto task = arrived.find(key);
    // Listed without its body: the answer was full; it is asked for again. Not listed: no longer
    // ours.
    if (task != arrived.end() && !task->second.has_body) continue;
    bodies_wanted_.erase(key);
    const auto call = calls_.find(key);
    if (call == calls_.end()) continue;  // aborted meanwhile
    if (task != arrived.end()) call->second->task = std::move(task->second);
    call->second->body_arrived.raise();
  }
}

// After a loss: what this worker holds without knowing of it was claimed by a claim whose answer
// was lost. Nothing was sent, so it goes back uncharged.
void Worker::on_reread(const Result<std::vector<TaskKey>>& held) {
  if (!held) {
    note_error(held.error(), "reading what this worker holds");
    if (held.error().action != Error::Action::reconnect) pause_flushes();
    return;
  }
  due_.reread = false;  // not earlier: nothing is stored meanwhile
  for (const TaskKey& key : *held) {
    if (!calls_.contains(key) && !completer_.contains(key)) {
      completer_.add(worker_, EndedCall{key, Returned()});
    }
  }
}

void Worker::on_configuration(const Result<Configuration>& configuration) {
  if (!configuration) {
    note_error(configuration.error(), "reading the models");
    due_.configuration = true;
    if (configuration.error().action != Error::Action::reconnect) pause_flushes();
    return;
  }
  models_.clear();
  model_names_.clear();
  has_ceiling_ = false;
  std::vector<Model> served;
  for (const Model& model : configuration->models) {
    if (find_backend(model.api)) {
      models_.emplace(model.name, std::make_shared<const Model>(model));
      has_ceiling_ = has_ceiling_ || model.max_in_flight.has_value();
      served.push_back(model);
    } else {
      spdlog::warn(
          "model \"{}\" needs api \"{}\", which this release does not speak; its tasks wait",
          model.name, model.api);
    }
  }
  for (const auto& [name, model] : models_) model_names_.push_back(name);
  warn_of_unknown_models(*configuration);
  say_what_is_parked(*configuration);
  claimer_.serve(served);
  concurrency_.serve(served);
  if (served.empty()) has_looked_ = true;
  announcer_.want(configuration->events);
  idle_look_ms_ = configuration->idle_look_ms;
  const int64_t interval_ms = std::max<int64_t>(1, configuration->heartbeat_timeout_ms / 3);
  if (interval_ms == heartbeat_interval_ms_) return;
  heartbeat_interval_ms_ = interval_ms;
  tick_.raise();
}

// No error: it may be made later, and is served then.
void Worker::warn_of_unknown_models(const Configuration& configuration) {
  std::set<std::string> unknown(options_.models.begin(), options_.models.end());
  for (const Model& model : configuration.models) unknown.erase(model.name);
  for (const std::string& name : unknown) {
    if (unknown_models_.contains(name)) continue;
    spdlog::warn("unknown model \"{}\" in --models: nothing is served for it until it is made",
                 name);
  }
  unknown_models_ = std::move(unknown);
}

void Worker::say_what_is_parked(const Configuration& configuration) {
  for (const auto& [name, why] : configuration.parked) {
    if (parked_.contains(name)) continue;
    spdlog::warn(
        "model \"{0}\" is parked ({1}), its tasks wait: sluice status says why, "
        "sluice model resume {0} opens it",
        name, why);
  }
  for (const auto& [name, why] : parked_) {
    if (!configuration.parked.contains(name)) spdlog::info("model \"{}\" is parked no more", name);
  }
  parked_ = configuration.parked;
}

void Worker::on_unfinished(const Result<bool>& unfinished) {
  if (!unfinished) {
    note_error(unfinished.error(), "looking for unfinished tasks");
  } else if (!*unfinished && is_idle()) {
    spdlog::info("no task of its models is unfinished");
    drain();
  }
}

// Not if news came while the answer was on its way.
void Worker::on_rest(const Result<Rest>& rest) {
  if (!rest) note_error(rest.error(), "falling asleep");
  if (sleep_ == Sleep::none) return;
  if (!rest || !rest->asleep) {
    if (rest && is_asleep()) wake();
    return rouse();
  }
  sleep_ = Sleep::granted;
  const auto after_ms = [this](int64_t ms) { return clock_.now_ns() + ms * ns_per_ms; };
  look_at_ns_ = after_ms(idle_look_ms_);
  alarm_at_ns_ = after_ms(rest->wake_in_ms);
  tick_.raise();
  wakeups_.note_change();
}

void Worker::note_error(const Error& error, std::string_view doing) {
  if (error.code == damaged_sqlstate) due_.mending = true;
  if (error.action == Error::Action::reconnect) return;  // PgServers says it once for all sessions
  spdlog::error("{} failed: {}{}{}", doing, error.code, error.code.empty() ? "" : " ",
                error.message);
}

// ---- the worker's own life ----

Task<Result<void>> Worker::run() {
  Result<void> result = co_await database_.connect();
  if (!result && draining_) co_return Result<void>();
  if (!result) co_return result;
  due_.registration = true;
  due_.mending = true;
  due_.beat = true;
  helpers_ = 3;
  spawn(store());
  spawn(keep_time());
  spawn(watch());
  while (result && !is_finished()) {
    if (!database_.is_connected()) {
      result = co_await reconnect();
    } else if (has_flush_work()) {
      co_await flush();
    } else if (clock_.now_ns() < flush_not_before_ns_) {
      co_await work_.wait_until(clock_, flush_not_before_ns_);
    } else if (looks_for_urgent()) {
      co_await work_.wait_until(clock_, urgent_look_at_ns_);
    } else {
      co_await work_.wait();
    }
  }
  co_await finish();
  co_return result;
}

// Results wait in memory and calls go on meanwhile. An error: the database is no longer one that we
// serve.
Task<Result<void>> Worker::reconnect() {
  if (reconnect_pause_ms_ > 0) {
    const auto pause_ms = std::uniform_int_distribution<int64_t>(0, reconnect_pause_ms_)(random_);
    co_await pause_.wait_until(clock_, clock_.now_ns() + pause_ms * ns_per_ms);
    if (is_finished()) co_return Result<void>();
  }
  due_.reread = worker_ != 0;
  Result<void> connected = co_await database_.connect();
  if (connected) {
    metrics_.note_reconnect();
    reconnect_pause_ms_ = 0;
    due_.mending = true;
    due_.beat = true;
    due_.configuration = true;
    outcomes_.raise();
    co_return connected;
  }
  if (connected.error().code == "schema") co_return connected;
  note_error(connected.error(), "connecting");
  // Back before a worker that was luckier has beaten for a whole lapse and judges us.
  const int64_t pause_ms_max = std::clamp(heartbeat_interval_ms_, bounds::reconnect_pause_ms_base,
                                          bounds::reconnect_pause_ms_max);
  reconnect_pause_ms_ =
      std::clamp(reconnect_pause_ms_ * 2, bounds::reconnect_pause_ms_base, pause_ms_max);
  co_return Result<void>();
}

// Heartbeats, sweeps, retention, sleep, and the end of --once: it only notes what is due.
Task<void> Worker::keep_time() {
  beat_at_ns_ = busy_at_ns_ = clock_.now_ns();
  while (!finishing_) {
    co_await tick_.wait_until(clock_, next_tick_ns());
    if (is_asleep()) {
      note_what_is_due_asleep();
    } else {
      note_what_is_due();
    }
    work_.raise();
  }
  --helpers_;
  helpers_done_.raise();
}

int64_t Worker::next_tick_ns() const {
  if (is_asleep()) return std::min(look_at_ns_, alarm_at_ns_);
  const int64_t interval_ms = std::min(bounds::look_interval_ms, heartbeat_interval_ms_);
  return clock_.now_ns() + interval_ms * ns_per_ms;
}

void Worker::note_what_is_due() {
  const int64_t now_ns = clock_.now_ns();
  if (now_ns >= beat_at_ns_) {
    beat_at_ns_ = now_ns + heartbeat_interval_ms_ * ns_per_ms;
    due_.beat = true;
  }
  due_.sweep = !draining_ && now_ns >= sweep_not_before_ns_;
  if (now_ns >= retention_at_ns_) due_.retention = !draining_;
  database_.check_listening();
  if (database_.listen_mode() != ListenMode::listen) {  // nobody tells us
    if (!draining_) catch_up();
    if (!calls_.empty()) due_.beat = true;  // which one to abort
  }
  due_.unfinished = options_.once && !draining_ && is_idle();
  if (!calls_.empty() || !completer_.empty()) busy_at_ns_ = now_ns;
  if (may_fall_asleep()) {
    sleep_ = Sleep::asked_for;
    due_.rest = true;
  }
}

void Worker::note_what_is_due_asleep() {
  const int64_t now_ns = clock_.now_ns();
  if (now_ns >= alarm_at_ns_) {
    rouse();
    wake();
  } else if (now_ns >= look_at_ns_) {
    look_at_ns_ = std::numeric_limits<int64_t>::max();  // the answer says when
    due_.rest = true;
    const int64_t longer_ms = bounds::retention_interval_asleep_ms - bounds::retention_interval_ms;
    due_.retention = now_ns >= retention_at_ns_ + longer_ms * ns_per_ms;
  }
}

bool Worker::may_fall_asleep() const {
  return sleep_ == Sleep::none && worker_ != 0 && !options_.once && !draining_ && is_idle() &&
         clock_.now_ns() >=
             busy_at_ns_ + std::min(bounds::sleep_after_ms, idle_look_ms_) * ns_per_ms &&
         database_.is_connected() && database_.listen_mode() == ListenMode::listen;
}

// It has something to do, or will hear of something. From here on it beats again, first of all.
void Worker::rouse() {
  busy_at_ns_ = clock_.now_ns();
  if (std::exchange(sleep_, Sleep::none) == Sleep::none) return;
  due_.rest = false;
  due_.beat = true;
  tick_.raise();
  work_.raise();
  wakeups_.note_change();
}

Task<void> Worker::watch() {
  co_await wakeups_.run();
  --helpers_;
  helpers_done_.raise();
}

Task<void> Worker::finish() {
  leave();  // nothing is left, or the schema is not ours any more
  finishing_ = true;
  const Clock::TimerId give_up = clock_.call_at(
      clock_.now_ns() + bounds::leave_timeout_ms * ns_per_ms, [this] { database_.close(); });
  outcomes_.raise();
  wakeups_.stop();
  tick_.raise();
  while (helpers_ > 0 || !calls_.empty() || is_storing_) {
    if (helpers_ > 0) {
      co_await helpers_done_.wait();
    } else {
      co_await work_.wait();
    }
  }
  if (database_.is_connected() && worker_ != 0) {
    Result<int64_t> handed_back = co_await database_.unregister_worker(worker_);
    if (handed_back && *handed_back > 0) spdlog::info("handed back {} task(s)", *handed_back);
  }
  clock_.cancel(give_up);
  database_.close();
}

void Worker::drain() {
  if (draining_) return;
  spdlog::info("draining: {} call(s) under way", calls_.size());
  draining_ = true;
  batcher_.send_all();
  wakeups_.stop();
  work_.raise();
  // Nothing was ever claimed, so no server is worth waiting for.
  if (worker_ == 0 && !database_.is_connected()) database_.close();
  leave_timer_ = clock_.call_at(clock_.now_ns() + options_.drain_timeout_ms * ns_per_ms, [this] {
    if (!calls_.empty()) spdlog::warn("drain time-out: handing back {} task(s)", calls_.size());
    leave();
  });
}

void Worker::leave() {
  if (leaving_) return;
  draining_ = leaving_ = true;
  clock_.cancel(leave_timer_);    // the drain's
  const ReadyQueue::Batch batch;  // aborted calls end after this loop over them
  for (auto& [key, call] : calls_) abort(*call);
  wakeups_.stop();
  leave_timer_ = clock_.call_at(clock_.now_ns() + bounds::leave_timeout_ms * ns_per_ms, [this] {
    given_up_ = true;
    if (!database_.is_connected()) database_.close();  // ends the wait for a server
    pause_.raise();
    work_.raise();
  });
  work_.raise();
}

void Worker::wake() {
  sweep_not_before_ns_ = 0;
  claimer_.wake();
  work_.raise();
  note_appetite();
}

void Worker::wake(int64_t model) {
  sweep_not_before_ns_ = 0;
  claimer_.wake(model);
  work_.raise();
  note_appetite();
}

void Worker::catch_up() {
  // The listening session is there: the other need not wait for its own next try.
  if (!database_.is_connected() && database_.is_listening()) pause_.raise();
  due_.configuration = true;
  wake();
}

void Worker::abort(Call& call) {
  call.abort_all();
  call.body_arrived.raise();
}

void Worker::pause_flushes() {
  flush_not_before_ns_ = clock_.now_ns() + bounds::reconnect_pause_ms_base * ns_per_ms;
}

int Worker::slots_free() const {
  return options_.slots - static_cast<int>(calls_.size() + completer_.size());
}

int Worker::urgent_slots_free() const {
  return slots_free() + std::max(1, options_.slots / bounds::slots_per_urgent_slot);
}

// Not those whose backends have more than they bear.
std::vector<std::string> Worker::models_for_urgent() const {
  std::vector<std::string> names;
  for (const auto& [name, model] : models_) {
    if (concurrency_.may_begin_urgent(name)) names.push_back(name);
  }
  return names;
}

// Whether tasks may be ready that no claim for all would take: there is no slot, or a model has its
// part of them.
bool Worker::looks_for_urgent() const {
  return !draining_ && worker_ != 0 && !models_.empty() && urgent_slots_free() > 0 &&
         (slots_free() <= 0 || concurrency_.is_held_back());
}

bool Worker::is_idle() const {
  return claimer_.is_sated() && calls_.empty() && completer_.empty() && !is_storing_;
}

bool Worker::is_finished() const {
  const bool has_announced = announcer_.empty() || !database_.is_connected();
  const bool has_stored = completer_.empty() && !is_storing_;
  return given_up_ || (draining_ && calls_.empty() && has_stored && has_announced);
}

std::string Worker::not_ready_because() const {
  if (draining_) return "draining";
  if (!database_.is_connected()) return "no connection to the database";
  if (worker_ == 0) return "not registered yet";
  if (!has_looked_) return "looking for work for the first time";
  if (database_.listen_mode() == ListenMode::lost)
    return "no wake-ups: polling until they are back";
  return "";
}

Wakeups::Appetite Worker::appetite() const {
  if (slots_free() <= 0) return Wakeups::Appetite::full;
  return claimer_.is_sated() ? Wakeups::Appetite::sated : Wakeups::Appetite::claiming;
}

// Tells the sleeper when it has something to do.
void Worker::note_appetite() {
  metrics_.set_slots(options_.slots, static_cast<int>(calls_.size()),
                     static_cast<int>(completer_.size()));
  note_slot_wait();
  const Wakeups::Appetite now = appetite();
  if (std::exchange(last_appetite_, now) != now) wakeups_.note_change();
}

void Worker::note_slot_wait() {
  const bool waits = !draining_ && !claimer_.is_sated() && slots_free() <= 0;
  if (waits == slot_wanted_since_ns_.has_value()) return;
  if (waits) {
    slot_wanted_since_ns_ = clock_.now_ns();
  } else {
    metrics_.note_slot_wait(seconds_since(clock_, *slot_wanted_since_ns_));
    slot_wanted_since_ns_.reset();
  }
}

}  // namespace sluice
