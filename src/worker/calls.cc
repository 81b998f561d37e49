#include "worker/calls.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "bounds.h"
#include "log.h"
#include "runtime/endpoint.h"
#include "worker/race.h"

namespace sluice {

namespace {

// Whether the backend refused, failed or did not answer: it has more than it bears.
bool is_overload(const Outcome& outcome) {
  const auto is_down = [](const std::optional<int>& http_status) {
    return !http_status || *http_status == 408 || *http_status >= 500;
  };
  if (const auto* retry = std::get_if<Retry>(&outcome)) return is_down(retry->http_status);
  if (const auto* batch = std::get_if<BatchFailed>(&outcome)) return is_down(batch->http_status);
  return std::holds_alternative<Throttled>(outcome) || std::holds_alternative<Unsent>(outcome);
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

Calls::Calls(Options options, Clock& clock, HttpClient& http, Metrics& metrics, SpanExporter* spans,
             const ServedModels& models, DatabaseLink& link, std::function<void(Ended)> on_ended)
    : clock_(clock),
      http_(http),
      metrics_(metrics),
      spans_(spans),
      models_(models),
      link_(link),
      on_ended_(std::move(on_ended)),
      secrets_(std::move(options.secrets)),
      limit_news_(clock),
      batcher_(clock),
      request_memory_(clock, options.request_bytes_max, bounds::request_copies),
      extra_calls_max_(options.extra_calls_max) {}

void Calls::begin(ClaimedTask task, int64_t claimed_ns) {
  auto call = std::make_shared<Call>();
  call->worker = link_.worker();
  call->claimed_ns = claimed_ns;
  if (task.send_within_ms) {
    call->send_by_ns = link_.send_by_ns(claimed_ns, *task.send_within_ms);
  }
  call->task = std::move(task);
  if (are_aborted_) abort(*call);
  calls_.emplace(call->task.key, call);
  spawn(live(std::move(call)));
}

// ---- the life of one task ----

// Claimed (by a flush, in a short transaction) -> called (no connection held) -> recorded (by a
// completion, in a short transaction). The slot is free again when the outcome is on its way there.
Co<void> Calls::live(std::shared_ptr<Call> call) {
  const int64_t begun_ns = clock_.now_ns();
  Answer answer = co_await answer_of(*call);
  // If it is no longer ours, the database passes over it.
  if (call->is_unwanted && std::holds_alternative<Returned>(answer.outcome)) {
    answer.outcome = Cancelled{};
  }
  end(*call, begun_ns, std::move(answer));
}

Co<Answer> Calls::answer_of(Call& call) {
  if (!call.task.has_body) co_await fetch_body(call);
  SharedModel model = models_.find(call.task.model);
  if (call.abort.aborted() || !model) co_return Answer{Returned()};
  const int64_t asked_ns = clock_.now_ns();
  if (!may_send(call, asked_ns)) {
    note_forfeited(call);
    co_return Answer{Returned()};
  }
  if (!call.task.has_body) co_return Answer{Returned()};
  Answer answer = co_await ask(call, std::move(model));
  // The connection took too long, and the request was not sent.
  if (std::holds_alternative<Returned>(answer.outcome) && !may_send(call, clock_.now_ns())) {
    note_forfeited(call);
  } else if (call.send_by_ns) {
    allowance_.note(asked_ns - call.claimed_ns);
  }
  co_return answer;
}

void Calls::note_forfeited(const Call& call) {
  metrics_.note_forfeited();
  allowance_.note(clock_.now_ns() - call.claimed_ns);
}

// A large one has its part of the memory first. When this ends without a body, the call is not to
// be made.
Co<void> Calls::fetch_body(Call& call) {
  const TaskKey key = call.task.key;
  const int64_t bytes = call.task.request_bytes;
  std::shared_ptr<MemoryBudget::Hold> memory;
  if (bytes > bounds::request_small_bytes_max) {
    memory = co_await room_for(call);
    if (!memory) co_return;
    large_bodies_wanted_.emplace(key, bytes);
    fetches_change_.raise();
  } else {
    bodies_wanted_.emplace(key, bytes);
    link_.want_flush();
  }
  if (call.send_by_ns) {
    co_await call.body_arrived.wait_until(clock_, *call.send_by_ns + 1);
  } else {
    co_await call.body_arrived.wait();
  }
  bodies_wanted_.erase(key);
  large_bodies_wanted_.erase(key);
  call.task.question.memory = std::move(memory);
}

// Null: the call was aborted, or may not be sent any more. A model with extra calls has its request
// kept for them, and each of them has a copy.
Co<std::shared_ptr<MemoryBudget::Hold>> Calls::room_for(Call& call) {
  const SharedModel model = models_.find(call.task.model);
  if (!model) co_return nullptr;
  const std::optional<Endpoint> backend = endpoint_of(model->url);
  const int copies = model->hedge_after_ms ? 2 + model->hedge_max : 1;
  auto hold = std::make_shared<MemoryBudget::Hold>(
      request_memory_, backend ? backend->origin() : "", [&call] { call.room.raise(); });
  while (!hold->grow_to(call.task.request_bytes * copies)) {
    if (call.send_by_ns) {
      co_await call.room.wait_until(clock_, *call.send_by_ns + 1);
    } else {
      co_await call.room.wait();
    }
    if (call.abort.aborted() || !may_send(call, clock_.now_ns())) co_return nullptr;
  }
  co_return hold;
}

// No coroutine of its own: 10,000 calls that wait would each hold its frame.
Co<Answer> Calls::ask(Call& call, SharedModel model) {
  const Calling calling{clock_, http_, secrets_, limit_news_, spans_};
  if (Batcher::takes(*model, call.task)) return batcher_.ask(calling, std::move(model), call);
  hedging_.note_call(model->name);
  if (model->hedge_after_ms) return race(call, std::move(model));
  Question question = std::exchange(call.task.question, Question());
  return ask_model(calling, std::move(model), call.task, std::move(question), call.send_by_ns,
                   call.abort);
}

Co<Answer> Calls::race(Call& call, SharedModel model) {
  const Calling calling{clock_, http_, secrets_, limit_news_, spans_};
  Race race(calling, model, call,
            [this, model, &call] { return ask_for_one_more(*model, call.task.key); });
  co_return co_await race.run();
}

bool Calls::ask_for_one_more(const Model& model, const TaskKey& key) {
  if (are_aborted_ || hedging_.size() >= extra_calls_max_) return false;
  if (!hedging_.ask(model, key, clock_.now_ns())) return false;
  link_.want_flush();
  return true;
}

void Calls::end(const Call& call, int64_t begun_ns, Answer answer) {
  const TaskKey key = call.task.key;
  const std::string& model = call.task.model;
  const double seconds =
      static_cast<double>(clock_.now_ns() - begun_ns) / static_cast<double>(ns_per_s);
  metrics_.note_call(model, answer.outcome, seconds);
  log_ended(call, answer.outcome, seconds);
  if (!std::holds_alternative<Solved>(answer.outcome)) answer.first_token_after_ns.reset();
  if (answer.first_token_after_ns) {
    metrics_.note_first_token(
        model, static_cast<double>(*answer.first_token_after_ns) / static_cast<double>(ns_per_s));
  }
  hedging_.forget(key);
  calls_.erase(key);
  const Concurrency::End end{begun_ns, clock_.now_ns(), is_overload(answer.outcome),
                             answer.first_token_after_ns};
  on_ended_(Ended{model, end, call.worker,
                  EndedCall{key, std::move(answer.outcome), std::move(answer.memory)}});
}

void Calls::abort(Call& call) {
  call.abort_all();
  call.room.raise();
  call.body_arrived.raise();
}

void Calls::abort_all() {
  are_aborted_ = true;
  const ReadyQueue::Batch batch;  // aborted calls end after this loop over them
  for (auto& [key, call] : calls_) abort(*call);
}

void Calls::abort_unwanted(const std::vector<TaskKey>& keys) {
  for (const TaskKey& key : keys) {
    const auto call = calls_.find(key);
    if (call == calls_.end()) continue;
    log_about(spdlog::level::info, LogSubject{key.task_id, key.fence},
              "cancelled or taken from this worker; aborting its call");
    call->second->is_unwanted = true;
    abort(*call->second);
  }
}

// ---- what backends said is left ----

void Calls::send_limits(Flush& flush) {
  const std::vector<ModelLimits> limits = limit_news_.take();
  if (limits.empty()) return;
  flush.add(link_.database().drain_buckets(limits), [this](const Result<void>& drained) {
    if (!drained) link_.note_error(drained.error(), "lowering a model's buckets");
  });
}

// ---- extra calls ----

void Calls::send_hedges(Flush& flush) {
  std::vector<TaskKey> asked = hedging_.take();
  if (asked.empty()) return;
  Co<Result<std::vector<TaskKey>>> granted = link_.database().hedge(link_.worker(), asked);
  flush.add(std::move(granted),
            [this, asked = std::move(asked), sent_ns = flush.sent_ns()](
                const Result<std::vector<TaskKey>>& keys) { on_hedged(asked, keys, sent_ns); });
}

void Calls::on_hedged(const std::vector<TaskKey>& asked,
                      const Result<std::vector<TaskKey>>& granted, int64_t sent_ns) {
  if (!granted) link_.note_error(granted.error(), "asking for extra calls");
  for (const TaskKey& key : asked) {
    const bool is_granted =
        granted && std::find(granted->begin(), granted->end(), key) != granted->end();
    const auto call = calls_.find(key);
    if (is_granted) {
      hedging_.note_answer(key, call != calls_.end());
    } else {
      hedging_.note_refusal(key);
    }
    if (call == calls_.end()) continue;
    call->second->hedge.is_asked = false;
    if (is_granted) grant(*call->second, sent_ns);
    call->second->hedge.changed.raise();
  }
}

void Calls::grant(Call& call, int64_t sent_ns) {
  metrics_.note_hedged(call.task.model);
  call.hedge.is_granted = true;
  if (call.send_by_ns) {  // its model has permits
    call.hedge.send_by_ns = link_.send_by_ns(sent_ns, bounds::send_within_ms);
  }
}

// ---- bodies ----

// In portions that grow: the first calls begin while the other bodies are on their way.
void Calls::send_for_bodies(Flush& flush) {
  int64_t bytes_max = bounds::requests_bytes_min;
  for (auto next = bodies_wanted_.begin(); next != bodies_wanted_.end();) {
    std::vector<TaskKey> asked;
    for (int64_t bytes = 0; next != bodies_wanted_.end() && bytes < bytes_max; ++next) {
      asked.push_back(next->first);
      bytes += next->second;
    }
    ask_for_bodies(flush, std::move(asked));
    bytes_max = std::min(bytes_max * 2, bounds::requests_bytes_max);
  }
}

void Calls::ask_for_bodies(Flush& flush, std::vector<TaskKey> asked) {
  std::vector<int64_t> ids;
  ids.reserve(asked.size());
  for (const TaskKey& key : asked) ids.push_back(key.task_id);
  flush.add(link_.database().requests(link_.worker(), std::move(ids)),
            [this, asked = std::move(asked)](Result<std::vector<ClaimedTask>> tasks) {
              on_bodies(asked, std::move(tasks));
            });
}

Co<void> Calls::run_fetches() {
  bool may_be_open = false;  // the session for them
  while (!are_fetches_over_) {
    if (!large_bodies_wanted_.empty() && link_.is_connected()) {
      if (link_.may_send()) {
        may_be_open = true;
        co_await fetch_large();
      } else {
        co_await fetches_change_.wait_until(clock_, link_.not_before_ns());
      }
    } else if (may_be_open) {
      const int64_t idle_ns = clock_.now_ns() + bounds::large_session_idle_ms * ns_per_ms;
      if (co_await fetches_change_.wait_until(clock_, idle_ns)) continue;
      link_.database().end_large_requests();
      may_be_open = false;
    } else {
      co_await fetches_change_.wait();
    }
  }
}

void Calls::finish() {
  are_fetches_over_ = true;
  link_.database().end_large_requests();
  fetches_change_.raise();
}

// A statement each, so that no answer of the database is larger than one body; in turns, so that
// one that cannot be read holds up no others for good.
Co<void> Calls::fetch_large() {
  co_await link_.database().open_for_large_requests();
  Flush flush(clock_.now_ns());
  auto next = large_bodies_wanted_.upper_bound(fetched_last_);
  if (next == large_bodies_wanted_.end()) next = large_bodies_wanted_.begin();
  int64_t sum = 0;
  for (; next != large_bodies_wanted_.end(); ++next) {
    const auto [key, bytes] = *next;
    sum += bytes;
    if (sum > bounds::large_requests_bytes_max && sum > bytes) break;
    fetched_last_ = key;
    flush.add(link_.database().large_request(link_.worker(), key.task_id),
              [this, key = key](Result<std::vector<ClaimedTask>> task) {
                if (!task) link_.pause();  // also if it was the session's end
                on_bodies(std::vector(1, key), std::move(task));
              });
  }
  co_await flush.receive();
}

void Calls::on_bodies(const std::vector<TaskKey>& asked, Result<std::vector<ClaimedTask>> tasks) {
  if (!tasks) return link_.note_failure(tasks.error(), "reading requests");
  std::map<TaskKey, ClaimedTask> arrived;
  for (ClaimedTask& task : *tasks) arrived.emplace(task.key, std::move(task));
  for (const TaskKey& key : asked) {
    const auto task = arrived.find(key);
    // Listed without its body: the answer was full; it is asked for again. Not listed: no longer
    // ours.
    if (task != arrived.end() && !task->second.has_body) continue;
    bodies_wanted_.erase(key);
    large_bodies_wanted_.erase(key);
    const auto call = calls_.find(key);
    if (call == calls_.end()) continue;  // aborted meanwhile
    if (task != arrived.end()) call->second->task = std::move(task->second);
    call->second->body_arrived.raise();
  }
}

}  // namespace sluice
