#include "api/queue_metrics.h"

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <iterator>

#include "metric_families.h"

namespace sluice {
namespace {

constexpr int64_t read_interval_ns = 15 * ns_per_s;  // as often as scrapes usually come
constexpr int64_t retry_interval_ns = ns_per_s;
// A reading takes about 1 ms a model: with thousands of them it is due later, and takes 1 % of a
// core.
constexpr int64_t read_pauses = 100;
constexpr int64_t wait_ns_max = 300 * ns_per_ms;
constexpr int64_t age_ns_max = 4 * read_interval_ns;  // of what is told while a reading takes long

constexpr const char* queues_sql = "select * from sluice.queue_gauges()";
constexpr const char* fleet_sql = "select * from sluice.fleet_gauges()";
constexpr const char* ramps_sql = "select * from sluice.ramp_gauges()";
// There may be a budget for each of thousands of tenants: the 100 that are nearest to their limits.
constexpr const char* budgets_sql =
    "select name, spent, held, \"limit\", waiting, (exhausted_at is not null)::int"
    " from sluice.budget_rows() order by (spent + held) / \"limit\" desc, name limit 100";

double number(const PgResult& rows, int row, int column) {
  return std::stod(std::string(rows.text(row, column)));
}

void add_queues(prometheus::Registry& registry, const PgResult& rows) {
  auto& depth = gauges(registry, "sluice_queue_depth", "Unfinished tasks of a model, by state");
  auto& bound = gauges(registry, "sluice_queue_depth_max", "max_unfinished of a model, or of all");
  auto& oldest = gauges(registry, "sluice_oldest_ready_seconds",
                        "How long the oldest task that may be called has waited, in the queue of a "
                        "model or in that of one of its routes");
  auto& breaker =
      gauges(registry, "sluice_breaker_state", "A model's breaker: 0 closed, 1 half open, 2 open");
  auto& blocked = gauges(registry, "sluice_model_blocked",
                         "Why no call of a model can begin: 1 for what holds, 0 for the others");
  const char* states[] = {"queued", "in_flight", "waiting"};
  const char* reasons[] = {"paused", "parked", "closed", "breaker_open"};
  for (int row = 0; row < rows.rows(); ++row) {
    const std::string model(rows.text(row, 0));
    for (int state = 0; state < 3; ++state) {
      depth.Add({{"model", model}, {"state", states[state]}}).Set(number(rows, row, state + 1));
    }
    bound.Add({{"model", model}}).Set(number(rows, row, 4));
    oldest.Add({{"model", model}}).Set(number(rows, row, 5));
    breaker.Add({{"model", model}}).Set(number(rows, row, 6));
    for (const char* reason : reasons) {
      const bool holds = !rows.is_null(row, 7) && rows.text(row, 7) == reason;
      blocked.Add({{"model", model}, {"reason", reason}}).Set(holds);
    }
    blocked.Add({{"model", model}, {"reason", "no_worker"}}).Set(rows.boolean(row, 8));
  }
}

void add_budgets(prometheus::Registry& registry, const PgResult& rows) {
  prometheus::Family<prometheus::Gauge>* figures[] = {
      &gauges(registry, "sluice_budget_spent",
              "What calls that ended have cost in a budget's present window"),
      &gauges(registry, "sluice_budget_held", "What calls under way may cost a budget"),
      &gauges(registry, "sluice_budget_limit", "What calls may cost in a budget's window"),
      &gauges(registry, "sluice_budget_waiting_tasks", "Tasks that wait for a budget"),
      &gauges(registry, "sluice_budget_exhausted",
              "Whether a budget has nothing left for a task, 0 or 1")};
  for (int row = 0; row < rows.rows(); ++row) {
    const std::string budget(rows.text(row, 0));
    for (int figure = 0; figure < static_cast<int>(std::size(figures)); ++figure) {
      figures[figure]->Add({{"budget", budget}}).Set(number(rows, row, figure + 1));
    }
  }
}

void add_fleet(prometheus::Registry& registry, const PgResult& row) {
  gauges(registry, "sluice_workers", "Workers that have lately proved life")
      .Add({})
      .Set(number(row, 0, 0));
  // A standby does not know these, nor how many tasks have ended: what is null is left out.
  auto& usage = gauges(registry, "sluice_notification_queue_usage",
                       "How full the database server's queue of notifications is, 0 to 1; from 0.5 "
                       "on nobody notifies");
  if (!row.is_null(0, 5)) usage.Add({}).Set(number(row, 0, 5));
  auto& results = counters(registry, "sluice_results_total",
                           "Tasks that have ended, by status: of all workers and servers, since "
                           "the database last crashed");
  const char* statuses[] = {"solved", "failed", "cancelled", "expired"};
  for (int status = 0; status < 4; ++status) {
    if (row.is_null(0, status + 1)) continue;
    results.Add({{"status", statuses[status]}}).Increment(number(row, 0, status + 1));
  }
}

void add_ramps(prometheus::Registry& registry, const PgResult& rows) {
  auto& ramps = gauges(registry, "sluice_ramps",
                       "Ramps of weights by state, of those that are kept; aborted: the model did "
                       "worse than the route's others");
  for (const char* state : {"running", "paused", "done", "aborted", "stopped", "superseded"}) {
    ramps.Add({{"state", state}}).Set(0);
  }
  for (int row = 0; row < rows.rows(); ++row) {
    ramps.Add({{"state", std::string(rows.text(row, 0))}}).Set(number(rows, row, 1));
  }
}

// A registry for each reading: models come and go.
std::string text_of(const PgResult& queues, const PgResult& fleet, const PgResult& ramps,
                    const PgResult& budgets) {
  prometheus::Registry registry;
  add_queues(registry, queues);
  add_fleet(registry, fleet);
  add_ramps(registry, ramps);
  add_budgets(registry, budgets);
  return prometheus::TextSerializer().Serialize(registry.Collect());
}

// Holds a flag for as long as it lives.
class Raised {
 public:
  explicit Raised(bool& flag) : flag_(flag) { flag_ = true; }
  ~Raised() { flag_ = false; }
  Raised(const Raised&) = delete;
  Raised& operator=(const Raised&) = delete;

