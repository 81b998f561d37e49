#include "api/http_metrics.h"

#include <prometheus/text_serializer.h>

#include "metric_families.h"

namespace sluice {
namespace {

const prometheus::Histogram::BucketBoundaries request_seconds = {
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60};

}  // namespace

struct HttpMetrics::Families {
  prometheus::Registry registry;
  prometheus::Family<prometheus::Counter>& requests = counters(
      registry, "sluice_http_requests_total", "Requests answered, by method, route and status");
  prometheus::Family<prometheus::Histogram>& seconds =
      histograms(registry, "sluice_http_request_seconds",
                 "From a request's headers to its answer, long polls included");
  prometheus::Gauge& open =
      gauges(registry, "sluice_http_open_requests", "Requests in work or waiting for a task's end")
          .Add({});
  prometheus::Gauge& breaker =
      gauges(registry, "sluice_http_database_breaker_state",
             "The breaker before the database: 0 closed, 1 half open, 2 open")
          .Add({});
  prometheus::Family<prometheus::Counter>& spans_exported =
      counters(registry, "sluice_http_spans_exported_total", "Spans that the collector has taken");
  prometheus::Family<prometheus::Counter>& spans_dropped =
      counters(registry, "sluice_http_spans_dropped_total",
               "Spans that were not exported: the buffer was full, or the collector failed");
  prometheus::Family<prometheus::Gauge>& standby =
      gauges(registry, "sluice_http_standby_used",
             "Whether reads go to the standby of --read-url (1) or to the primary (0)");
  prometheus::Family<prometheus::Gauge>& standby_lag =
      gauges(registry, "sluice_http_standby_lag_seconds",
             "Since when the primary has something that the standby of --read-url lacks");
  prometheus::Family<prometheus::Counter>& reads =
      counters(registry, "sluice_http_reads_total",
               "Statements that may be answered by a standby, by the server that answered");
};

HttpMetrics::HttpMetrics() : families_(std::make_unique<Families>()) {}

HttpMetrics::~HttpMetrics() = default;

void HttpMetrics::note_answer(std::string_view method, std::string_view route, int status,
                              double seconds) {
  const std::string name(route);
  families_->requests
      .Add({{"method", std::string(method)}, {"route", name}, {"status", std::to_string(status)}})
      .Increment();
  families_->seconds.Add({{"route", name}}, request_seconds).Observe(seconds);
}

void HttpMetrics::note_spans(size_t exported, size_t dropped) {
  families_->spans_exported.Add({}).Increment(static_cast<double>(exported));
  families_->spans_dropped.Add({}).Increment(static_cast<double>(dropped));
}

void HttpMetrics::set_open_requests(size_t requests) {
  families_->open.Set(static_cast<double>(requests));
}

void HttpMetrics::set_database_breaker(DatabaseBreaker::State state) {
  families_->breaker.Set(static_cast<double>(state));
}

void HttpMetrics::set_reads(const Reads& reads) {
  families_->standby.Add({}).Set(reads.uses_standby() ? 1 : 0);
  const std::optional<double> lag_s = reads.lag_s();
  if (lag_s) families_->standby_lag.Add({}).Set(*lag_s);
  const auto set = [this](const char* server, int64_t count) {
    prometheus::Counter& counter = families_->reads.Add({{"server", server}});
    counter.Increment(static_cast<double>(count) - counter.Value());
  };
  set("standby", reads.answered_by_standby());
  set("primary", reads.answered_by_primary());
}

std::string HttpMetrics::text() const {
  return prometheus::TextSerializer().Serialize(families_->registry.Collect());
}

}  // namespace sluice
