#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <pqxx/pqxx>
#include <string>

#include "cli/command.h"
#include "command_error.h"
#include "db/database_url.h"
#include "db/migrate.h"
#include "db/private_postgres.h"

namespace sluice {
namespace {

struct UpOptions {
  std::string data = "./sluice-data";
  std::string listen = "127.0.0.1:8080";
  std::optional<int> pg_port;
};

// SIGINT and SIGTERM as a readable file: one that comes while the server starts is not lost, and
// does not end us before the server is stopped.
class StopSignals final {
 public:
  StopSignals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, &former_);
    fd_ = signalfd(-1, &signals, SFD_CLOEXEC);
  }
  ~StopSignals() {
    close(fd_);
    sigprocmask(SIG_SETMASK, &former_, nullptr);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  int fd() const { return fd_; }

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

void announce(const UpOptions& options, const PrivatePostgres& server) {
  const std::string line = fmt::format("export DATABASE_URL='{}'\n", server.url("sluice"));
  const std::filesystem::path path = std::filesystem::path(options.data) / "env";
  std::ofstream file(path);
  if (!(file << line << std::flush)) {
    throw CommandError(ExitCode::bad_configuration,
                       fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
  }
  fmt::print("{}", line);
  if (options.pg_port) {
    fmt::print("# TCP: 127.0.0.1:{}, user sluice, password in {}\n", *options.pg_port,
               (std::filesystem::path(options.data) / "password").string());
  }
  std::fflush(stdout);
}

// The worker's place: it runs here, on the server's database, until one of the two descriptors
// speaks.
ExitCode serve(const PrivatePostgres& server, const StopSignals& signals) {
  std::array<pollfd, 2> events{pollfd{signals.fd(), POLLIN, 0},
                               pollfd{server.exit_fd(), POLLIN, 0}};
  while (poll(events.data(), events.size(), -1) < 0 && errno == EINTR) {
  }
  if (events[0].revents != 0) return ExitCode::ok;
  throw CommandError(ExitCode::failure,
                     fmt::format("PostgreSQL ended under us: see {}", server.log_path().string()));
}

ExitCode run(const UpOptions& options) {
  const StopSignals signals;
  const PrivatePostgres server({options.data, options.pg_port});
  make_database(server.url("postgres"));
  {
    const auto connection = connect(server.url("sluice"));
    migrate_up(*connection, embedded_sql(), [](std::string_view) {});
  }
  announce(options, server);
  return serve(server, signals);
}

}  // namespace

Action configure_up(CLI::App& app) {
  const auto options = std::make_shared<UpOptions>();
  app.add_option("--data", options->data, "directory of the private PostgreSQL, made if absent")
      ->type_name("DIR")
      ->capture_default_str();
  app.add_option("--listen", options->listen, "address of the HTTP API")
      ->type_name("ADDR")
      ->capture_default_str();
  app.add_option(
         "--pg-port", options->pg_port,
         "TCP port of 127.0.0.1 for PostgreSQL, password in DIR/password [Unix socket only]")
      ->check(CLI::Range(1024, 65535))
      ->type_name("N");
  return [options](const GlobalOptions&) { return run(*options); };
}

}  // namespace sluice
