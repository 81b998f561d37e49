#include "api/api.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "command_error.h"
#include "db/migrate.h"
#include "runtime/listen_socket.h"

namespace sluice {
namespace {

// Of one key, under way at a time: who has more to do asks for more at once, not more often.
constexpr size_t bulk_of_key_max = 8;
// One on demand, where nothing is sent behind what takes long.
constexpr PgPoolLimits one_by_one = {
    .kept = 0,
    .max = 1,
    .pipelined_max = 1,
    .wait_ms_max = 290'000,      // as long as clients wait for the head of an answer
    .waiting_of_key_max = 1000,  // of large ones the key's share of the bodies is used up first
    .statements = PgConnection::Statements::slow,
};

}  // namespace

void require_loopback(const std::string& address) {
  if (is_loopback(address)) return;
  throw CommandError(ExitCode::usage,
                     "--without-keys needs a loopback address: whoever reaches it may do all");
}

std::string console_url(std::string_view scheme, std::string_view address) {
  for (const std::string_view everywhere : {"0.0.0.0", "[::]"}) {
    if (!address.starts_with(everywhere)) continue;
    return fmt::format("{}://localhost{}/console/", scheme, address.substr(everywhere.size()));
  }
  return fmt::format("{}://{}/console/", scheme, address);
}

void warn_of_plain_http(const std::string& address) {
  if (is_loopback(address)) return;
  spdlog::warn(
      "HTTP without TLS on {}: who is on the way reads keys and prompts; have serve --tls-cert, or "
      "a proxy that ends TLS and a loopback address here",
      address);
}

Api::Api(Loop& loop, Clock& clock, PgServers& servers, const ApiOptions& options,
         SpanExporter* spans, PgServers* standby)
    : database_(loop, clock, servers,
                {.kept = options.opens_on_demand ? 1 : options.db_connections + 1,
                 .max = options.db_connections + 1},
                options.breaker),
      background_(loop, clock, servers,
                  {.kept = options.opens_on_demand ? 0 : 1,
                   .pipelined_max = 1,
                   .statements = PgConnection::Statements::slow}),
      bulk_(loop, clock, servers, one_by_one),
      bulk_turns_(bulk_, bulk_of_key_max),
      large_(loop, clock, servers, one_by_one),
      reads_(loop, clock, database_,
             {.servers = standby,
              .db_connections = options.db_connections,
              .lag_ms_max = options.read_lag_ms_max},
             known_schemas(embedded_sql())),
      keys_(clock, database_, known_schemas(embedded_sql())),
      submitter_(clock, database_, large_),
      endings_(clock, database_),
      live_(clock, reads_, options.opens_on_demand ? database_ : background_),
      batches_(clock, options.opens_on_demand ? database_ : background_, background_),
      doctor_(loop, clock, options.doctor),
      queue_metrics_(clock, reads_, options.opens_on_demand ? database_ : background_),
      front_(Services{clock, database_, reads_, background_, bulk_turns_, large_, submitter_,
                      endings_, live_, batches_, doctor_, options.stream_life_ms * ns_per_ms},
             keys_, metrics_, queue_metrics_, options.without_keys, spans, options.url_scheme) {}

HttpServerOptions Api::server_options(std::string address) {
  HttpServerOptions options;
  options.address = std::move(address);
  options.admit = [this](const HttpIncoming& incoming) { return front_.admit(incoming); };
  options.is_still_served = [this](const std::string& client) {
    return front_.is_still_served(client);
  };
  options.is_read_in_pieces = [](std::string_view method, std::string_view path) {
    return is_read_in_pieces(method, api_path(path));
  };
  return options;
}

HttpServerOptions Api::monitor_options(std::string address) {
  HttpServerOptions options =
      HttpServerOptions::without_bodies(std::move(address), "--health-listen");
  options.admit = [this](const HttpIncoming& incoming) { return front_.admit(incoming); };
  return options;
}

void Api::drain() {
  front_.drain();
  endings_.release();
  live_.release();
  batches_.stop();
}

}  // namespace sluice
