#include "worker/completer.h"

#include <algorithm>

#include "bounds.h"

namespace sluice {

namespace {

size_t bytes_of(const Outcome& outcome) {
  const auto* solved = std::get_if<Solved>(&outcome);
  if (solved == nullptr) return 0;
  return solved->response.size() + (solved->answer ? solved->answer->size() : 0);
}

constexpr std::string_view unstorable = "unstorable";

}  // namespace

void Completer::add(int64_t worker, EndedCall ended) {
  waiting_.push_back(Waiting{worker, std::move(ended)});
}

bool Completer::contains(const TaskKey& key) const {
  return std::any_of(waiting_.begin(), waiting_.end(),
                     [&key](const Waiting& waiting) { return waiting.ended.key == key; });
}

Completer::Batch Completer::take() {
  const size_t rows_max = rows_max_ > 0 ? rows_max_ : bounds::complete_rows_max;
  Batch batch;
  batch.worker = waiting_.front().worker;
  size_t bytes = 0;
  while (!waiting_.empty() && waiting_.front().worker == batch.worker &&
         batch.ended.size() < rows_max) {
    bytes += bytes_of(waiting_.front().ended.outcome);
    if (bytes > bounds::complete_bytes_max && !batch.ended.empty()) break;
    batch.ended.push_back(std::move(waiting_.front().ended));
    waiting_.pop_front();
  }
  return batch;
}

void Completer::put_back(Batch batch) {
  for (auto ended = batch.ended.rbegin(); ended != batch.ended.rend(); ++ended) {
    waiting_.push_front(Waiting{batch.worker, std::move(*ended)});
  }
}

bool Completer::put_back_refused(Batch batch, const Error& error) {
  if (batch.ended.size() == 1) {
    const auto* failed = std::get_if<Failed>(&batch.ended[0].outcome);
    if (failed && failed->error_code == unstorable) return false;
    batch.ended[0].outcome = Failed{
        std::string(unstorable), "PostgreSQL refused to store the outcome, SQLSTATE " + error.code,
        std::nullopt, true};
  }
  rows_max_ = std::max<size_t>(1, batch.ended.size() / 2);
  put_back(std::move(batch));
  return true;
}

}  // namespace sluice
