// Connections of the HTTP server: who may come, who has to go, and whom the daemon is spared.
#include <gnutls/gnutls.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "runtime/http_server_engine.h"
#include "runtime/listen_socket.h"

namespace sluice {
namespace {

// For so many rounds in succession bytes of a body may wait while the daemon reads none of them.
constexpr int unread_rounds_max = 3;
// Longer than what says a chunk's size (some 100 bytes with a signature), and than trailers. Of a
// TLS record, 16 KiB and some bytes, the daemon hears when all of it is there.
constexpr int64_t framing_bytes_max = int64_t{4} * 1024;
constexpr int64_t tls_record_bytes_max = int64_t{17} * 1024;
// How often slow connections are looked for.
constexpr int64_t slow_look_ns = ns_per_s;
// With TLS, how long it may take until the first request begins.
constexpr int newcomer_timeout_s = 10;
// Slower than this over a whole body, or a whole answer, is an attack or as good as one.
constexpr int64_t bytes_per_s_min = int64_t{16} * 1024;

// The daemon does not hear of a client that left with its last bytes: it takes a short read for the
// end of what there is, and no further event comes.
bool has_left(int fd) {
  char byte = 0;
  return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

// Whether it has to send before it can go on; without TLS: whether it could not.
bool does_await_room(int fd, gnutls_session_t session) {
  if (session != nullptr) return gnutls_record_get_direction(session) == 1;
  pollfd look = {fd, POLLOUT, 0};
  return poll(&look, 1, 0) == 0;
}

// Whether nothing is there to go on with, neither at its socket nor decrypted.
bool has_nothing_to_do(int fd, gnutls_session_t session, bool awaits_room) {
  if (session != nullptr && gnutls_record_check_pending(session) > 0) return false;
  pollfd look = {fd, static_cast<short>(awaits_room ? POLLIN | POLLOUT : POLLIN), 0};
  return poll(&look, 1, 0) == 0;
}

// How many bytes have been taken from a socket.
int64_t read_bytes(int fd) {
  int waiting = 0;
  tcp_info info{};
  socklen_t size = sizeof info;
  ioctl(fd, FIONREAD, &waiting);
  getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size);
  return static_cast<int64_t>(info.tcpi_bytes_received) - waiting;
}

}  // namespace

void HttpServer::Engine::welcome(MHD_Connection* connection) {
  Visit& visit = visits[connection];
  visit.fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
  visit.since_ns = clock.now_ns();
  visit.address = address_party(
      *MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr);
  visit.place = std::make_unique<FairShares::Part>(connections, std::string(), visit.address);
  bool has_room = find_room(*visit.place, visit, false);
  if (has_room && is_tls()) {
    visit.newcomer = std::make_unique<FairShares::Part>(newcomers, std::string(), visit.address);
    has_room = find_room(*visit.newcomer, visit, true);
  }
  if (!has_room) shutdown(visit.fd, SHUT_RDWR);
  add_idle(visit);
  if (is_tls()) suspects.insert(connection);
  if (slow_look == 0) look_for_slow_ones();
}

bool HttpServer::Engine::find_room(FairShares::Part& place, const Visit& visitor,
                                   bool among_newcomers) {
  while (!place.grow(1)) {
    if (!show_somebody_out(visitor, among_newcomers)) return false;
  }
  return true;
}

// Makes room for `visitor`: of his own address if he has others that are idle. False: nobody is.
bool HttpServer::Engine::show_somebody_out(const Visit& visitor, bool among_newcomers) {
  const auto may_go = [&](const Visit* visit) { return !among_newcomers || visit->newcomer; };
  auto who = std::find_if(idle.begin(), idle.end(), [&](const Visit* visit) {
    return may_go(visit) && visit->address == visitor.address;
  });
  if (who == idle.end()) who = std::find_if(idle.begin(), idle.end(), may_go);
  if (who == idle.end()) return false;
  Visit& leaving = **who;
  shutdown(leaving.fd, SHUT_RDWR);
  leaving.place.reset();
  leaving.newcomer.reset();
  drop_idle(leaving);
  return true;
}

void HttpServer::Engine::add_idle(Visit& visit) {
  if (!visit.idle && visit.place) visit.idle = idle.insert(idle.end(), &visit);
}

void HttpServer::Engine::drop_idle(Visit& visit) {
  if (visit.idle) idle.erase(*visit.idle);
  visit.idle.reset();
}

void HttpServer::Engine::suspect(MHD_Connection* connection, Visit& visit) {
  suspects.insert(connection);
  visit.progress = {};
  visit.progress.read_bytes = read_bytes(visit.fd);
}

// The daemon (0.9.75) takes a connection for ready as long as its TLS handshake is unfinished, or
// as its buffer is full and the line with a chunk's size has not ended, says that it has no time to
// wait, and tries each in each round: one byte and silence took a core. Who is silent is taken from
// it, after it has had a round to itself with what was there.
void HttpServer::Engine::look_at_suspects() {
  for (auto at = suspects.begin(); at != suspects.end();) {
    MHD_Connection* const connection = *at;
    Visit& visit = visits.at(connection);
    if (visit.is_suspended()) {
      ++at;
      continue;
    }
    auto* const session =
        is_tls() ? static_cast<gnutls_session_t>(
                       MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION)
                           ->tls_session)
                 : nullptr;
    const bool awaits_room = does_await_room(visit.fd, session);
    const bool was_silent =
        std::exchange(visit.progress.is_silent, has_nothing_to_do(visit.fd, session, awaits_room));
    if (was_silent && visit.progress.is_silent) {
      at = suspects.erase(at);
      set_aside(connection, visit, awaits_room);
      continue;
    }
    if (visit.is_being_read() && is_read_in_vain(visit)) cut_off(connection, visit);
    ++at;
  }
}

