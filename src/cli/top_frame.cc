#include "cli/top_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "cli/table.h"
#include "cli/terminal.h"
#include "duration.h"

namespace sluice {
namespace {

constexpr double rate_window_s = 10;
constexpr double quota_window_s = 60;
constexpr double history_s = 60;

using Kind = Table::Kind;

std::string age_of(std::optional<double> age_s) {
  return age_s ? brief_age(*age_s) : "-";
}

std::string rate_of(std::optional<double> rate) {
  return rate ? fmt::format("{:.1f}", *rate) : "-";
}

std::string quota_of(const QueueFacts& queue, const CallRates& rates) {
  const std::optional<double> began = rates.began_per_min(queue.model);
  if (!queue.quota_rpm || !began) return "-";
  return fmt::format("{:.0f}%", 100 * *began / *queue.quota_rpm);
}

std::string workers_line(const TopFacts& facts) {
  int64_t alive = 0;
  int64_t slots = 0;
  int64_t busy = 0;
  for (const WorkerFacts& worker : facts.workers) {
    if (worker.state != "alive") continue;
    ++alive;
    slots += worker.slots;
    busy += worker.in_flight;
  }
  return fmt::format("sluice {}  {} worker(s) alive, {} of {} slots busy", facts.time, alive, busy,
                     slots);
}

std::string rates_line(const TopFacts& facts, const CallRates& rates) {
  QueueFacts sum;
  std::optional<double> ended_per_s;
  for (const QueueFacts& queue : facts.queues) {
    sum.waiting += queue.waiting;
    sum.queued += queue.queued;
    sum.in_flight += queue.in_flight;
    const std::optional<double> ended = rates.ended_per_s(queue.model);
    if (ended) ended_per_s = ended_per_s.value_or(0) + *ended;
  }
  int64_t failures = 0;
  for (const FailureFacts& failure : facts.failures) failures += failure.calls;
  return fmt::format("{} waiting, {} queued, {} in flight; {} calls/s, {} failed in 10 min",
                     sum.waiting, sum.queued, sum.in_flight, rate_of(ended_per_s), failures);
}

// A list of the screen: which part of it is shown.
struct Part {
  size_t first = 0;
  size_t shown = 0;
  size_t all = 0;

