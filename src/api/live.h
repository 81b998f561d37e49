// Live tells streams what has changed of what the console shows all the time: one statement every
// two seconds for all of them, while there are any. It keeps the rows that it read last, so that
// each stream hears of those alone that are new to it.
//
// Thread rule: loop thread only; the clock, the reads and the pool outlive it, it outlives its
// listeners.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "api/reads.h"
#include "runtime/fair_shares.h"
#include "runtime/signal.h"

namespace sluice {

class Live final {
 public:
  class Listener;

  // `database`: the primary's.
  Live(Clock& clock, Reads& reads, PgPool& database)
      : clock_(clock), reads_(reads), database_(database) {}
  Live(const Live&) = delete;
  Live& operator=(const Live&) = delete;

  // Wakes everybody; from here on nobody should wait.
  void release();
  bool is_released() const { return released_; }

  // Of streams that hear of rows: each is told all of them at once, 0.3 ms with 400 models.
  FairShares streams{streams_max};

 private:
  static constexpr int64_t streams_max = 256;
  struct Row {
    std::string json;        // empty: it is gone
    int64_t changed_at = 0;  // the look that found it so
  };
  using Rows = std::map<std::pair<std::string, std::string>, Row>;  // by event and name

  bool is_heard() const;
  Co<void> look_while_heard();
  Co<void> look();
  bool take(const PgResult& rows);
  void forget_what_all_know();
  void wake_listeners();

  Clock& clock_;
  Reads& reads_;
  PgPool& database_;
  Rows rows_;
  int64_t looks_ = 0;      // that found something new
  std::string failure_;    // why the last look read nothing, as JSON; empty: it did not fail
  bool has_read_ = false;  // rows_ is what there is, or was
  int64_t next_look_ns_ = 0;
  std::vector<Listener*> listeners_;
  bool looking_ = false;
  bool released_ = false;
  CoGroup coroutines_;
};

// One stream's ear. There is looking as long as one of them is for rows.
class Live::Listener final {
 public:
  Listener(Live& live, bool is_for_rows);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Until there may be news, `deadline_ns` or release().
  Co<void> wait(int64_t deadline_ns);
  // What it has not been told yet, as server-sent events; empty: nothing is new. The first ones
  // hold all rows.
  std::string take_news();

 private:
  friend class Live;
  bool has_news() const;

  Live& live_;
  const bool is_for_rows_;
  Signal changed_;
  int64_t told_ = -1;  // as of this look of live_; -1: nothing
  bool told_failure_ = false;
};

}  // namespace sluice