// Whether what comes is no body, or not read any more.
bool HttpServer::Engine::is_read_in_vain(Visit& visit) const {
  Progress& last = visit.progress;
  const int64_t bytes = read_bytes(visit.fd);
  const int64_t more = bytes - std::exchange(last.read_bytes, bytes);
  const int64_t body_bytes = visit.exchange->body_bytes;
  const bool has_come_on = body_bytes != std::exchange(last.body_bytes, body_bytes);
  last.framing_bytes = has_come_on ? 0 : last.framing_bytes + more;
  last.unread_rounds = more != 0 || last.is_silent ? 0 : last.unread_rounds + 1;
  const int64_t ahead_bytes = is_tls() ? tls_record_bytes_max : 0;
  return last.framing_bytes > framing_bytes_max + ahead_bytes ||
         last.unread_rounds > unread_rounds_max;
}

// Also one that the daemon does not read: it closes whose socket reports an error. It has forgotten
// to watch one that was suspended and is not ready to be read.
void HttpServer::Engine::cut_off(MHD_Connection* connection, const Visit& visit) {
  shutdown(visit.fd, SHUT_RDWR);
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;
  event.data.ptr = connection;  // as the daemon does
  epoll_ctl(MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd, EPOLL_CTL_ADD,
            visit.fd, &event);
}

void HttpServer::Engine::set_aside(MHD_Connection* connection, Visit& visit, bool awaits_room) {
  MHD_suspend_connection(connection);
  visit.set_aside.emplace(loop, visit.fd, [this, connection, &visit](bool, bool) {
    visit.set_aside.reset();
    visit.progress.is_silent = false;
    suspects.insert(connection);
    MHD_resume_connection(connection);
    run_soon();
  });
  visit.set_aside->want(true, awaits_room);
}

bool HttpServer::Engine::is_served_no_more(const Visit& visit) const {
  return options.is_still_served && visit.exchange && !visit.exchange->client.empty() &&
         !options.is_still_served(visit.exchange->client);
}

// For what it does.
int64_t HttpServer::Engine::allowed_s(const Visit& visit) const {
  if (visit.newcomer) return std::min(newcomer_timeout_s, options.request_timeout_s);
  return options.request_timeout_s + visit.bytes() / bytes_per_s_min;
}

// The daemon's own time-out begins anew with each byte, so that one a minute would hold a
// connection for ever. A socket that is shut down looks to the daemon as if its client had left.
void HttpServer::Engine::look_for_slow_ones() {
  const int64_t now_ns = clock.now_ns();
  for (const auto& [connection, visit] : visits) {
    if (is_served_no_more(visit)) {
      shutdown(visit.fd, SHUT_RDWR);
      continue;
    }
    if (visit.is_with_handler()) continue;
    if (now_ns - visit.since_ns > allowed_s(visit) * ns_per_s ||
        (visit.is_being_read() && has_left(visit.fd))) {
      shutdown(visit.fd, SHUT_RDWR);
    }
  }
  slow_look = 0;
  if (visits.empty()) return;
  slow_look = clock.call_at(now_ns + slow_look_ns, [this] { look_for_slow_ones(); });
}

}  // namespace sluice
