#include "worker/batcher.h"

#include <algorithm>
#include <utility>

#include "backends/solve_batch.h"
#include "bounds.h"

namespace sluice {

namespace {

std::optional<int64_t> earlier(std::optional<int64_t> one, std::optional<int64_t> other) {
  return one && other ? std::min(one, other) : one ? one : other;
}

// How many tasks a batch with this one may have: 1 for one that waits for nobody.
size_t size_max(const Model& model, const ClaimedTask& task) {
  if (task.priority > 0) return 1;
  const int64_t handed_back = std::max<int64_t>(0, task.key.fence - task.attempt);
  return static_cast<size_t>(std::max(1, model.batch_max >> std::min<int64_t>(handed_back, 30)));
}

}  // namespace

// One task in a batch, at home in its ask().
struct Batcher::Member {
  explicit Member(Call& its_call) : call(its_call) {}
  void answer_with(Answer given) {
    call.abort.on_abort(nullptr);  // the batch may be gone before this one goes on
    answer = std::move(given);
    answered.raise();
  }

  Call& call;
  std::optional<CallSpan> span;  // of the batch's call, in the trace of this task
  std::optional<Answer> answer;
  Signal answered;
};

struct Batcher::Batch {
  Batch(const Calling& its_calling, SharedModel its_model)
      : calling(its_calling), shared(std::move(its_model)) {}

