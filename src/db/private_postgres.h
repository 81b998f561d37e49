// A PostgreSQL server of our own, for one machine: made on first use, run as our child, stopped
// with us. It owns the server and its directory; what is in the databases is not its business.
//
//   DIR/pgdata        the cluster, owned by the account that runs the server (as root: `postgres`)
//   DIR/postgres.log  what the server says; emptied at start when it has grown too long
//   DIR/lock          held while a process runs the server
//   DIR/password      the superuser's, only with a TCP port
//
// The directory is of whoever runs this, or of the server's account, and nobody else may write to
// it: as root, we would write where its owner's links lead.
//
// Who may connect: whoever may enter the socket's directory (mode 0700: the server's account and
// root) is the superuser `sluice` without a password; over TCP, 127.0.0.1 only, with the password.
// Blocking; errors are CommandError. See ChildProcess for the thread rule.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "db/child_process.h"
#include "file_descriptor.h"

namespace sluice {

struct PrivatePostgresOptions {
  std::filesystem::path directory;
  std::optional<int> tcp_port;  // nullopt: Unix socket only
};

class PrivatePostgres final {
 public:
  // Starts the server and returns when it takes connections. bad_configuration: no binaries, or a
  // directory that the account cannot reach; failure: in use by another process, or it does not
  // start.
  explicit PrivatePostgres(const PrivatePostgresOptions& options);
  // Stops it: fast, and harder if that takes too long.
  ~PrivatePostgres();
  PrivatePostgres(const PrivatePostgres&) = delete;
  PrivatePostgres& operator=(const PrivatePostgres&) = delete;

  // Fails as the constructor does if another process has the directory, and touches nothing.
  static void require_free(const std::filesystem::path& given);

  // For libpq and psql, and safe between single quotes in a shell. It names the account that runs
  // the server: once we have ended, anybody may make a directory of /tmp anew, with a server of
  // his.
  std::string url(std::string_view database) const;
  // Readable once the server has ended, which it should not while we live. For poll and uv_poll.
  int exit_fd() const { return server_->exit_fd(); }
  std::filesystem::path log_path() const { return directory_ / log_name; }
  // A file in the directory, anew; never through a link.
  void write_file(const char* name, std::string_view content, mode_t mode) const;

 private:
  static constexpr const char* log_name = "postgres.log";

  void make_directories();
  void open_directory();
  void refuse_owner(uid_t owner) const;
  void refuse_foreign_content() const;
  FileDescriptor open_to_write(const char* name, int flags, mode_t mode) const;
  void lock_directory();
  void await_former_server() const;
  void find_binaries();
  void open_log();
  void make_cluster();
  void choose_socket_directory();
  void start();
  void await_ready();
  void set_password() const;
  std::filesystem::path pgdata() const { return directory_ / "pgdata"; }
  int port() const;
  [[noreturn]] void fail_with_log(const std::string& what) const;

  // A directory below /tmp, for a socket whose path would be too long; removed at the end.
  class TemporaryDirectory final {
   public:
    explicit TemporaryDirectory(const std::optional<Account>& owner);
    ~TemporaryDirectory();
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    const std::filesystem::path& path() const { return path_; }

   private:
    std::filesystem::path path_;
  };

  std::filesystem::path directory_;
  std::optional<int> tcp_port_;
  std::optional<Account> account_;
  std::filesystem::path binaries_;
  FileDescriptor opened_;  // directory_: our files are opened in it, whatever its path leads to
  FileDescriptor lock_;
  FileDescriptor log_;
  std::optional<TemporaryDirectory> temporary_socket_directory_;
  std::filesystem::path socket_directory_;
  std::optional<ChildProcess> server_;
};

}  // namespace sluice
