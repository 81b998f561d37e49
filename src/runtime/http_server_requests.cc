// Requests of the HTTP server: from their headers until their handler has them.
#include <charconv>
#include <utility>

#include "runtime/http_refusals.h"
#include "runtime/http_server_engine.h"

namespace sluice {
namespace {

// Of a body over its limit so much is read and dropped, so that an honest sender gets to read its
// 413.
constexpr int64_t dropped_body_factor = 4;
// Of a body that is not wanted at all so much is read and dropped: a client that still sends does
// not see an answer. A client that sends more is answered at once, and cut off.
constexpr int64_t unwanted_body_bytes_max = int64_t{1} << 20;
// When that has gone, a body comes on by so much at a time, in turns with the others. That many
// pieces of a byte each take some 30 us.
constexpr int64_t quantum_bytes = int64_t{32} * 1024;
constexpr int64_t piece_cost_bytes = 128;
// By steps of so much a body takes its share, not by pieces, which may have a byte each.
constexpr int64_t share_step_bytes = 1024;
// Of a body that is read in pieces, so much waits to be taken; then the client has to.
constexpr size_t piece_bytes_max = size_t{1} << 20;

HttpFields fields_of(MHD_Connection* connection, MHD_ValueKind kind) {
  HttpFields fields;
  const auto collect = [](void* out, MHD_ValueKind of_kind, const char* name, const char* value) {
    auto& list = *static_cast<HttpFields*>(out);
    list.emplace_back(of_kind == MHD_HEADER_KIND ? to_lower(name) : name,
                      value == nullptr ? "" : value);
    return MHD_YES;
  };
  MHD_get_connection_values(connection, kind, collect, &fields);
  return fields;
}

// Arguments arrive as sent, for we take the decoding from the daemon (leave_escaped). False when
// one is malformed.
bool decode(HttpFields& arguments) {
  for (auto& [name, value] : arguments) {
    auto plain_name = percent_decode(name);
    auto plain_value = percent_decode(value);
    if (!plain_name || !plain_value) return false;
    name = std::move(*plain_name);
    value = std::move(*plain_value);
  }
  return true;
}

// Whether its client can send all of its body before it hears that nobody wants it.
bool is_body_short(const HttpIncoming& incoming) {
  if (!incoming.header("expect").empty()) return false;
  const std::string_view length = incoming.header("content-length");
  int64_t bytes = 0;
  const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), bytes);
  return length.empty() || (error == std::errc() && bytes <= unwanted_body_bytes_max);
}

}  // namespace

bool Exchange::find_body_room(int64_t bytes) {
  if (bytes > body_room) {
    const int64_t missing = bytes - body_room;
    const bool has_step = missing < share_step_bytes && body_part->grow(share_step_bytes);
    if (!has_step && !body_part->grow(missing)) return false;
    body_room += has_step ? share_step_bytes : missing;
  }
  body_room -= bytes;
  return true;
}

// An answer to the headers alone makes the daemon read nothing further and close.
MHD_Result HttpServer::Engine::begin(Visit& visit, MHD_Connection* connection,
                                     std::string_view version) {
  visit.since_ns = clock.now_ns();
  HttpIncoming& incoming = visit.exchange->incoming;
  incoming.arrived_ns = visit.since_ns;
  incoming.query = fields_of(connection, MHD_GET_ARGUMENT_KIND);
  incoming.headers = fields_of(connection, MHD_HEADER_KIND);
  std::optional<RequestProblem> problem = std::exchange(visit.target_problem, std::nullopt);
  if (!problem) problem = request_problem(incoming.method, version, incoming.headers);
  if (!problem && !decode(incoming.query)) problem = {400, "a malformed %XX in the query"};
  if (problem) {
    visit.exchange->close = true;
    visit.exchange->reply = refusal(problem->status, "invalid_request", problem->message);
    return send_reply(connection, visit);
  }
  return admit(connection, visit);
}

// Nothing of the body is read before it is known whom it is from.
MHD_Result HttpServer::Engine::admit(MHD_Connection* connection, Visit& visit) {
  const std::shared_ptr<Exchange>& exchange = visit.exchange;
  if (options.admit) {
    HttpAdmission admission = options.admit(exchange->incoming);
    if (auto* pending = std::get_if<Co<HttpVerdict>>(&admission)) {
      exchange->waiting = true;
      MHD_suspend_connection(connection);
      coroutines.spawn(await_verdict(connection, exchange, std::move(*pending)));
      return MHD_YES;
    }
    exchange->take(std::get<HttpVerdict>(std::move(admission)));
  }
  return let_in(connection, visit);
}

Co<void> HttpServer::Engine::await_verdict(MHD_Connection* connection,
                                           std::shared_ptr<Exchange> exchange,
                                           Co<HttpVerdict> verdict) {
  exchange->take(co_await std::move(verdict));
  resume(connection, *exchange);
}

