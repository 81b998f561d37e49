// The routes of the HTTP front: one table of method, path, scope and handler, and the search in it.
// Most handlers are parse → one SQL call → answer; a plain one's statement stands in the table.
// Each learns from its ApiRequest all that it may know of the request.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/api_key.h"
#include "api/batch_runner.h"
#include "api/bulk_turns.h"
#include "api/endings.h"
#include "api/live.h"
#include "api/pg_pool.h"
#include "api/reads.h"
#include "api/submitter.h"
#include "runtime/http_server.h"

namespace sluice {

class Doctor;

// The parts of the server that handlers use; outlives their coroutines.
struct Services {
  Clock& clock;
  PgPool& database;
  Reads& reads;        // for lists and figures that may be some seconds old
  PgPool& background;  // for statements that take seconds
  BulkTurns& bulk;     // for requests of many steps
  PgPool& large;       // for large submissions and arrays: one at a time
  Submitter& submitter;
  Endings& endings;
  Live& live;
  BatchRunner& batches;
  Doctor& doctor;
  int64_t stream_life_ns;  // of server-sent events
};

struct ApiRequest {
  HttpIncoming http;
  int64_t body_values = 0;         // of its JSON
  std::vector<std::string> names;  // what stands for each {} of the pattern, decoded
  std::string_view sql;            // its route's
  Caller caller;
  std::optional<std::string> traceparent;  // of its tasks, unless they have their own
};

// The body that a route takes, and its bounds: what it costs PostgreSQL to read.
enum class BodyKind {
  small,     // conditions, configuration: most routes
  tasks,     // prompts and requests
  requests,  // of a batch of messages
  pieces,    // read with HttpIncoming::next_piece
};

using ApiHandler = Co<HttpReply> (*)(Services& services, ApiRequest request);

struct Route {
  std::string_view method;
  std::string_view pattern;  // "/v1/tasks/{}": {} is one segment, not empty
  Scope scope;
  ApiHandler handler;
  std::string_view sql = {};  // of which the handler makes its statement; empty: it has its own
  BodyKind body = BodyKind::small;
};

std::span<const Route> routes();

struct RouteMatch {
  const Route* route = nullptr;  // null: none with this method
  std::vector<std::string> names;
  std::string allowed;  // methods of the path, "GET, DELETE"; empty: no such path
};

// `path`: as sent. HEAD finds the route of GET.
RouteMatch find_route(std::span<const Route> table, std::string_view method, std::string_view path);

// The answer to a body that is beyond the bounds of its kind. `values`: how many its JSON has.
std::optional<HttpReply> body_refusal(std::string_view body, BodyKind kind,
                                      int64_t* values = nullptr);

// See HttpServerOptions.
bool is_read_in_pieces(std::string_view method, std::string_view path);

}  // namespace sluice
