#include "db/private_postgres.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <libpq-fe.h>
#include <openssl/rand.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <pqxx/pqxx>
#include <sstream>
#include <vector>

#include "command_error.h"
#include "db/database_url.h"
#include "hex.h"
#include "runtime/listen_socket.h"

namespace sluice {
namespace fs = std::filesystem;
namespace {

using Clock = std::chrono::steady_clock;

constexpr int postgres_version_min = 15;
constexpr int default_port = 5432;
// sun_path holds 108 bytes; some clients are stricter.
constexpr size_t socket_path_bytes_max = 90;
constexpr off_t log_bytes_max = 10 << 20;
constexpr size_t log_excerpt_bytes_max = 2'000;
constexpr int make_cluster_timeout_ms = 120'000;
// Recovery after a crash replays at most what max_wal_size holds (1 GB), even on a slow disk.
constexpr int start_timeout_ms = 300'000;
constexpr int former_server_timeout_ms = 60'000;
constexpr int leftover_timeout_ms = 5'000;
constexpr int fast_stop_timeout_ms = 60'000;
constexpr int immediate_stop_timeout_ms = 10'000;
constexpr int look_interval_ms = 20;
constexpr size_t password_bytes = 16;

// The newest server at or above our minimum, or exactly `wanted` where a cluster exists already.
fs::path newest_binaries(std::optional<int> wanted) {
  int newest = 0;
  fs::path found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator("/usr/lib/postgresql", none)) {
    const int version = std::atoi(entry.path().filename().c_str());
    const bool fits = wanted ? version == *wanted : version >= postgres_version_min;
    if (!fits || version <= newest || !fs::exists(entry.path() / "bin/initdb", none)) continue;
    newest = version;
    found = entry.path() / "bin";
  }
  return found;
}

fs::path binaries_in_path() {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(':'), rest.size());
    const fs::path folder(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    std::error_code none;
    if (folder.is_absolute() && fs::exists(folder / "initdb", none) &&
        fs::exists(folder / "postgres", none)) {
      return folder;
    }
  }
  return {};
}

// The number with which a file of the cluster begins. The account that PostgreSQL runs as may have
// put anything there, a named pipe too, which would keep us waiting.
std::optional<int> number_in(const fs::path& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  std::array<char, 16> text{};
  const ssize_t bytes = read(file.get(), text.data(), text.size());
  int number = 0;
  const bool is_one =
      bytes > 0 && std::from_chars(text.data(), text.data() + bytes, number).ec == std::errc();
  return is_one ? std::optional(number) : std::nullopt;
}

std::optional<int> cluster_version(const fs::path& pgdata) {
  return number_in(pgdata / "PG_VERSION");
}

void give_to(const std::optional<Account>& account, const fs::path& path) {
  if (account && lchown(path.c_str(), account->uid, account->gid) != 0) {
    throw CommandError(ExitCode::bad_configuration,
                       fmt::format("cannot give {} to {}: {}", path.string(), account->name,
                                   std::strerror(errno)));
  }
}

// The initdb of an `up` that was killed may be writing its last files there.
void remove_leftover(const fs::path& directory) {
  const auto deadline = Clock::now() + std::chrono::milliseconds(leftover_timeout_ms);
  std::error_code error;
  fs::remove_all(directory, error);
  while (error && Clock::now() < deadline) {
    usleep(look_interval_ms * 1000);
    fs::remove_all(directory, error);
  }
  if (!error) return;
  throw CommandError(ExitCode::bad_configuration,
                     fmt::format("cannot remove {}: {}", directory.string(), error.message()));
}

std::string name_of(uid_t user) {
  const passwd* known = getpwuid(user);
  return known != nullptr ? known->pw_name : fmt::format("user {}", user);
}

// Whether the process named in `pid_file` is this cluster's server. One that was told to stop as
// its parent died may still be writing its last checkpoint; the file alone may be years old.
bool is_running_postgres(const fs::path& pid_file) {
  const std::optional<int> pid = number_in(pid_file);
  if (!pid || *pid <= 0) return false;
  std::ostringstream command;  // empty for a zombie
  command << std::ifstream(fmt::format("/proc/{}/cmdline", *pid)).rdbuf();
  return command.str().find(pid_file.parent_path().native()) != std::string::npos;
}

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || std::strchr("/-_.~", c) != nullptr;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

