// BatchRunner runs the steps of batches: it calls sluice.advance_batches() as long as there is
// work, and otherwise at the time that the last call returned. Every server has one; the steps
// themselves, and what happens when a server dies, are the database's business.
//
// Thread rule: loop thread only; the clock and the pools outlive it.
#pragma once

#include "api/pg_pool.h"

namespace sluice {

class BatchRunner final {
 public:
  // `looks`: where it asks whether there is a step to make, and makes it; `steps`: where it makes
  // those that follow. No client should wait behind them: each may take most of a second.
  BatchRunner(Clock& clock, PgPool& looks, PgPool& steps);

  void look() { work_.raise(); }    // now: there is a batch, or an end, that it does not know of
  void stop() { stopped_ = true; }  // begins no further step

 private:
  Co<void> keep_advancing();

  Clock& clock_;
  PgPool& looks_;
  PgPool& steps_;
  Signal work_;
  bool stopped_ = false;
  CoGroup coroutines_;
};

}  // namespace sluice