  Calling calling;
  SharedModel shared;
  const Model& model = *shared;
  std::vector<Member*> members;  // null: it has left
  size_t bytes = 0;
  int64_t begun_ns = 0;
  std::optional<int64_t> send_by_ns;  // of the first permit to be forfeited
  Clock::TimerId timer = 0;
  bool is_under_way = false;
  AbortToken abort;
};

Batcher::~Batcher() {
  for (auto& [group, batch] : gathering_) clock_.cancel(batch->timer);
}

// The prompts become the request's.
HttpRequest Batcher::request_of(Batch& batch) {
  std::vector<std::string> prompts;
  std::vector<TaskKey> tasks;
  const ClaimedTask& first = batch.members.front()->call.task;
  for (Member* member : batch.members) {
    member->span.emplace(batch.calling.spans, batch.calling.clock, batch.model, member->call.task);
    prompts.push_back(std::move(*member->call.task.question.prompt));
    tasks.push_back(member->call.task.key);
  }
  HttpRequest request =
      batch_request_for(batch.model, std::move(prompts), first.question.max_output_tokens);
  request.headers.push_back(task_header(tasks));
  const std::optional<std::string>& traceparent = batch.members.front()->span->traceparent();
  if (traceparent) request.headers.push_back("traceparent: " + *traceparent);
  request.timeout_ms = first.timeout_ms;
  for (Member* member : batch.members) {
    request.body.keep(std::move(member->call.task.question.memory));
    member->call.task.question = Question();
    request.send_by_ns = earlier(request.send_by_ns, member->call.send_by_ns);
  }
  return request;
}

bool Batcher::takes(const Model& model, const ClaimedTask& task) {
  if (model.api != "solve" || !task.question.prompt || !offers(model, batch_path)) return false;
  const bool has_other = offers(model, "/single") || offers(model, "/solve");
  return !has_other || size_max(model, task) > 1;
}

Co<Answer> Batcher::ask(Calling calling, SharedModel model, Call& call) {
  Member member(call);
  const Group group(model->name, size_max(*model, call.task), call.task.question.max_output_tokens);
  gather(group, calling, std::move(model), member);
  while (!member.answer) co_await member.answered.wait();
  co_return std::move(*member.answer);
}

void Batcher::gather(const Group& group, const Calling& calling, SharedModel model,
                     Member& member) {
  const size_t bytes = member.call.task.question.prompt->size();
  const auto full = gathering_.find(group);
  if (full != gathering_.end() && full->second->bytes + bytes > bounds::batch_bytes_max) {
    send(group);
  }
  std::shared_ptr<Batch>& batch = gathering_[group];
  if (!batch) {
    batch = std::make_shared<Batch>(calling, std::move(model));
    batch->begun_ns = clock_.now_ns();
  }
  member.call.abort.on_abort([batch = batch.get(), &member] { leave(*batch, member); });
  batch->members.push_back(&member);
  batch->bytes += bytes;
  batch->send_by_ns = earlier(batch->send_by_ns, member.call.send_by_ns);
  paces_[batch->model.name].note_arrival(batch->model, clock_.now_ns());
  if (batch->members.size() >= std::get<size_t>(group)) {
    send(group);
  } else {
    set_timer(group, *batch);
  }
}

// Also for a batch that goes at once: the other tasks of the claim are on their way here.
void Batcher::set_timer(const Group& group, Batch& batch) {
  const BatchPace& pace = paces_[batch.model.name];
  int64_t at_ns = clock_.now_ns();
  if (batch.members.size() < pace.goal(batch.model)) {
    at_ns = batch.begun_ns + pace.wait_ns(batch.model);
    if (batch.send_by_ns) {
      at_ns = std::min(at_ns, *batch.send_by_ns - bounds::batch_send_margin_ms * ns_per_ms);
    }
  }
  clock_.cancel(batch.timer);
  batch.timer = clock_.call_at(at_ns, [this, group] { send(group); });
}

void Batcher::send_all() {
  while (!gathering_.empty()) send(gathering_.begin()->first);
}

// Permits that were forfeited meanwhile are not used.
void Batcher::send(const Group& group) {
  auto gathered = gathering_.extract(group);
  std::shared_ptr<Batch> batch = std::move(gathered.mapped());
  clock_.cancel(batch->timer);
  batch->is_under_way = true;
  std::erase(batch->members, nullptr);
  for (Member*& member : batch->members) {
    if (may_send(member->call, clock_.now_ns())) continue;
    std::exchange(member, nullptr)->answer_with(Answer{Returned()});
  }
  std::erase(batch->members, nullptr);
  if (!batch->members.empty()) spawn(call(std::move(batch)));
}

// Cancelled, or this worker leaves. The last of a call under way waits for its end.
void Batcher::leave(Batch& batch, Member& member) {
  const auto stays = [&member](const Member* other) { return other && other != &member; };
  if (batch.is_under_way && std::none_of(batch.members.begin(), batch.members.end(), stays)) {
    batch.abort.abort();
    return;
  }
  std::replace(batch.members.begin(), batch.members.end(), &member, static_cast<Member*>(nullptr));
  member.answer_with(Answer{Returned()});
}

// One request for all. Tasks that have left meanwhile are passed over.
Co<void> Batcher::call(std::shared_ptr<Batch> batch) {
  const int64_t begun_ns = clock_.now_ns();
  std::erase(batch->members, nullptr);  // who left since send(): not all, for the last one stays
  HttpRequest request = request_of(*batch);
  Redaction redaction;
  Reply reply = co_await exchange(batch->calling, batch->model, std::move(request), nullptr,
                                  batch->abort, redaction);
  std::optional<int64_t> first_token_after_ns;
  if (reply) {
    paces_[batch->model.name].note_call(clock_.now_ns() - begun_ns);
    if (reply->first_byte_ns) first_token_after_ns = *reply->first_byte_ns - begun_ns;
  }
  std::shared_ptr<MemoryBudget::Hold> memory = reply ? reply->memory : nullptr;
  std::vector<Outcome> outcomes = outcomes_of_batch(reply, batch->members.size());
  for (size_t i = 0; i < outcomes.size(); ++i) {
    Member* const member = batch->members[i];
    if (member == nullptr) continue;
    Outcome outcome = give_up_on_bad_answers(std::move(outcomes[i]), member->call.task.attempt);
    outcome = with_url(std::move(outcome), batch->model, batch_path);
    redaction.apply(outcome);
    member->span->end(outcome, outcomes.size());
    member->answer_with(Answer{std::move(outcome), first_token_after_ns, memory});
  }
}

}  // namespace sluice
