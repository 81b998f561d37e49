#include "api/api.h"

#include "command_error.h"
#include "db/migrate.h"

namespace sluice {

void require_loopback(const std::string& address) {
  const std::string host = address.substr(0, address.rfind(':'));
  if (host == "localhost" || host == "[::1]" || host.starts_with("127.")) return;
  throw CommandError(ExitCode::usage,
                     "--without-keys needs a loopback address: whoever reaches it may do all");
}

Api::Api(Loop& loop, Clock& clock, PgServers& servers, const ApiOptions& options,
         SpanExporter* spans)
    : database_(loop, clock, servers,
                {options.opens_on_demand ? 1 : options.db_connections, options.db_connections},
                "select sluice.warm_up()", options.breaker),
      background_(loop, clock, servers, {options.opens_on_demand ? 0 : 1, 1}),
      bulk_(loop, clock, servers, {0, 1}),
      keys_(clock, database_, served_schema(embedded_sql())),
      submitter_(database_),
      endings_(clock, database_),
      batches_(clock, options.opens_on_demand ? database_ : background_, background_),
      queue_metrics_(clock, options.opens_on_demand ? database_ : background_),
      front_(Services{clock, database_, background_, bulk_, submitter_, endings_, batches_}, keys_,
             metrics_, queue_metrics_, options.without_keys, spans, options.url_scheme) {}

void Api::drain() {
  front_.drain();
  endings_.release();
  batches_.stop();
}

}  // namespace sluice
