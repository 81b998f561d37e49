#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <pqxx/pqxx>
#include <string>

#include "bounds.h"
#include "cli/command.h"
#include "cli/secret_flags.h"
#include "cli/syntax.h"
#include "command_error.h"
#include "db/database_url.h"
#include "db/migrate.h"
#include "db/private_postgres.h"
#include "process_rights.h"
#include "runtime/listen_socket.h"
#include "runtime/stop_signals.h"
#include "worker/run_worker.h"

namespace sluice {
namespace {

struct UpOptions {
  std::string data = "./sluice-data";
  std::string listen = "127.0.0.1:8080";
  std::optional<int> pg_port;
  int slots = 400;
  bool without_keys = false;
  SecretBounds secrets;
};

// SIGINT, SIGTERM and SIGHUP as a readable file: one that comes while the server starts is not
// lost, and does not end us before the server is stopped.
class StopSignals final {
 public:
  StopSignals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    if (!is_ignored(SIGHUP)) sigaddset(&signals, SIGHUP);  // blocked, it would be heard
    sigprocmask(SIG_BLOCK, &signals, &former_);
    fd_ = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  ~StopSignals() {
    // Those that came are taken: unblocked, they would kill us instead of letting us return.
    signalfd_siginfo taken;
    while (read(fd_, &taken, sizeof taken) == sizeof taken) {
    }
    close(fd_);
    release();
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  int fd() const { return fd_; }
  // From here on they do what they do without this object.
  void release() { sigprocmask(SIG_SETMASK, &former_, nullptr); }

 private:
  sigset_t former_;
  int fd_;
};

void make_database(const std::string& server_url) {
  const auto connection = connect(server_url);
  pqxx::nontransaction session(*connection);
  if (session.exec("select from pg_database where datname = 'sluice'").empty()) {
    session.exec("create database sluice");
  }
}

// With `up`, a task that names no model goes to any of them. This is set once, with the migration
// that brings the setting; later changes are the user's. The database remembers that it is owed,
// since we may be killed between the migration and the update.
void migrate(const std::string& url) {
  const auto connection = connect(url);
  const auto is_owed = [&] {
    pqxx::nontransaction session(*connection);
    return session
        .exec1(
            "select current_setting('sluice.default_is_owed', true) is not distinct from 'yes'"
            " or not exists (select from pg_attribute where attname = 'default_model'"
            " and attrelid = to_regclass('sluice.settings'))")[0]
        .as<bool>();
  }();
  if (is_owed) {
    pqxx::nontransaction(*connection)
        .exec("alter database sluice set sluice.default_is_owed = 'yes'");
  }
  migrate_up(*connection, embedded_sql(), [](std::string_view) {});
  if (!is_owed) return;
  pqxx::work transaction(*connection);
  transaction.exec("update sluice.settings set default_model = 'any'");
  transaction.exec("alter database sluice reset sluice.default_is_owed");
  transaction.commit();
}

void announce(const UpOptions& options, const PrivatePostgres& server) {
  const std::string line = fmt::format("export DATABASE_URL='{}'\n", server.url("sluice"));
  server.write_file("env", line, 0644);
  fmt::print("{}# in other shells: . {}; to stop: Ctrl-C or SIGTERM\n", line,
             (std::filesystem::path(options.data) / "env").string());
  if (options.pg_port) {
    fmt::print("# TCP: 127.0.0.1:{}, user sluice, password in {}\n", *options.pg_port,
               (std::filesystem::path(options.data) / "password").string());
  }
  std::fflush(stdout);
}

void announce_console(const UpOptions& options, const std::string& http) {
  fmt::print("# console: {}\n", console_url("http", http));
  if (!options.without_keys) {
    fmt::print("# it asks for a key; this prints one: sluice key create me --scope admin\n");
  }
  std::fflush(stdout);
}

bool is_readable(int fd) {
  pollfd event{fd, POLLIN, 0};
  return poll(&event, 1, 0) > 0;
}

// The worker and the API in this process, on the server's database. A signal that came while the
// server was starting ends it all; from the moment the worker minds signals itself they are its
// business: drain, then stop the server.
ExitCode serve(const UpOptions& options, const PrivatePostgres& server, StopSignals& signals) {
  if (is_readable(signals.fd())) return ExitCode::ok;
  RunWorkerOptions worker;
  worker.database_url = worker.direct_url = server.url("sluice");
  worker.worker.name = "up/" + std::to_string(getpid());
  worker.worker.slots = options.slots;
  worker.worker.secrets = options.secrets;
  worker.http_address = options.listen;
  worker.api.emplace();
  worker.api->opens_on_demand = true;
  worker.api->without_keys = options.without_keys;
  worker.api->doctor = {worker.database_url, worker.direct_url};
  worker.on_started = [&](const std::string& http) {
    announce_console(options, http);
    signals.release();
  };
  worker.broken = [&server]() -> std::optional<std::string> {
    if (!is_readable(server.exit_fd())) return std::nullopt;
    return fmt::format("PostgreSQL ended under us: see {}", server.log_path().string());
  };
  return run_worker(std::move(worker));
}

// Before the first start has made a database: an address that cannot be had is found at once.
void check_address(const std::string& address) {
  const Result<void> can = try_to_listen_on(address, "--listen");
  if (!can) throw CommandError(ExitCode::bad_configuration, can.error().message);
}

ExitCode run(const UpOptions& options) {
  hide_memory();
  if (options.without_keys) require_loopback(options.listen);
  PrivatePostgres::require_free(options.data);  // it has the address, too, and is why
  check_address(options.listen);
  StopSignals signals;
  const PrivatePostgres server({options.data, options.pg_port});
  make_database(server.url("postgres"));
  migrate(server.url("sluice"));
  announce(options, server);
  const ExitCode code = serve(options, server, signals);
  fmt::print("# stopping PostgreSQL\n");
  std::fflush(stdout);
  return code;
}

}  // namespace

Action configure_up(CommandSyntax syntax) {
  const auto options = std::make_shared<UpOptions>();
  syntax.append_footer(spans_footer);
  syntax
      .add_option("--data", options->data,
                  "directory of the private PostgreSQL, made if absent; a new one's "
                  "settings.default_model is any")
      .type_name("DIR")
      .capture_default_str();
  syntax.add_option("--listen", options->listen, "address of the HTTP API")
      .type_name("ADDR")
      .capture_default_str();
  syntax
      .add_option(
          "--pg-port", options->pg_port,
          "TCP port of 127.0.0.1 for PostgreSQL, password in DIR/password [Unix socket only]")
      .in_range(1024, 65535)
      .type_name("N");
  syntax.add_flag(
      "--without-keys", options->without_keys,
      "the API answers everybody who reaches its loopback address; otherwise every request "
      "needs a key (sluice key create)");
  syntax.add_option("--slots", options->slots, "calls in flight at most")
      .in_range(1, bounds::slots_max)
      .option_text("N [400]");
  add_secret_flags(syntax, options->secrets);
  return [options](const GlobalOptions&) { return run(*options); };
}

}  // namespace sluice