[[noreturn]] void throw_in_use(const fs::path& directory) {
  throw CommandError(ExitCode::failure,
                     fmt::format("another sluice up runs on {}: stop it, or choose another "
                                 "directory by --data",
                                 directory.string()));
}

}  // namespace

PrivatePostgres::PrivatePostgres(const PrivatePostgresOptions& options)
    : directory_(fs::absolute(options.directory).lexically_normal()),
      tcp_port_(options.tcp_port),
      account_(unprivileged_account()) {
  make_directories();
  lock_directory();
  await_former_server();
  find_binaries();
  open_log();
  make_cluster();
  choose_socket_directory();
  start();
  await_ready();
  if (tcp_port_) set_password();
}

PrivatePostgres::~PrivatePostgres() {
  server_->send(SIGINT);
  if (server_->wait(fast_stop_timeout_ms)) return;
  server_->send(SIGQUIT);
  server_->wait(immediate_stop_timeout_ms);
}

void PrivatePostgres::make_directories() {
  umask(umask(0022) | 0022);  // nobody else writes to what is made from here on
  std::error_code error;
  const bool is_new = fs::create_directories(directory_, error);
  if (error) {
    throw CommandError(
        ExitCode::bad_configuration,
        fmt::format("cannot make the data directory {}: {}; choose another by --data",
                    directory_.string(), error.message()));
  }
  open_directory();
  if (is_new) fchmod(opened_.get(), 0755);  // whatever the umask: the account enters
  if (account_ && !can_enter(*account_, directory_)) {
    throw CommandError(
        ExitCode::bad_configuration,
        fmt::format("PostgreSQL runs as the account {}, which cannot enter {}: it or a directory "
                    "above it is closed to others; choose another by --data, such as "
                    "/var/lib/sluice",
                    account_->name, directory_.string()));
  }
  refuse_foreign_content();
}