  std::string heading(const char* name) const {
    if (shown == all) return name;
    return fmt::format("{} {}-{} of {}", name, first + 1, first + shown, all);
  }
};

// One row after the other to each list that wants more.
void deal_rows(std::array<Part*, 3> parts, size_t rows) {
  bool is_dealing = true;
  while (is_dealing) {
    is_dealing = false;
    for (Part* part : parts) {
      if (rows == 0 || part->shown == part->all) continue;
      ++part->shown;
      --rows;
      is_dealing = true;
    }
  }
}

void append(std::vector<FrameLine>& lines, const Table& table, const std::vector<bool>& troubled,
            size_t columns) {
  lines.push_back({});
  std::istringstream text(table.text(columns));
  size_t row = 0;
  for (std::string line; std::getline(text, line); ++row) {
    const bool is_troubled = row > 0 && troubled[row - 1];
    lines.push_back({cut_to(line, columns), row == 0      ? FrameLine::Style::heading
                                            : is_troubled ? FrameLine::Style::trouble
                                                          : FrameLine::Style::plain});
  }
}

void append_queues(std::vector<FrameLine>& lines, const TopFacts& facts, const CallRates& rates,
                   const Part& part, size_t columns) {
  Table table({{part.heading("MODEL"), Kind::elastic},
               {"STATE"},
               {"WAITING", Kind::number},
               {"QUEUED", Kind::number},
               {"IN FLIGHT", Kind::number},
               {"OLDEST", Kind::number},
               {"CALLS/S", Kind::number},
               {"QUOTA", Kind::number}});
  std::vector<bool> troubled;
  for (size_t i = part.first; i < part.first + part.shown; ++i) {
    const QueueFacts& queue = facts.queues[i];
    table.add({queue.model, queue.state, std::to_string(queue.waiting),
               std::to_string(queue.queued), std::to_string(queue.in_flight),
               age_of(queue.oldest_s), rate_of(rates.ended_per_s(queue.model)),
               quota_of(queue, rates)});
    troubled.push_back(!queue.is_open);
  }
  append(lines, table, troubled, columns);
}

void append_workers(std::vector<FrameLine>& lines, const TopFacts& facts, const Part& part,
                    size_t columns) {
  Table table({{part.heading("WORKER"), Kind::elastic},
               {"STATE"},
               {"SLOTS", Kind::number},
               {"BUSY", Kind::number},
               {"SEEN", Kind::number},
               {"VERSION"}});
  std::vector<bool> troubled;
  for (size_t i = part.first; i < part.first + part.shown; ++i) {
    const WorkerFacts& worker = facts.workers[i];
    table.add({worker.name, worker.state, std::to_string(worker.slots),
               std::to_string(worker.in_flight), brief_age(worker.seen_s), worker.version});
    troubled.push_back(worker.state != "alive");
  }
  append(lines, table, troubled, columns);
}

void append_failures(std::vector<FrameLine>& lines, const TopFacts& facts, const Part& part,
                     size_t columns) {
  Table table({{part.heading("FAILURES"), Kind::elastic},
               {"KIND"},
               {"CODE"},
               {"CALLS", Kind::number},
               {"LATEST", Kind::number}});
  for (size_t i = part.first; i < part.first + part.shown; ++i) {
    const FailureFacts& failure = facts.failures[i];
    table.add({failure.model, failure.kind, failure.code, std::to_string(failure.calls),
               brief_age(failure.latest_s)});
  }
  append(lines, table, std::vector<bool>(part.shown), columns);
}

}  // namespace

void CallRates::add(const TopFacts& facts, double now_s) {
  Sample& sample = samples_.emplace_back();
  sample.at_s = now_s;
  for (const QueueFacts& queue : facts.queues) {
    sample.models.emplace(queue.model, Counts{queue.began, queue.ended});
  }
  while (samples_.front().at_s < now_s - history_s) samples_.pop_front();
}

std::optional<double> CallRates::ended_per_s(const std::string& model) const {
  return per_s(model, &Counts::ended, rate_window_s);
}

std::optional<double> CallRates::began_per_min(const std::string& model) const {
  const std::optional<double> rate = per_s(model, &Counts::began, quota_window_s);
  if (!rate) return std::nullopt;
  return *rate * 60;
}

std::optional<double> CallRates::per_s(const std::string& model,
                                       std::optional<int64_t> Counts::*counter,
                                       double window_s) const {
  if (samples_.empty()) return std::nullopt;
  const Sample& newest = samples_.back();
  const auto oldest = std::find_if(samples_.begin(), samples_.end(), [&](const Sample& sample) {
    return sample.at_s >= newest.at_s - window_s;
  });
  const auto before = oldest->models.find(model);
  const auto after = newest.models.find(model);
  if (oldest->at_s >= newest.at_s || before == oldest->models.end() ||
      after == newest.models.end() || !(before->second.*counter) || !(after->second.*counter)) {
    return std::nullopt;
  }
  const int64_t calls = *(after->second.*counter) - *(before->second.*counter);
  return static_cast<double>(std::max<int64_t>(0, calls)) / (newest.at_s - oldest->at_s);
}

std::vector<FrameLine> top_frame(const TopFacts& facts, const CallRates& rates, FrameSize size,
                                 size_t scroll, std::string_view notice) {
  constexpr size_t other_rows = 8;  // two lines of sums; a blank line and a heading for each list
  const size_t queues_left = facts.queues.size() - std::min(scroll, facts.queues.size());
  Part queues{0, 0, queues_left};
  Part workers{0, 0, facts.workers.size()};
  Part failures{0, 0, facts.failures.size()};
  deal_rows({&queues, &workers, &failures}, std::max(size.rows, other_rows + 3) - other_rows);
  queues.first = facts.queues.size() - queues_left;
  queues.all = facts.queues.size();
  std::vector<FrameLine> lines = {{cut_to(workers_line(facts), size.columns)}};
  lines.push_back(notice.empty()
                      ? FrameLine{cut_to(rates_line(facts, rates), size.columns)}
                      : FrameLine{cut_to(notice, size.columns), FrameLine::Style::trouble});
  append_queues(lines, facts, rates, queues, size.columns);
  append_workers(lines, facts, workers, size.columns);
  append_failures(lines, facts, failures, size.columns);
  return lines;
}

}  // namespace sluice
