// Front identifies the key of each request to `sluice serve` and answers it: health and metrics
// itself, the console's session by Console, everything else by the handler of its route. It knows
// no SQL and owns no socket.
//
// Thread rule: loop thread only; what it is made of outlives it.
#pragma once

#include <string>

#include "api/console.h"
#include "api/http_metrics.h"
#include "api/key_ring.h"
#include "api/queue_metrics.h"
#include "api/request_span.h"
#include "api/routes.h"

namespace sluice {

class Front final {
 public:
  // `without_keys`: everybody is an administrator. Only for a loopback address. `spans`: null when
  // they go nowhere. `url_scheme`: http or https, as spans say it.
  Front(Services services, KeyRing& keys, HttpMetrics& metrics, QueueMetrics& queues,
        bool without_keys, SpanExporter* spans, std::string url_scheme)
      : services_(services),
        keys_(keys),
        metrics_(metrics),
        queues_(queues),
        without_keys_(without_keys),
        spans_(spans),
        url_scheme_(std::move(url_scheme)),
        console_(keys, without_keys, url_scheme_) {}

  // For HttpServerOptions: whose key a request carries, before its body is read.
  HttpAdmission admit(const HttpIncoming& incoming);
  bool is_still_served(const std::string& client) {
    keys_.wake();
    return keys_.bearer(client) != nullptr;
  }

  // Requires: `incoming` was admitted.
  Co<HttpReply> answer(HttpIncoming incoming);
  // Health and metrics, and nothing else.
  Co<HttpReply> answer_monitor(HttpIncoming incoming);

  // From here on it is not ready; it still answers.
  void drain() { draining_ = true; }

 private:
  struct OpenRequest;
  Co<HttpReply> metrics_reply();
  HttpReply ready_reply() const;
  std::string where_reads_go() const;
  Co<HttpVerdict> verdict_after_look(const HttpIncoming& incoming, std::string id);
  static std::optional<std::string> key_named_in(const HttpIncoming& incoming);
  HttpVerdict verdict(const HttpIncoming& incoming);
  HttpVerdict refuse(const HttpIncoming& incoming, HttpReply reply);
  std::optional<Caller> caller_of(const std::string& client) const;
  Co<HttpReply> dispatch(HttpIncoming incoming, OpenRequest& open);
  Co<HttpReply> dispatch_in_console(HttpIncoming incoming, ConsolePlace place, OpenRequest& open);
  Co<HttpReply> dispatch_to_route(HttpIncoming incoming, OpenRequest& open);

  Services services_;
  KeyRing& keys_;
  HttpMetrics& metrics_;
  QueueMetrics& queues_;
  bool without_keys_;
  SpanExporter* spans_;
  std::string url_scheme_;
  Console console_;
  bool draining_ = false;
  size_t open_ = 0;
};

}  // namespace sluice
