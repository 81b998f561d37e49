// Answers of the HTTP server: from their handler to the last byte.
#include <poll.h>

#include <utility>

#include "runtime/http_refusals.h"
#include "runtime/http_server_engine.h"

namespace sluice {
namespace {

// Of an answer that comes in parts, so much is handed to the daemon at a time.
constexpr size_t part_bytes_max = size_t{16} * 1024;

// Bytes sent before do not matter. Works also for a connection that the daemon does not watch.
bool has_hung_up(int fd) {
  pollfd look = {fd, POLLRDHUP, 0};
  return poll(&look, 1, 0) > 0;
}

}  // namespace

bool Exchange::find_room() {
  const int64_t more = static_cast<int64_t>(reply->body.size()) - answer_bytes_min;
  return more <= 0 || !answer_part || answer_part->grow(more);
}

MHD_Result HttpServer::Engine::answer(MHD_Connection* connection, Visit& visit) {
  const std::shared_ptr<Exchange>& exchange = visit.exchange;
  if (exchange->reply) return exchange->reply->drop ? MHD_NO : send_reply(connection, visit);
  if (exchange->waiting) return MHD_NO;  // resumed by the destructor
  exchange->waiting = true;
  MHD_suspend_connection(connection);
  if (exchange->in_pieces) {
    exchange->body_ended = true;
    exchange->arrived.raise();
  } else {
    coroutines.spawn(serve(connection, exchange));
  }
  return MHD_YES;
}

Co<void> HttpServer::Engine::serve(MHD_Connection* connection, std::shared_ptr<Exchange> exchange) {
  const bool only_reads = exchange->incoming.only_reads();
  exchange->incoming.is_awaited = [this, connection, exchange] {
    if (exchange->gone) return false;
    const Visit& visit = visits.at(connection);
    return !has_hung_up(visit.fd) && !is_served_no_more(visit);
  };
  HttpReply reply = co_await handler(std::move(exchange->incoming));
  exchange->incoming = HttpIncoming();  // what it holds may hold the exchange
  std::string().swap(exchange->piece);  // nobody will take it
  if (!exchange->reply) exchange->reply = std::move(reply);
  if (!exchange->find_room()) {
    exchange->reply = unsent_reply(only_reads, std::move(exchange->reply->headers));
  }
  if (exchange->waiting) resume(connection, *exchange);  // else its body is still coming
}

// A resumed connection does not show in the daemon's epoll: it must be run.
void HttpServer::Engine::resume(MHD_Connection* connection, Exchange& exchange) {
  exchange.waiting = false;
  MHD_resume_connection(connection);
  run_soon();
}

// The source that the daemon asks for more parts.
struct HttpServer::Engine::PartSource {
  Engine& engine;
  MHD_Connection* connection;
  std::shared_ptr<Exchange> exchange;
};

// The body is not copied: it stays in the Exchange until the daemon says that the request is
// completed.
MHD_Response* HttpServer::Engine::response_of(MHD_Connection* connection,
                                              const std::shared_ptr<Exchange>& exchange) {
  const HttpReply& reply = *exchange->reply;
  if (!reply.more) {
    return MHD_create_response_from_buffer(reply.body.size(), const_cast<char*>(reply.body.data()),
                                           MHD_RESPMEM_PERSISTENT);
  }
  const auto read = [](void* source, uint64_t, char* buffer, size_t bytes_max) {
    auto& from = *static_cast<PartSource*>(source);
    return from.engine.send_part(from.connection, from.exchange, buffer, bytes_max);
  };
  const auto free = [](void* source) { delete static_cast<PartSource*>(source); };
  auto source = std::make_unique<PartSource>(PartSource{*this, connection, exchange});
  MHD_Response* response =
      MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, part_bytes_max, read, source.get(), free);
  if (response != nullptr) static_cast<void>(source.release());  // it is the response's now
  return response;
}

// The daemon calls this when the client can take more.
ssize_t HttpServer::Engine::send_part(MHD_Connection* connection,
                                      const std::shared_ptr<Exchange>& exchange, char* buffer,
                                      size_t bytes_max) {
  const std::string& part = exchange->reply->body;
  if (exchange->part_sent < part.size()) {
    const size_t bytes = part.copy(buffer, bytes_max, exchange->part_sent);
    exchange->part_sent += bytes;
    return static_cast<ssize_t>(bytes);
  }
  if (exchange->cut_off) return MHD_CONTENT_READER_END_WITH_ERROR;
  if (exchange->ended) return MHD_CONTENT_READER_END_OF_STREAM;
  if (exchange->waiting) return MHD_CONTENT_READER_END_WITH_ERROR;  // resumed by the destructor
  std::string().swap(exchange->reply->body);  // assigned an empty one, it keeps its memory
  exchange->answer_part->give_back(answer_bytes_min);
  exchange->waiting = true;
  MHD_suspend_connection(connection);
  coroutines.spawn(fetch_part(connection, exchange));
  return 0;
}

Co<void> HttpServer::Engine::fetch_part(MHD_Connection* connection,
                                        std::shared_ptr<Exchange> exchange) {
  Result<std::string> part = co_await exchange->reply->more();
  if (part) exchange->reply->body = std::move(*part);
  exchange->cut_off = !part || !exchange->find_room();
  if (exchange->cut_off) std::string().swap(exchange->reply->body);
  exchange->part_sent = 0;
  exchange->ended = exchange->reply->body.empty();
  visits.at(connection).since_ns = clock.now_ns();
  resume(connection, *exchange);
}

MHD_Result HttpServer::Engine::send_reply(MHD_Connection* connection, Visit& visit) {
  const HttpReply& reply = *visit.exchange->reply;
  visit.exchange->answered = true;
  suspects.erase(connection);
  visit.since_ns = clock.now_ns();
  MHD_Response* response = response_of(connection, visit.exchange);
  if (response == nullptr) return MHD_NO;
  if (!reply.content_type.empty()) {
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply.content_type.c_str());
  }
  // A browser must not take a file's or a model's text for a page.
  MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
  for (const auto& [name, value] : reply.headers) {
    MHD_add_response_header(response, name.c_str(), value.c_str());
  }
  // Of an answer in parts the daemon sends the end of its body to HEAD, too, which asked for none.
  const bool has_odd_end = reply.more && visit.exchange->is_head;
  if (visit.exchange->close || !listening || has_odd_end) {
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
  }
  const MHD_Result queued =
      MHD_queue_response(connection, static_cast<unsigned>(reply.status), response);
  MHD_destroy_response(response);  // our reference; the connection holds its own
  return queued;
}

}  // namespace sluice
