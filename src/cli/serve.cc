#include <fcntl.h>
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "api/run_server.h"
#include "cli/command.h"
#include "cli/syntax.h"
#include "command_error.h"
#include "duration.h"
#include "private_file.h"
#include "process_rights.h"

namespace sluice {
namespace {

// The largest RSA keys have 16 kB.
constexpr size_t tls_key_bytes_max = size_t{64} * 1024;
// A certificate has some 2 kB, a chain few of them.
constexpr size_t tls_chain_bytes_max = size_t{1} << 20;

struct ServeFlags {
  std::string listen = "127.0.0.1:8080";
  bool without_keys = false;
  int db_connections = 4;
  std::string drain_timeout = "30s";
  DatabaseBreakerLimits breaker;
  std::string breaker_open = "5s";
  std::string health_listen;
  std::string stream_life = "1h";
  std::string read_url;
  std::string read_lag = "30s";
  std::string tls_cert;
  std::string tls_key;
};

using ReadFile = Result<std::string>(const FileDescriptor& file, size_t bytes_max);

std::string content_of(const std::string& path, ReadFile* read, size_t bytes_max) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const Result<std::string> content = read(file, bytes_max);
  const std::string problem = !content           ? content.error().message
                              : content->empty() ? "is empty"
                                                 : "";
  if (problem.empty()) return *content;
  throw CommandError(ExitCode::bad_configuration, fmt::format("{} {}", path, problem));
}

ExitCode serve(const ServeFlags& flags, const GlobalOptions& globals) {
  hide_memory();
  if (flags.without_keys) require_loopback(flags.listen);
  RunServerOptions options;
  options.database_url = globals.database_url;
  options.read_url = flags.read_url;
  options.api.read_lag_ms_max = parse_duration_ms(flags.read_lag);
  options.listen = flags.listen;
  options.health_listen = flags.health_listen;
  options.api.stream_life_ms = parse_duration_ms(flags.stream_life);
  options.api.without_keys = flags.without_keys;
  options.api.db_connections = flags.db_connections;
  options.api.doctor = {globals.database_url, globals.direct_url};
  options.api.breaker = flags.breaker;
  options.api.breaker.open_ms = parse_duration_ms(flags.breaker_open);
  options.drain_timeout_ms = parse_duration_ms(flags.drain_timeout);
  if (!flags.tls_cert.empty()) {
    options.tls_certificate = content_of(flags.tls_cert, read_public_file, tls_chain_bytes_max);
    options.tls_key = content_of(flags.tls_key, read_private_file, tls_key_bytes_max);
    options.api.url_scheme = "https";
  }
  options.on_started = [scheme = options.api.url_scheme](const std::string& address,
                                                         const std::string& health) {
    drop_capabilities();
    if (!health.empty()) fmt::print("health and metrics on http://{}\n", health);
    fmt::print("console on {}\n", console_url(scheme, address));
    fmt::print("listening on {}://{}\n", scheme, address);
    std::fflush(stdout);
  };
  return run_server(options);
}

void add_breaker_options(CommandSyntax syntax, ServeFlags& flags) {
  syntax
      .add_option("--breaker-failures", flags.breaker.failures,
                  "so many statements in a row fail for the database's sake: requests are 503 at "
                  "once")
      .in_range(1, 1'000)
      .option_text("N [5]");
  syntax
      .add_option("--breaker-open", flags.breaker_open, "for so long; then one at a time is tried")
      .option_text("DURATION [5s]");
  syntax
      .add_option("--breaker-successes", flags.breaker.successes,
                  "so many in a row succeed: all go through again")
      .in_range(1, 1'000)
      .option_text("N [2]");
}

void add_read_options(CommandSyntax syntax, ServeFlags& flags) {
  syntax
      .add_option("--read-url", flags.read_url,
                  "a hot standby of the database, for lists, the console's figures and /metrics; "
                  "the primary answers while it cannot")
      .option_text("URL");
  syntax.add_option("--read-lag", flags.read_lag, "further behind, the standby is not asked")
      .option_text("DURATION [30s]");
}

}  // namespace

Action configure_serve(CommandSyntax syntax) {
  const auto flags = std::make_shared<ServeFlags>();
  syntax.append_footer(spans_footer);
  syntax.add_option("--listen", flags->listen, "address; port 0 takes a free one, printed at start")
      .option_text("HOST:PORT [127.0.0.1:8080]");
  syntax.add_flag(
      "--without-keys", flags->without_keys,
      "answer everybody who reaches this loopback address; otherwise every request needs "
      "a key (sluice key create)");
  const FlagSyntax cert =
      syntax
          .add_option("--tls-cert", flags->tls_cert,
                      "PEM file of the certificate and its chain: HTTPS, version 1.2 or newer")
          .option_text("FILE");
  const FlagSyntax key = syntax.add_option("--tls-key", flags->tls_key, "PEM file of its key")
                             .option_text("FILE")
                             .needs(cert);
  cert.needs(key);
  syntax
      .add_option("--health-listen", flags->health_listen,
                  "answers /healthz, /readyz and /metrics here, too, whatever befalls --listen")
      .option_text("HOST:PORT");
  syntax
      .add_option("--stream-life", flags->stream_life,
                  "so old a stream of events may be; then its client asks anew")
      .option_text("DURATION [1h]");
  syntax
      .add_option("--db-connections", flags->db_connections,
                  "shared by all requests; waiting clients need none")
      .in_range(1, 50)
      .option_text("N [4]");
  add_read_options(syntax, *flags);
  syntax
      .add_option("--drain-timeout", flags->drain_timeout,
                  "on SIGTERM, how long requests may finish before they are cut off")
      .option_text("DURATION [30s]");
  add_breaker_options(syntax, *flags);
  return [flags](const GlobalOptions& globals) { return serve(*flags, globals); };
}

}  // namespace sluice
