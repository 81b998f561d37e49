#include "worker/completer.h"

#include <algorithm>
#include <iterator>

#include "bounds.h"

namespace sluice {

namespace {

size_t bytes_of(const Outcome& outcome) {
  const auto* solved = std::get_if<Solved>(&outcome);
  if (solved == nullptr) return 0;
  return solved->response.size() + (solved->answer ? solved->answer->size() : 0);
}

constexpr std::string_view unstorable = "unstorable";

bool is_unstorable(const Outcome& outcome) {
  const auto* failed = std::get_if<Failed>(&outcome);
  return failed != nullptr && failed->error_code == unstorable;
}

// Whether what an outcome says may be the reason, so that it would be refused for ever. All else is
// about the database: a right, a disk, a table, a limit of the server. So are 21, which no value
// brings about, 54001: complete() nests no deeper for any outcome, for it parses none, and 23505:
// it inserts nothing twice, so an index is damaged.
bool blames_outcome(const Error& error) {
  return error.code.starts_with("22") || error.code == "54000" ||
         (error.code.starts_with("23") && error.code != "23505");
}

}  // namespace

bool is_large(const Outcome& outcome) {
  return bytes_of(outcome) > bounds::complete_bytes_max;
}

void Completer::add(int64_t worker, EndedCall ended) {
  const size_t bytes = bytes_of(ended.outcome);
  Queue& queue = queues_[ended.model];
  queue.push_back(Waiting{worker, std::move(ended), bytes});
  ++size_;
}

bool Completer::contains(const TaskKey& key) const {
  const auto has_key = [&key](const Queue& queue) {
    return std::any_of(queue.begin(), queue.end(),
                       [&key](const Waiting& waiting) { return waiting.ended.key == key; });
  };
  return has_key(again_) || has_key(aside_) ||
         std::any_of(queues_.begin(), queues_.end(),
                     [&](const auto& entry) { return has_key(entry.second); });
}

size_t Completer::rows_max() const {
  return rows_max_ > 0 ? rows_max_ : bounds::complete_rows_max;
}

Completer::Batch Completer::take() {
  Batch batch;
  take_again(batch);
  if (batch.ended.empty()) take_in_turns(batch);
  return batch;
}

void Completer::take_again(Batch& batch) {
  size_t bytes = 0;
  while (!again_.empty() && batch.ended.size() < rows_max()) {
    const Waiting& next = again_.front();
    bytes += next.bytes;
    const bool fits = bytes <= bounds::complete_bytes_max && next.worker == batch.worker;
    if (!batch.ended.empty() && !fits) break;
    move_front(again_, batch);
  }
}

// One of each model, as long as they fit, time and again.
void Completer::take_in_turns(Batch& batch) {
  size_t bytes = 0;
  auto model = queues_.upper_bound(last_);
  for (size_t passed = 0; passed < queues_.size() && batch.ended.size() < rows_max();) {
    if (model == queues_.end()) model = queues_.begin();
    Queue& queue = model->second;
    const Waiting& next = queue.front();
    const bool fits =
        bytes + next.bytes <= bounds::complete_bytes_max && next.worker == batch.worker;
    if (!batch.ended.empty() && !fits) {
      ++passed;
      ++model;
      continue;
    }
    passed = 0;
    bytes += next.bytes;
    last_ = model->first;
    move_front(queue, batch);
    model = queue.empty() ? queues_.erase(model) : std::next(model);
  }
}

void Completer::move_front(Queue& queue, Batch& batch) {
  batch.worker = queue.front().worker;
  batch.ended.push_back(std::move(queue.front().ended));
  queue.pop_front();
  --size_;
}

void Completer::put_back(Batch batch) {
  for (auto ended = batch.ended.rbegin(); ended != batch.ended.rend(); ++ended) {
    const size_t bytes = bytes_of(ended->outcome);
    again_.push_front(Waiting{batch.worker, std::move(*ended), bytes});
    ++size_;
  }
}

void Completer::put_back_refused(Batch batch, const Error& error) {
  rows_max_ = std::max<size_t>(1, batch.ended.size() / 2);
  if (batch.ended.size() > 1) return put_back(std::move(batch));
  Outcome& outcome = batch.ended[0].outcome;
  const bool is_to_be_failed = blames_outcome(error) && !is_unstorable(outcome);
  if (is_to_be_failed) {
    outcome = Failed{std::string(unstorable),
                     "PostgreSQL refused to store the outcome, SQLSTATE " + error.code,
                     std::nullopt, true};
  }
  put_back(std::move(batch));
  if (is_to_be_failed) return;
  aside_.push_back(std::move(again_.front()));
  again_.pop_front();
}

Completer::Batch Completer::take_aside() {
  Batch batch;
  batch.was_aside = true;
  move_front(aside_, batch);
  return batch;
}

void Completer::take_up_aside() {
  std::move(aside_.begin(), aside_.end(), std::back_inserter(again_));
  aside_.clear();
}

}  // namespace sluice
