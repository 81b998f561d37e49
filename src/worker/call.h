// Call is one claimed task in flight: what was claimed, and the handle to abort it. ask_model() is
// the middle phase of a task's life: one HTTP request, no database connection held. Neither claims
// nor stores.
//
// Thread rule: loop thread only.
#pragma once

#include "backends/backend.h"
#include "runtime/clock.h"
#include "runtime/http_client.h"
#include "runtime/signal.h"
#include "worker/database.h"
#include "worker/limit_news.h"
#include "worker/secrets.h"

namespace sluice {

struct Call {
  int64_t worker = 0;  // the id it was claimed under
  ClaimedTask task;
  std::optional<int64_t> send_by_ns;  // its permit is forfeited after that
  AbortToken abort;
  Signal body_arrived;       // the body came, or never will
  bool is_unwanted = false;  // cancelled, or no longer ours

  std::optional<int64_t> first_token_ns;  // by the clock: the first byte of a successful answer
};

// Whether the permit that was granted with the claim may still be used.
bool may_send(const Call& call, int64_t now_ns);

// What calls share.
struct Calling {
  HttpClient& http;
  Secrets& secrets;
  LimitNews& limit_news;
};

// Sends the question to the model and says what became of it. `model` is copied: a reload may
// replace it meanwhile.
Task<Outcome> ask_model(Calling calling, Model model, Call& call);

}  // namespace sluice
