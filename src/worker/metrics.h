// Metrics are the worker's counters and gauges, named as users scrape them (prefix sluice_, base
// units, _total). Owns the registry; knows no HTTP.
//
// Thread rule: loop thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "backends/outcome.h"
#include "worker/database.h"

namespace sluice {

class Metrics final {
 public:
  Metrics();
  ~Metrics();

  void note_claimed(int tasks);
  void note_claim_refused();
  void note_forfeited();
  void note_call(std::string_view model, const Outcome& outcome, double seconds);
  void note_first_token(std::string_view model, double seconds);
  void note_hedged(std::string_view model);
  void note_flush(double seconds);
  void note_late(int outcomes);
  void note_recovered(int64_t tasks);  // taken back from dead workers
  void note_reconnect();
  void note_events_dropped(int ids);
  void note_spans(size_t exported, size_t dropped);
  void note_slot_wait(double seconds);
  void note_loop_lag(double seconds);
  void set_listen_mode(ListenMode mode);
  void set_slots(int total, int calling, int storing);
  void set_memory(int64_t request_bytes, int64_t answer_bytes);

  // In Prometheus's text format.
  std::string text() const;

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

// listen, poll, scarce or lost, as users read it.
std::string_view name_of(ListenMode mode);

// The code of a call's error; empty: no error. From a small fixed set, never a backend's own words.
std::string_view error_code_of(const Outcome& outcome);

// solved, failed, retry, unsent, refused, throttled, parked, returned, batch_failed or cancelled:
// the label of sluice_calls_total.
std::string_view kind_of(const Outcome& outcome);

}  // namespace sluice