void PrivatePostgres::open_directory() {
  opened_ = FileDescriptor(open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat itself {};
  struct stat link {};
  if (opened_.get() < 0 || fstat(opened_.get(), &itself) != 0 ||
      lstat(directory_.c_str(), &link) != 0) {
    throw CommandError(
        ExitCode::bad_configuration,
        fmt::format("cannot open {}: {}", directory_.string(), std::strerror(errno)));
  }
  refuse_owner(itself.st_uid);
  refuse_owner(link.st_uid);  // the same, where it is no link
  if ((itself.st_mode & S_IWOTH) == 0) return;
  throw CommandError(ExitCode::bad_configuration,
                     fmt::format("everybody may write to {}: chmod o-w it, or choose another "
                                 "directory by --data",
                                 directory_.string()));
}

// The owner of the directory may replace anything in it, by links too.
void PrivatePostgres::refuse_owner(uid_t owner) const {
  if (owner == geteuid() || (account_ && owner == account_->uid)) return;
  throw CommandError(
      ExitCode::bad_configuration,
      fmt::format("{} belongs to {}: chown it, or choose another directory by --data",
                  directory_.string(), name_of(owner)));
}

// Somebody else's directory is no place for a cluster.
void PrivatePostgres::refuse_foreign_content() const {
  if (fs::exists(directory_ / "pgdata") || fs::exists(directory_ / "lock")) return;
  if (fs::is_empty(directory_)) return;
  throw CommandError(ExitCode::bad_configuration,
                     fmt::format("{} is not empty and holds no data of sluice up; choose another "
                                 "directory by --data",
                                 directory_.string()));
}

void PrivatePostgres::lock_directory() {
  lock_ = open_to_write("lock", 0, 0600);
  if (flock(lock_.get(), LOCK_EX | LOCK_NB) != 0) throw_in_use(directory_);
}

void PrivatePostgres::require_free(const fs::path& given) {
  const fs::path directory = fs::absolute(given).lexically_normal();
  const FileDescriptor lock(
      open((directory / "lock").c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (lock.get() < 0) return;
  if (flock(lock.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK) throw_in_use(directory);
}

FileDescriptor PrivatePostgres::open_to_write(const char* name, int flags, mode_t mode) const {
  // The opening of a named pipe would else wait for a reader.
  const int always = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  FileDescriptor file(openat(opened_.get(), name, always | flags, mode));
  struct stat facts {};
  const bool is_opened = file.get() >= 0 && fstat(file.get(), &facts) == 0;
  if (is_opened && S_ISREG(facts.st_mode)) return file;
  std::string reason = std::strerror(errno);
  if (is_opened || errno == ENXIO || errno == ELOOP) {
    reason = "it is no regular file: remove it, or choose another directory by --data";
  }
  throw CommandError(ExitCode::bad_configuration,
                     fmt::format("cannot write {}: {}", (directory_ / name).string(), reason));
}

void PrivatePostgres::write_file(const char* name, std::string_view content, mode_t mode) const {
  const FileDescriptor file = open_to_write(name, O_TRUNC, mode);
  const ssize_t written = write(file.get(), content.data(), content.size());
  if (written == static_cast<ssize_t>(content.size())) return;
  throw CommandError(
      ExitCode::bad_configuration,
      fmt::format("cannot write {}: {}", (directory_ / name).string(), std::strerror(errno)));
}

void PrivatePostgres::await_former_server() const {
  const fs::path pid_file = pgdata() / "postmaster.pid";
  const auto deadline = Clock::now() + std::chrono::milliseconds(former_server_timeout_ms);
  while (is_running_postgres(pid_file)) {
    if (Clock::now() >= deadline) {
      throw CommandError(ExitCode::failure,
                         fmt::format("a PostgreSQL still runs on {}: stop it (its process id is "
                                     "the first line of postmaster.pid there)",
                                     pgdata().string()));
    }
    usleep(look_interval_ms * 1000);
  }
}

void PrivatePostgres::find_binaries() {
  const std::optional<int> version = cluster_version(pgdata());
  binaries_ = newest_binaries(version);
  if (binaries_.empty()) binaries_ = binaries_in_path();
  if (!binaries_.empty()) return;
  throw CommandError(
      ExitCode::bad_configuration,
      version ? fmt::format("{} was made by PostgreSQL {}, which is not installed: install "
                            "postgresql-{}",
                            pgdata().string(), *version, *version)
              : fmt::format("no PostgreSQL server is installed: install postgresql-{} or newer",
                            postgres_version_min));
}

void PrivatePostgres::open_log() {
  log_ = open_to_write(log_name, O_APPEND, 0600);
  struct stat facts {};
  const bool usable = fstat(log_.get(), &facts) == 0 &&
                      (facts.st_size <= log_bytes_max || ftruncate(log_.get(), 0) == 0);
  if (usable) return;
  throw CommandError(ExitCode::bad_configuration,
                     fmt::format("cannot write {}: {}", log_path().string(), std::strerror(errno)));
}

// Made aside and renamed: a cluster whose making was interrupted is never taken for a whole one.
void PrivatePostgres::make_cluster() {
  if (cluster_version(pgdata())) return;
  const fs::path aside = directory_ / "pgdata.new";
  remove_leftover(aside);
  fs::create_directory(aside);
  fs::permissions(aside, fs::perms(0700));
  give_to(account_, aside);
  ChildProcess initdb(
      {{binaries_ / "initdb", "-D", aside, "--username=sluice", "--encoding=UTF8",
        "--locale=C.UTF-8", "--auth-local=trust", "--auth-host=scram-sha-256", "--no-instructions"},
       account_,
       log_.get(),
       SIGKILL});
  const std::optional<int> status = initdb.wait(make_cluster_timeout_ms);
  if (!status || *status != 0) fail_with_log("PostgreSQL's initdb failed");
  std::error_code error;
  fs::rename(aside, pgdata(), error);
  if (error) {
    throw CommandError(ExitCode::bad_configuration,
                       fmt::format("{} holds no cluster that can be read, and is no room for a new "
                                   "one: move it away, or choose another directory by --data",
                                   pgdata().string()));
  }
}

void PrivatePostgres::choose_socket_directory() {
  socket_directory_ = pgdata();
  const fs::path socket = pgdata() / fmt::format(".s.PGSQL.{}", port());
  const bool is_list = socket.native().find(',') != std::string::npos;  // so libpq would read it
  if (socket.native().size() <= socket_path_bytes_max && !is_list) return;
  temporary_socket_directory_.emplace(account_);
  socket_directory_ = temporary_socket_directory_->path();
}

void PrivatePostgres::start() {
  if (tcp_port_) {
    const Result<void> can = try_to_listen_on(fmt::format("127.0.0.1:{}", *tcp_port_), "--pg-port");
    if (!can) throw CommandError(ExitCode::bad_configuration, can.error().message);
  }
  std::string quoted_directory = "\"";  // the server reads a list
  for (const char c : socket_directory_.native()) quoted_directory.append(c == '"' ? 2 : 1, c);
  quoted_directory += '"';
  std::vector<std::string> argv = {binaries_ / "postgres", "-D", pgdata(), "-p",
                                   std::to_string(port())};
  for (const std::string& setting :
       {"listen_addresses=" + std::string(tcp_port_ ? "127.0.0.1" : ""),
        "unix_socket_directories=" + quoted_directory, std::string("unix_socket_permissions=0700"),
        std::string("max_connections=100"), std::string("shared_buffers=128MB"),
        // Heartbeats commit without waiting, and keep it from its sleep: once a second is enough.
        std::string("wal_writer_delay=1s"),
        // A statement that fails holds prompts, and the row that a constraint refuses a secret.
        std::string("log_min_error_statement=panic"), std::string("log_error_verbosity=terse")}) {
    argv.insert(argv.end(), {"-c", setting});
  }
  server_.emplace(ChildOptions{std::move(argv), account_, log_.get(), SIGINT});
}

void PrivatePostgres::await_ready() {
  const std::string conninfo = conninfo_of(url("postgres"));
  const auto deadline = Clock::now() + std::chrono::milliseconds(start_timeout_ms);
  while (PQping(conninfo.c_str()) != PQPING_OK) {
    if (server_->wait(look_interval_ms)) fail_with_log("PostgreSQL did not start");
    if (Clock::now() >= deadline) fail_with_log("PostgreSQL was not ready in time");
  }
}

// A new one at each start: nobody has to keep or rotate it.
void PrivatePostgres::set_password() const {
  unsigned char bytes[password_bytes];
  if (RAND_bytes(bytes, sizeof bytes) != 1) {
    throw CommandError(ExitCode::failure, "no random bytes for a password");
  }
  const std::string password = hex(bytes);
  write_file("password", password + "\n", 0600);
  const auto connection = connect(url("postgres"));
  pqxx::nontransaction(*connection).exec("alter role sluice password '" + password + "'");
}

std::string PrivatePostgres::url(std::string_view database) const {
  const std::string account = account_name(account_ ? account_->uid : geteuid());
  // With the port also where it is PostgreSQL's own: PGPORT may name another.
  return fmt::format("postgresql:///{}?host={}&port={}&user=sluice{}", percent_encoded(database),
                     percent_encoded(socket_directory_.native()), port(),
                     account.empty() ? "" : "&requirepeer=" + percent_encoded(account));
}

int PrivatePostgres::port() const {
  return tcp_port_.value_or(default_port);
}

void PrivatePostgres::fail_with_log(const std::string& what) const {
  std::ostringstream text;
  text << std::ifstream(log_path()).rdbuf();
  const std::string log = text.str();
  const size_t from = log.size() - std::min(log.size(), log_excerpt_bytes_max);
  const size_t error = log.rfind("FATAL", log.size());
  const std::string excerpt = log.substr(error != std::string::npos && error > from ? error : from);
  throw CommandError(ExitCode::failure,
                     fmt::format("{} ({}): {}", what, log_path().string(), excerpt));
}

PrivatePostgres::TemporaryDirectory::TemporaryDirectory(const std::optional<Account>& owner) {
  std::string name = "/tmp/sluice-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) {
    throw CommandError(ExitCode::bad_configuration,
                       fmt::format("cannot make a directory below /tmp: {}", std::strerror(errno)));
  }
  path_ = name;
  give_to(owner, path_);
}

PrivatePostgres::TemporaryDirectory::~TemporaryDirectory() {
  std::error_code none;
  fs::remove_all(path_, none);
}

}  // namespace sluice
