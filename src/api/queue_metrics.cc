#include "api/queue_metrics.h"

#include <prometheus/gauge.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace sluice {
namespace {

constexpr int64_t read_interval_ns = 15 * ns_per_s;
constexpr int64_t retry_interval_ns = ns_per_s;

constexpr const char* queues_sql = "select * from sluice.queue_gauges()";

prometheus::Family<prometheus::Gauge>& gauge(prometheus::Registry& registry, const char* name,
                                             const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}

// A registry for each reading: models come and go.
std::string text_of(const PgResult& rows) {
  prometheus::Registry registry;
  auto& depth = gauge(registry, "sluice_queue_depth", "Unfinished tasks of a model, by state");
  auto& bound = gauge(registry, "sluice_queue_depth_max", "max_unfinished of a model, or of all");
  auto& oldest = gauge(registry, "sluice_queue_oldest_ready_seconds",
                       "How long the task that may be called next has waited");
  auto& breaker =
      gauge(registry, "sluice_breaker_state", "A model's breaker: 0 closed, 1 half open, 2 open");
  const char* states[] = {"queued", "in_flight", "waiting"};
  for (int row = 0; row < rows.rows(); ++row) {
    const std::string model(rows.text(row, 0));
    for (int state = 0; state < 3; ++state) {
      depth.Add({{"model", model}, {"state", states[state]}})
          .Set(std::stod(std::string(rows.text(row, state + 1))));
    }
    bound.Add({{"model", model}}).Set(std::stod(std::string(rows.text(row, 4))));
    oldest.Add({{"model", model}}).Set(std::stod(std::string(rows.text(row, 5))));
    breaker.Add({{"model", model}}).Set(std::stod(std::string(rows.text(row, 6))));
  }
  return prometheus::TextSerializer().Serialize(registry.Collect());
}

}  // namespace

QueueMetrics::QueueMetrics(Clock& clock, PgPool& database) : clock_(clock), database_(database) {
  tasks_.spawn(keep_reading());
}

Task<void> QueueMetrics::keep_reading() {
  while (true) {
    Task<Result<PgResult>> reply = database_.query_unguarded(queues_sql, PgParams());
    Result<PgResult> rows = co_await std::move(reply);
    text_ = rows ? text_of(*rows) : std::string();
    const int64_t pause_ns = rows ? read_interval_ns : retry_interval_ns;
    co_await sleep_until(clock_, clock_.now_ns() + pause_ns);
  }
}

}  // namespace sluice
