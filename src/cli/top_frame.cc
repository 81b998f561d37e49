#include "cli/top_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "cli/table.h"
#include "cli/terminal.h"
#include "counted.h"
#include "duration.h"
#include "harmless_text.h"

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

std::string percent_of(std::optional<double> share) {
  return share ? fmt::format("{:.0f}%", 100 * *share) : "-";
}

EndFacts ends_of(const TopFacts& facts, const std::string& model) {
  const auto found = facts.recent.models.find(model);
  return found == facts.recent.models.end() ? EndFacts() : found->second;
}

int64_t failures_of(const TopFacts& facts, const std::string& model) {
  int64_t calls = 0;
  for (const FailureFacts& failure : facts.failures) {
    if (failure.model == model) calls += failure.calls;
  }
  return calls;
}

// A model's value in an order; the greatest comes first.
double worth(const QueueFacts& queue, const TopFacts& facts, const CallRates& rates,
             TopOrder order) {
  switch (order) {
    case TopOrder::trouble:
      return 0;
    case TopOrder::queued:
      return static_cast<double>(queue.waiting + queue.queued);
    case TopOrder::busy:
      return static_cast<double>(queue.in_flight);
    case TopOrder::rate:
      return rates.ended_per_s(queue.model).value_or(0);
    case TopOrder::quota:
      return rates.quota_use(queue).value_or(-1);
    case TopOrder::p99:
      return ends_of(facts, queue.model).p99_s.value_or(-1);
    case TopOrder::tokens:
      return ends_of(facts, queue.model).tokens_per_min;
    case TopOrder::failed:
      return static_cast<double>(failures_of(facts, queue.model));
  }
  return 0;
}

