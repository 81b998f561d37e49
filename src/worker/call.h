// Call is one claimed task in flight: the claimed task, and the handles to abort it. ask_model() is
// the middle phase of a task's life: one HTTP request, no database connection held. It neither
// claims nor stores. exchange() is what every request to a model has in common.
//
// Thread rule: loop thread only.
#pragma once

#include <list>
#include <string_view>

#include "backends/backend.h"
#include "runtime/clock.h"
#include "runtime/http_client.h"
#include "runtime/signal.h"
#include "worker/call_span.h"
#include "worker/database.h"
#include "worker/limit_news.h"
#include "worker/redaction.h"
#include "worker/secrets.h"

namespace sluice {

// The extra calls beside a call that takes long.
struct Hedge {
  std::list<AbortToken> aborts;
  bool is_asked = false;              // the database has not said yet whether there may be one more
  bool is_granted = false;            // it may
  std::optional<int64_t> send_by_ns;  // the permit for it is forfeited after that
  Signal changed;                     // an answer came: the database's, or a call's
};

struct Call {
  int64_t worker = 0;  // the id it was claimed under
  ClaimedTask task;
  int64_t claimed_ns = 0;             // the claim was sent
  std::optional<int64_t> send_by_ns;  // its permit is forfeited after that
  AbortToken abort;
  Signal room;               // there may be memory for its body, or it is not wanted any more
  Signal body_arrived;       // the body came, or never will
  bool is_unwanted = false;  // cancelled, or no longer ours
  Hedge hedge;

  // Of its own call and the extra ones.
  void abort_all();
};

// Whether the permit that was granted with the claim may still be used.
bool may_send(const Call& call, int64_t now_ns);

// The parts of the worker that calls share.
struct Calling {
  Clock& clock;
  HttpClient& http;
  const Secrets& secrets;
  LimitNews& limit_news;
  SpanExporter* spans = nullptr;  // null: they go nowhere
};

struct Answer {
  Outcome outcome;
  std::optional<int64_t> first_token_after_ns = std::nullopt;  // since it was asked
  std::shared_ptr<MemoryBudget::Hold> memory = nullptr;        // of what came
};

// The response, or the outcome if there was none.
using Reply = tl::expected<HttpResponse, Outcome>;

// The header that names a call's tasks: TASK:FENCE, separated by commas.
std::string task_header(const std::vector<TaskKey>& tasks);

// Sends a request with the model's credential, and removes that from the response. `redaction` is
// set so that the caller can remove it from texts made of the response. `stream` receives an answer
// in events; null: there is none. All arguments outlive the call, the request too, which saves a
// copy for each waiting call.
Co<Reply> exchange(const Calling& calling, const Model& model, HttpRequest&& request,
                   StreamedBody* stream, AbortToken& abort, Redaction& redaction);

// Sends a claimed task's question to its model and returns the outcome. The task and the token
// outlive it.
Co<Answer> ask_model(Calling calling, SharedModel model, const ClaimedTask& task, Question question,
                     std::optional<int64_t> send_by_ns, AbortToken& abort);

}  // namespace sluice
