// HttpCommon is what the HTTP clients share: parsed URLs and resolved names, the memory for
// answers, the share of a turn, and the checks before anything is sent. It sends nothing. For
// src/runtime only.
//
// Thread rule: loop thread only. The loop and the clock outlive it, and it outlives the clients,
// their requests and what their answers hold.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "bounds.h"
#include "result.h"
#include "runtime/clock.h"
#include "runtime/co.h"
#include "runtime/http_client.h"
#include "runtime/http_targets.h"
#include "runtime/loop.h"
#include "runtime/memory_budget.h"
#include "runtime/resolver.h"
#include "runtime/turn_share.h"

namespace sluice {

struct HttpClientLimits {
  int64_t connect_timeout_ms = 10'000;  // name, TCP and TLS; within the request's own time-out
  // Of all answers together, from their first byte until they are stored. Above it their senders
  // wait; on HTTP/2, where they cannot one by one, an answer that wants more than twice as much is
  // given up as unanswered.
  int64_t answer_bytes_max = bounds::answer_memory_bytes_default;
  // Connections, kept ones included, of which idle ones are closed before there are more.
  size_t connections_max = std::numeric_limits<size_t>::max();
  // A connection without TLS that nobody has used for so long is closed; of curl's an engine (64
  // requests at once, with TLS 256, and their connections): after a peak only the first is used.
  int64_t idle_ms = 60'000;
  // How often it is looked for those, and for connections of curl's that the other side has closed.
  int64_t look_interval_ms = 2'000;
};

// Of one answer's head, whatever comes before it included.
inline constexpr int64_t response_headers_bytes_max = int64_t{64} * 1024;
inline constexpr size_t response_headers_usual = 16;

// A long call must not die in a silent NAT.
inline constexpr int tcp_keepalive_idle_s = 30;

struct HttpCommon {
  HttpCommon(Loop& loop, Clock& clock, HttpClientLimits limits,
             Resolver::LookUp look_up = &Resolver::look_up_in_system);

  // When a connection for a request that began at `begun_ns` is to stand at the latest.
  int64_t connect_by_ns(const HttpRequest& request, int64_t begun_ns) const;
  // The addresses of a host; ends early, with an error, by `abort` (may be null).
  Co<Result<Resolver::Addresses>> look_up(std::string host, int64_t deadline_ns, AbortToken* abort);
  // Why it is not to be sent now: aborted, or too late.
  std::optional<HttpFailure> too_late(const HttpRequest& request, const AbortToken* abort) const;

  Loop& loop;
  Clock& clock;
  const HttpClientLimits limits;
  Resolver resolver;
  MemoryBudget memory;  // of answers
  TurnShare share;
  HttpTargets targets;
  std::function<void()> make_room = [] {};  // for one more connection
};

// Whether a line break or NUL in it would break the request line or smuggle a header in.
bool breaks_lines(const HttpRequest& request);

// What may surround an answer's body, however short that is: 50,000 chunks of a byte, some 10 ms of
// work.
inline constexpr int64_t padding_bytes_max = int64_t{256} * 1024;

// Whether what surrounds the answer's body (chunks' sizes and extensions, trailers) is beyond all
// measure. Chunks of 6 bytes and more, in their mean, never are.
bool is_padded(int64_t padding_bytes, int64_t body_bytes);

}  // namespace sluice
