#include "worker/metrics.h"

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <array>
#include <map>

#include "metric_families.h"

namespace sluice {

namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;

const Histogram::BucketBoundaries call_seconds = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1,
                                                  2.5,   5,    10,    20,   40,  80,   160, 320};
const Histogram::BucketBoundaries flush_seconds = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                                   0.05,   0.1,   0.25,   0.5,   1,    5};

const Histogram::BucketBoundaries lag_seconds = {0.0005, 0.001, 0.002, 0.005, 0.01, 0.02,
                                                 0.05,   0.1,   0.2,   0.5,   1,    5};

// The series of one model, kept: to ask a family for one takes a map of labels and a mutex, and
// builds a histogram to throw away.
struct ModelSeries {
  std::array<Counter*, std::variant_size_v<Outcome>> calls{};  // by kind of outcome
  Histogram* seconds = nullptr;
  Histogram* first_token_seconds = nullptr;
};

}  // namespace

std::string_view kind_of(const Outcome& outcome) {
  constexpr std::string_view kinds[] = {"solved",       "failed",    "retry",  "unsent",
                                        "refused",      "throttled", "parked", "returned",
                                        "batch_failed", "cancelled"};
  static_assert(std::variant_size_v<Outcome> == std::size(kinds));
  return kinds[outcome.index()];
}

std::string_view error_code_of(const Outcome& outcome) {
  if (const auto* failed = std::get_if<Failed>(&outcome)) return failed->error_code;
  if (const auto* retry = std::get_if<Retry>(&outcome)) return retry->error_code;
  if (std::holds_alternative<Unsent>(outcome)) return unsent_code;
  if (const auto* refused = std::get_if<Refused>(&outcome)) return refused->error_code;
  if (const auto* throttled = std::get_if<Throttled>(&outcome)) return throttled->error_code;
  if (const auto* batch = std::get_if<BatchFailed>(&outcome)) return batch->error_code;
  if (const auto* parked = std::get_if<Parked>(&outcome)) {
    return parked->cause == Parked::Cause::credential ? "credential" : "billing";
  }
  return "";
}

std::string_view name_of(ListenMode mode) {
  switch (mode) {
    case ListenMode::listen:
      return "listen";
    case ListenMode::poll:
      return "poll";
    case ListenMode::scarce:
      return "scarce";
    case ListenMode::lost:
      return "lost";
  }
  return "";
}

struct Metrics::Families {
  prometheus::Registry registry;
  Counter& claimed =
      counters(registry, "sluice_tasks_claimed_total", "Tasks claimed by this worker").Add({});
  Counter& claims_refused =
      counters(registry, "sluice_claim_refusals_total",
               "Claims that brought nothing: no task ready, no permit, or the model closed")
          .Add({});
  Counter& forfeited = counters(registry, "sluice_permits_forfeited_total",
                                "Permits not used before their send-by deadline")
                           .Add({});
  Family<Counter>& calls =
      counters(registry, "sluice_calls_total", "Calls to model backends that ended, by outcome");
  Family<Counter>& errors =
      counters(registry, "sluice_errors_total", "Calls that ended with an error, by its code");
  Family<Histogram>& seconds =
      histograms(registry, "sluice_backend_request_seconds", "Duration of calls to model backends");
  Family<Histogram>& first_token_seconds =
      histograms(registry, "sluice_time_to_first_token_seconds",
                 "From sending a request to the first byte of its answer's body");
  Family<Counter>& hedged =
      counters(registry, "sluice_hedged_calls_total", "Extra calls beside calls that took long");
  Histogram& flushes =
      histograms(registry, "sluice_database_flush_seconds",
                 "Duration of the worker's flushes to the database, those of outcomes included")
          .Add({}, flush_seconds);
  Counter& recovered = counters(registry, "sluice_tasks_recovered_total",
                                "Tasks that this worker took back from dead ones")
                           .Add({});
  Counter& late = counters(registry, "sluice_late_results_total",
                           "Results that came after their task had been taken back")
                      .Add({});
  Counter& reconnects = counters(registry, "sluice_database_reconnects_total",
                                 "Connections to the database after a loss")
                            .Add({});
  Counter& events_dropped =
      counters(registry, "sluice_worker_events_dropped_total",
               "Ids of finished tasks that were not announced on channel sluice_done")
          .Add({});
  Counter& spans_exported =
      counters(registry, "sluice_worker_spans_exported_total", "Spans that the collector has taken")
          .Add({});
  Counter& spans_dropped =
      counters(registry, "sluice_worker_spans_dropped_total",
               "Spans that were not exported: the buffer was full, or the collector failed")
          .Add({});
  Family<Gauge>& slots = gauges(registry, "sluice_worker_slots", "Slots of this worker by state");
  Gauge& slots_free = slots.Add({{"state", "free"}});
  Gauge& slots_calling = slots.Add({{"state", "calling"}});
  Gauge& slots_storing = slots.Add({{"state", "storing"}});
  Gauge& request_memory = gauges(registry, "sluice_request_memory_bytes",
                                 "What large requests take until they are sent")
                              .Add({});
  Gauge& answer_memory = gauges(registry, "sluice_answer_memory_bytes",
                                "What answers take until they are stored, copies included")
                             .Add({});
  Histogram& slot_waits = histograms(registry, "sluice_slot_wait_seconds",
                                     "How long a worker that would claim had no free slot")
                              .Add({}, call_seconds);
  Histogram& loop_lag =
      histograms(registry, "sluice_event_loop_lag_seconds",
                 "How late the event loop came to a timer, asked ten times a second")
          .Add({}, lag_seconds);
  Gauge& completion_backlog =
      gauges(registry, "sluice_completion_backlog", "Ended calls whose outcomes are not stored yet")
          .Add({});
  Family<Gauge>& listen_mode =
      gauges(registry, "sluice_listen_mode",
             "How this worker hears of work: 1 for the present mode, 0 for the others");
  std::map<std::string, ModelSeries, std::less<>> models;  // as many as the families have

