// Announcer keeps the ids of tasks whose outcomes were stored until the worker announces them on
// the channel sluice_done, in a statement after the completion. Best effort: ids for which there is
// no space, and those of a failed statement, are dropped and counted. It owns the ids; it sends
// nothing.
//
// Thread rule: loop thread only. The metrics outlive it.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "worker/database.h"
#include "worker/metrics.h"

namespace sluice {

class Announcer final {
 public:
  explicit Announcer(Metrics& metrics) : metrics_(metrics) {}

  // settings.events. When it goes off, what waits is forgotten: nobody wants it.
  void want(bool events);

  // A completion was committed. Some of its tasks may not have ended but gone back to a line or to
  // later: sluice.announce passes over these.
  void note_stored(const std::vector<Applied>& stored);

  bool empty() const { return waiting_.empty(); }
  // The oldest, no more than a statement takes.
  std::vector<int64_t> take();
  // Takes the result of announcing `count` ids. Logs when success turns into failure or back.
  void note_announced(size_t count, const Result<int64_t>& announced);

 private:
  Metrics& metrics_;
  std::deque<int64_t> waiting_;
  bool wanted_ = false;
  bool failing_ = false;
};

}  // namespace sluice