// A request whose headers are there, and of which it is known whom it is from.
MHD_Result HttpServer::Engine::let_in(MHD_Connection* connection, Visit& visit) {
  Exchange& exchange = *visit.exchange;
  HttpIncoming& incoming = exchange.incoming;
  exchange.is_let_in = true;
  exchange.in_pieces =
      options.is_read_in_pieces && options.is_read_in_pieces(incoming.method, incoming.path);
  if (!incoming.header("transfer-encoding").empty()) {
    suspect(connection, visit);
  }
  if (!exchange.reply) exchange.reply = find_place(exchange, visit.address);
  if (exchange.reply) return turn_away(connection, visit);
  drop_idle(visit);
  exchange.body_bytes_max = dropped_body_factor * (exchange.in_pieces ? options.pieces_bytes_max
                                                                      : options.body_bytes_max);
  if (exchange.in_pieces) {
    incoming.next_piece = [this, connection, exchange = visit.exchange] {
      return next_piece(connection, exchange);
    };
    coroutines.spawn(serve(connection, visit.exchange));
  }
  return MHD_YES;
}

// An answer: there is none.
std::optional<HttpReply> HttpServer::Engine::find_place(Exchange& exchange,
                                                        const std::string& party) {
  const std::string& client = exchange.incoming.client;
  exchange.place.emplace(requests, client, party);
  if (!exchange.place->grow(1)) return busy_reply("requests");
  // All without a key at an address are as one key: metrics that they leave unread leave room for
  // the keys there.
  exchange.answer_part.emplace(answers, client.empty() ? "at " + party : client, party);
  if (!exchange.answer_part->grow(answer_bytes_min)) return busy_reply("bytes of answers");
  if (exchange.in_pieces) {
    exchange.upload.emplace(uploads, client, party);
    if (!exchange.upload->grow(1)) return busy_reply("uploads");
  }
  exchange.body_part = std::make_shared<FairShares::Part>(bodies, client, party);
  exchange.incoming.body_share = exchange.body_part;
  return std::nullopt;
}

MHD_Result HttpServer::Engine::turn_away(MHD_Connection* connection, Visit& visit) {
  Exchange& exchange = *visit.exchange;
  exchange.in_pieces = false;
  exchange.body_bytes_max = unwanted_body_bytes_max;
  if (is_body_short(exchange.incoming)) return MHD_YES;
  exchange.close = true;
  return send_reply(connection, visit);
}

// Whether its body has come on by as much as it may, and now waits: suspended, with what it has
// sent. The daemon itself goes on with all that has come, of as many as send.
bool HttpServer::Engine::has_had_its_turn(MHD_Connection* connection,
                                          const std::shared_ptr<Exchange>& exchange) {
  if (exchange->waiting || exchange->quantum_used < quantum_bytes) return false;
  exchange->quantum_used = 0;
  if (body_turns.has_room()) return false;
  exchange->waits_for_turn = true;
  MHD_suspend_connection(connection);
  body_turns.run(exchange->client, [this, connection, exchange] {
    exchange->waits_for_turn = false;
    MHD_resume_connection(connection);
    MHD_run(daemon);
    run_soon();
  });
  return true;
}

MHD_Result HttpServer::Engine::take_upload(MHD_Connection* connection, Exchange& exchange,
                                           std::string_view part) {
  exchange.quantum_used += static_cast<int64_t>(part.size()) + piece_cost_bytes;
  return exchange.in_pieces && !exchange.reply ? take_piece(connection, exchange, part)
                                               : take_body(exchange, part);
}

// The body of a refused request is read and dropped: only then does the client read the answer.
MHD_Result HttpServer::Engine::take_body(Exchange& exchange, std::string_view part) {
  const auto bytes = static_cast<int64_t>(part.size());
  exchange.body_bytes += bytes;
  if (!exchange.reply && exchange.body_bytes > options.body_bytes_max) {
    exchange.reply = too_large_reply();
  } else if (!exchange.reply && !exchange.find_body_room(bytes)) {
    exchange.reply = busy_reply("bodies");
  }
  if (exchange.reply) {
    std::string().swap(exchange.incoming.body);  // assigned an empty one, it keeps its memory
    if (exchange.body_part) exchange.body_part->give_back();
    return exchange.body_bytes <= exchange.body_bytes_max ? MHD_YES : MHD_NO;
  }
  exchange.incoming.body.append(part);
  return MHD_YES;
}

// Takes all of `data`: what the daemon keeps while it reads nothing hides from it that the client
// has left. Of a chunked body it goes on with what it has read, suspended or not.
MHD_Result HttpServer::Engine::take_piece(MHD_Connection* connection, Exchange& exchange,
                                          std::string_view data) {
  exchange.body_bytes += static_cast<int64_t>(data.size());
  if (exchange.body_bytes > options.pieces_bytes_max) {
    exchange.reply = too_large_reply();
    exchange.gone = true;
  } else {
    exchange.piece.append(data);
    if (!exchange.waiting && exchange.piece.size() >= piece_bytes_max) {
      exchange.waiting = true;
      MHD_suspend_connection(connection);
    }
  }
  exchange.arrived.raise();
  return MHD_YES;
}

Co<Result<std::string>> HttpServer::Engine::next_piece(MHD_Connection* connection,
                                                       std::shared_ptr<Exchange> exchange) {
  while (exchange->piece.empty() && !exchange->body_ended && !exchange->gone) {
    co_await exchange->arrived.wait();
  }
  if (exchange->gone) {
    co_return tl::unexpected(Error{Error::Action::refuse, {}, "the client has left"});
  }
  std::string piece = std::exchange(exchange->piece, std::string());
  if (exchange->waiting && !exchange->body_ended) resume(connection, *exchange);
  co_return piece;
}

}  // namespace sluice
