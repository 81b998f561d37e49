// Doctor examines the installation for the console: it runs `sluice doctor`, whose checks block and
// may take seconds, as a process of its own, and keeps what that has found for a minute. One is
// under way at most, whoever asks.
//
// Thread rule: loop thread only; the loop and the clock outlive it.
#pragma once

#include <string>
#include <vector>

#include "api/routes.h"
#include "runtime/loop.h"
#include "runtime/program.h"
#include "runtime/signal.h"

namespace sluice {

struct DoctorOptions {
  std::string database_url;  // empty: as the environment says
  std::string direct_url;    // past a pooler; empty: as the environment says
};

class Doctor final {
 public:
  Doctor(Loop& loop, Clock& clock, DoctorOptions options)
      : loop_(loop), clock_(clock), options_(std::move(options)) {}
  Doctor(const Doctor&) = delete;
  Doctor& operator=(const Doctor&) = delete;

  // The findings as JSON, as old as may be. Errors: it did not come to its end.
  Co<Result<std::string>> findings();

 private:
  class Waiter;
  Co<void> look();

  Loop& loop_;
  Clock& clock_;
  const DoctorOptions options_;
  Result<std::string> found_;
  int64_t good_until_ns_ = 0;
  bool is_looking_ = false;
  std::vector<Waiter*> waiters_;
  CoGroup coroutines_;
};

// The handler of its route.
Co<HttpReply> show_findings(Services& services, ApiRequest request);

}  // namespace sluice
