// A worker whose backend is in this process and answers at once: what is left of a drain without
// HTTP. Usage: in_process_worker DATABASE_URL SLOTS. Solves what is there and ends.
#include "worker/worker.h"

#include <fmt/core.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "db/database_url.h"
#include "db/migrate.h"
#include "runtime/http_client.h"
#include "worker/pg_database.h"

namespace sluice {

namespace {

constexpr size_t answer_bytes = 800;

class InProcessBackend final : public HttpClient {
 public:
  Co<HttpResult> send(HttpRequest, AbortToken*) override { co_return response_; }

 private:
  static HttpResponse make_response() {
    HttpResponse response;
    response.status = 200;
    response.headers = {{"content-type", "application/json"}};
    response.body = fmt::format(R"({{"answer":"{}"}})", std::string(answer_bytes, 'a'));
    return response;
  }

  HttpResponse response_ = make_response();
};

Co<void> solve_all(Worker& worker, Loop& loop, Result<void>& result) {
  result = co_await worker.run();
  loop.stop();
}

int run(const char* url, int slots) {
  WorkerOptions worker_options;
  worker_options.name = "in_process";
  worker_options.slots = slots;
  worker_options.once = true;

  Loop loop;
  SystemClock clock(loop);
  Resolver resolver(loop, clock);
  PgServers servers(clock, resolver, conninfo_of(url));
  PgDatabaseOptions database_options{servers, servers};
  database_options.known_schemas = known_schemas(embedded_sql());
  Metrics metrics;
  PgDatabase database(loop, clock, database_options);
  InProcessBackend backend;
  Worker worker(worker_options, clock, database, backend, metrics);
  Result<void> result;
  spawn(solve_all(worker, loop, result));
  loop.run();
  if (!result) {
    fmt::print(stderr, "in_process_worker: {}\n", result.error().message);
    return 1;
  }
  return 0;
}

}  // namespace

}  // namespace sluice

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: in_process_worker DATABASE_URL SLOTS\n", stderr);
    return 2;
  }
  return sluice::run(argv[1], std::atoi(argv[2]));
}