  ModelSeries& of_model(std::string_view model) {
    const auto found = models.find(model);
    return found != models.end() ? found->second : models[std::string(model)];
  }
};

Metrics::Metrics() : families_(std::make_unique<Families>()) {}
Metrics::~Metrics() = default;

void Metrics::note_claimed(int tasks) {
  families_->claimed.Increment(tasks);
}
void Metrics::note_claim_refused() {
  families_->claims_refused.Increment();
}
void Metrics::note_forfeited() {
  families_->forfeited.Increment();
}

void Metrics::note_call(std::string_view model, const Outcome& outcome, double seconds) {
  ModelSeries& series = families_->of_model(model);
  Counter*& calls = series.calls[outcome.index()];
  if (calls == nullptr) {
    calls = &families_->calls.Add(
        {{"model", std::string(model)}, {"outcome", std::string(kind_of(outcome))}});
  }
  calls->Increment();
  const std::string_view code = error_code_of(outcome);
  if (!code.empty()) {
    families_->errors.Add({{"model", std::string(model)}, {"error_code", std::string(code)}})
        .Increment();
  }
  if (series.seconds == nullptr) {
    series.seconds = &families_->seconds.Add({{"model", std::string(model)}}, call_seconds);
  }
  series.seconds->Observe(seconds);
}

void Metrics::note_first_token(std::string_view model, double seconds) {
  Histogram*& histogram = families_->of_model(model).first_token_seconds;
  if (histogram == nullptr) {
    histogram = &families_->first_token_seconds.Add({{"model", std::string(model)}}, call_seconds);
  }
  histogram->Observe(seconds);
}

void Metrics::note_hedged(std::string_view model) {
  families_->hedged.Add({{"model", std::string(model)}}).Increment();
}

void Metrics::note_flush(double seconds) {
  families_->flushes.Observe(seconds);
}

void Metrics::note_recovered(int64_t tasks) {
  families_->recovered.Increment(static_cast<double>(tasks));
}

void Metrics::note_late(int outcomes) {
  families_->late.Increment(outcomes);
}
void Metrics::note_reconnect() {
  families_->reconnects.Increment();
}

void Metrics::note_events_dropped(int ids) {
  families_->events_dropped.Increment(ids);
}

void Metrics::note_spans(size_t exported, size_t dropped) {
  families_->spans_exported.Increment(static_cast<double>(exported));
  families_->spans_dropped.Increment(static_cast<double>(dropped));
}

void Metrics::note_slot_wait(double seconds) {
  families_->slot_waits.Observe(seconds);
}

void Metrics::note_loop_lag(double seconds) {
  families_->loop_lag.Observe(seconds);
}

void Metrics::set_slots(int total, int calling, int storing) {
  families_->slots_free.Set(std::max(0, total - calling - storing));
  families_->slots_calling.Set(calling);
  families_->slots_storing.Set(storing);
  families_->completion_backlog.Set(storing);
}

void Metrics::set_memory(int64_t request_bytes, int64_t answer_bytes) {
  families_->request_memory.Set(static_cast<double>(request_bytes));
  families_->answer_memory.Set(static_cast<double>(answer_bytes));
}

void Metrics::set_listen_mode(ListenMode mode) {
  for (const ListenMode other :
       {ListenMode::listen, ListenMode::poll, ListenMode::scarce, ListenMode::lost}) {
    families_->listen_mode.Add({{"mode", std::string(name_of(other))}}).Set(other == mode);
  }
}

std::string Metrics::text() const {
  return prometheus::TextSerializer().Serialize(families_->registry.Collect());
}

}  // namespace sluice