std::vector<QueueFacts> sorted_queues(const TopFacts& facts, const CallRates& rates,
                                      TopOrder order) {
  std::vector<std::pair<double, const QueueFacts*>> worths;
  for (const QueueFacts& queue : facts.queues) {
    worths.emplace_back(worth(queue, facts, rates, order), &queue);
  }
  std::stable_sort(worths.begin(), worths.end(),
                   [](const auto& left, const auto& right) { return left.first > right.first; });
  std::vector<QueueFacts> sorted;
  for (const auto& [value, queue] : worths) sorted.push_back(*queue);
  return sorted;
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
  return fmt::format("sluice {}  {} alive, {} of {} slots busy{}", harmless(facts.time, false),
                     counted(alive, "worker"), busy, slots,
                     facts.is_standby ? "; a standby: rates unknown" : "");
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

std::string ends_line(const EndFacts& all) {
  if (all.solved + all.failed == 0) return "no task has ended in 10 min";
  return fmt::format("tasks of the last 10 min took p50 {}, p99 {}; {} tokens/min",
                     latency_text(all.p50_s), latency_text(all.p99_s),
                     brief_count(all.tokens_per_min));
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
void deal_rows(const std::vector<Part*>& parts, size_t rows) {
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
                   TopOrder order, const Part& part, size_t columns) {
  Table table({{part.heading("MODEL"), Kind::elastic},
               {"STATE"},
               {"WAITING", Kind::number, 1},
               {"QUEUED", Kind::number},
               {"BUSY", Kind::number},
               {"OLDEST", Kind::number, 4},
               {"CALLS/S", Kind::number},
               {"QUOTA", Kind::number},
               {"P50", Kind::number, 2},
               {"P99", Kind::number},
               {"TOK/MIN", Kind::number, 3},
               {"FAILED", Kind::number, 5}});
  std::vector<bool> troubled;
  const std::vector<QueueFacts> queues = sorted_queues(facts, rates, order);
  for (size_t i = part.first; i < part.first + part.shown; ++i) {
    const QueueFacts& queue = queues[i];
    const EndFacts ends = ends_of(facts, queue.model);
    table.add({queue.model, queue.state, std::to_string(queue.waiting),
               std::to_string(queue.queued), std::to_string(queue.in_flight),
               age_of(queue.oldest_s), rate_of(rates.ended_per_s(queue.model)),
               percent_of(rates.quota_use(queue)), latency_text(ends.p50_s),
               latency_text(ends.p99_s), brief_count(ends.tokens_per_min),
               std::to_string(failures_of(facts, queue.model))});
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

void append_tenants(std::vector<FrameLine>& lines, const TopFacts& facts, const Part& part,
                    size_t columns) {
  Table table({{part.heading("TENANT"), Kind::elastic},
               {"SOLVED", Kind::number},
               {"FAILED", Kind::number},
               {"P50", Kind::number},
               {"P99", Kind::number},
               {"TOK/MIN", Kind::number}});
  for (size_t i = part.first; i < part.first + part.shown; ++i) {
    const EndFacts& ends = facts.recent.tenants[i];
    table.add({ends.name, std::to_string(ends.solved), std::to_string(ends.failed),
               latency_text(ends.p50_s), latency_text(ends.p99_s),
               brief_count(ends.tokens_per_min)});
  }
  append(lines, table, std::vector<bool>(part.shown), columns);
}

}  // namespace

const char* name_of(TopOrder order) {
  constexpr const char* names[top_orders] = {"trouble", "queued", "busy",   "calls/s",
                                             "quota",   "p99",    "tokens", "failed"};
  return names[static_cast<size_t>(order)];
}

void CallRates::add(const TopFacts& facts, double now_s) {
  Sample& sample = samples_.emplace_back();
  sample.at_s = now_s;
  for (const QueueFacts& queue : facts.queues) {
    sample.models.emplace(queue.model, Counts{queue.began, queue.ended, queue.permits});
  }
  while (samples_.front().at_s < now_s - history_s) samples_.pop_front();
}

std::optional<double> CallRates::ended_per_s(const std::string& model) const {
  const std::optional<Window> found = window(model, rate_window_s);
  if (!found || !found->before.ended || !found->after.ended) return std::nullopt;
  const int64_t calls = std::max<int64_t>(0, *found->after.ended - *found->before.ended);
  return static_cast<double>(calls) / found->length_s;
}

std::optional<double> CallRates::quota_use(const QueueFacts& queue) const {
  const std::optional<Window> found = window(queue.model, quota_window_s);
  if (!found || !queue.quota_rpm || !found->before.began || !found->after.began) {
    return std::nullopt;
  }
  const double allowed = static_cast<double>(found->before.permits.value_or(0)) +
                         found->length_s * *queue.quota_rpm / 60;
  const int64_t began = std::max<int64_t>(0, *found->after.began - *found->before.began);
  // Above 1 come a part of a permit that the bucket held at first, and a quota that was lowered.
  return std::min(1.0, static_cast<double>(began) / allowed);
}

std::optional<CallRates::Window> CallRates::window(const std::string& model,
                                                   double window_s) const {
  if (samples_.empty()) return std::nullopt;
  const Sample& newest = samples_.back();
  const auto oldest = std::find_if(samples_.begin(), samples_.end(), [&](const Sample& sample) {
    return sample.at_s >= newest.at_s - window_s;
  });
  const auto before = oldest->models.find(model);
  const auto after = newest.models.find(model);
  if (oldest->at_s >= newest.at_s || before == oldest->models.end() ||
      after == newest.models.end()) {
    return std::nullopt;
  }
  return Window{before->second, after->second, newest.at_s - oldest->at_s};
}

std::vector<FrameLine> top_frame(const TopFacts& facts, const CallRates& rates, FrameSize size,
                                 const TopView& view) {
  constexpr size_t sum_rows = 3;
  constexpr size_t list_rows = 2;  // a blank line and a heading for each list
  const size_t scroll = std::min(view.scroll, facts.queues.size());
  Part queues{0, 0, facts.queues.size() - scroll};
  Part workers{0, 0, facts.workers.size()};
  Part failures{0, 0, facts.failures.size()};
  Part tenants{0, 0, facts.recent.tenants.size()};
  size_t other_rows = sum_rows + list_rows;
  for (const Part* part : {&workers, &failures, &tenants}) {
    if (part->all > 0) other_rows += list_rows;
  }
  deal_rows({&queues, &workers, &failures, &tenants},
            std::max(size.rows, other_rows + 4) - other_rows);
  queues.first = scroll;
  queues.all = facts.queues.size();
  std::vector<FrameLine> lines = {{cut_to(workers_line(facts), size.columns)}};
  lines.push_back(view.notice.empty()
                      ? FrameLine{cut_to(rates_line(facts, rates), size.columns)}
                      : FrameLine{cut_to(view.notice, size.columns), FrameLine::Style::trouble});
  lines.push_back({cut_to(ends_line(facts.recent.all), size.columns)});
  append_queues(lines, facts, rates, view.order, queues, size.columns);
  if (workers.all > 0) append_workers(lines, facts, workers, size.columns);
  if (failures.all > 0) append_failures(lines, facts, failures, size.columns);
  if (tenants.all > 0) append_tenants(lines, facts, tenants, size.columns);
  return lines;
}

std::vector<FrameLine> top_help(FrameSize size) {
  constexpr const char* texts[] = {
      "Keys",
      "  q            quit",
      "  ?            this help, and back",
      "  s            sort the models: trouble, queued, busy, calls/s, quota, p99, ...",
      "  \u2191 \u2193 j k      scroll the models; PgUp PgDn by half a screen, g G to the ends",
      "",
      "Models",
      "  STATE        what keeps calls back, or how close to its bound a queue is",
      "  WAITING      what waits for its time or for a budget, also in its routes",
      "  QUEUED       tasks ready to be claimed; OLDEST: the longest wait in its line",
      "  BUSY         calls in flight",
      "  CALLS/S      calls that ended in a second, over the last 10 s",
      "  QUOTA        calls that began, of those that rpm allowed in the last minute",
      "  P50 P99      from claim to result, of tasks solved in the last 10 min",
      "  TOK/MIN      tokens in and out of tasks that ended in the last 10 min",
      "  FAILED       calls that failed in the last 10 min; each task may have several",
      "",
      "Columns that do not fit are left out; a wider terminal shows all.",
  };
  std::vector<FrameLine> lines;
  for (const char* text : texts) {
    const bool is_heading = *text != '\0' && *text != ' ' && lines.size() < 10;
    lines.push_back({cut_to(text, size.columns),
                     is_heading ? FrameLine::Style::heading : FrameLine::Style::plain});
  }
  return lines;
}

}  // namespace sluice