 private:
  bool& flag_;
};

}  // namespace

Co<std::string> QueueMetrics::text() {
  if (!is_reading_ && clock_.now_ns() >= due_at_ns_) {
    is_reading_ = true;
    coroutines_.spawn(read());
  }
  if (!is_awaited_) {
    const Raised awaited(is_awaited_);
    const int64_t until_ns = clock_.now_ns() + wait_ns_max;
    while (is_reading_ && clock_.now_ns() < until_ns) {
      co_await has_read_.wait_until(clock_, until_ns);
    }
  }
  if (clock_.now_ns() - read_at_ns_ > age_ns_max) text_.clear();
  co_return text_;
}

Co<void> QueueMetrics::read() {
  const int64_t begun_ns = clock_.now_ns();
  Co<Result<PgResult>> queues_reply = reads_.query_unguarded(database_, queues_sql, PgParams());
  Co<Result<PgResult>> fleet_reply = reads_.query_unguarded(database_, fleet_sql, PgParams());
  Co<Result<PgResult>> ramps_reply = reads_.query_unguarded(database_, ramps_sql, PgParams());
  Co<Result<PgResult>> budgets_reply = reads_.query_unguarded(database_, budgets_sql, PgParams());
  const Result<PgResult> queues = co_await std::move(queues_reply);
  const Result<PgResult> fleet = co_await std::move(fleet_reply);
  const Result<PgResult> ramps = co_await std::move(ramps_reply);
  const Result<PgResult> budgets = co_await std::move(budgets_reply);
  const bool is_read = queues && fleet && fleet->rows() == 1 && ramps && budgets;
  text_ = is_read ? text_of(*queues, *fleet, *ramps, *budgets) : std::string();
  read_at_ns_ = clock_.now_ns();
  const int64_t took_ns = read_at_ns_ - begun_ns;
  due_at_ns_ = read_at_ns_ +
               (is_read ? std::max(read_interval_ns, read_pauses * took_ns) : retry_interval_ns);
  is_reading_ = false;
  has_read_.raise();
}

}  // namespace sluice
