#include "api/http_metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace sluice {
namespace {

const prometheus::Histogram::BucketBoundaries request_seconds = {
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60};

}  // namespace

struct HttpMetrics::Families {
  prometheus::Registry registry;
  prometheus::Family<prometheus::Counter>& requests =
      prometheus::BuildCounter()
          .Name("sluice_http_requests_total")
          .Help("Requests answered, by method, route and status")
          .Register(registry);
  prometheus::Family<prometheus::Histogram>& seconds =
      prometheus::BuildHistogram()
          .Name("sluice_http_request_seconds")
          .Help("From a request's headers to its answer, long polls included")
          .Register(registry);
  prometheus::Gauge& open = prometheus::BuildGauge()
                                .Name("sluice_http_open_requests")
                                .Help("Requests in work or waiting for a task's end")
                                .Register(registry)
                                .Add({});
  prometheus::Gauge& breaker =
      prometheus::BuildGauge()
          .Name("sluice_http_database_breaker_state")
          .Help("The breaker before the database: 0 closed, 1 half open, 2 open")
          .Register(registry)
          .Add({});
  prometheus::Family<prometheus::Counter>& spans_exported =
      prometheus::BuildCounter()
          .Name("sluice_http_spans_exported_total")
          .Help("Spans that the collector has taken")
          .Register(registry);
  prometheus::Family<prometheus::Counter>& spans_dropped =
      prometheus::BuildCounter()
          .Name("sluice_http_spans_dropped_total")
          .Help("Spans that were not exported: the buffer was full, or the collector failed")
          .Register(registry);
  prometheus::Family<prometheus::Gauge>& standby =
      prometheus::BuildGauge()
          .Name("sluice_http_standby_used")
          .Help("Whether reads go to the standby of --read-url (1) or to the primary (0)")
          .Register(registry);
  prometheus::Family<prometheus::Gauge>& standby_lag =
      prometheus::BuildGauge()
          .Name("sluice_http_standby_lag_seconds")
          .Help("Since when the primary has something that the standby of --read-url lacks")
          .Register(registry);
  prometheus::Family<prometheus::Counter>& reads =
      prometheus::BuildCounter()
          .Name("sluice_http_reads_total")
          .Help("Statements that may be answered by a standby, by the server that answered")
          .Register(registry);
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
