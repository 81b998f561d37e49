// BulkTurns runs what may take seconds (the steps of bulk requests, large submissions, arrays), one
// at a time, on a connection where nothing else waits behind them. Each key's requests wait in a
// queue of their own, and the queues take turns step by step: many or long requests of one key hold
// up another's by one step at a time. A request for whose answer nobody waits any more (its client
// has left, its key was revoked) is dropped at its next turn.
//
// Thread rule: loop thread only; the pool outlives it, it outlives its places.
#pragma once

#include <list>
#include <map>
#include <string>

#include "api/pg_pool.h"
#include "runtime/http_server.h"

namespace sluice {

class BulkTurns final {
 public:
  // `requests_of_key_max`: of one key, under way at a time.
  BulkTurns(PgPool& database, size_t requests_of_key_max)
      : database_(database), requests_of_key_max_(requests_of_key_max) {}
  BulkTurns(const BulkTurns&) = delete;
  BulkTurns& operator=(const BulkTurns&) = delete;

  // The answer to a request that gets no place.
  HttpReply refusal() const;

  // One request's among those of its key, from its beginning to its end.
  class Place final {
   public:
    // `incoming` outlives it.
    Place(BulkTurns& turns, const HttpIncoming& incoming);
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    // False: the key has its most under way, and this request is to be refused.
    bool is_taken() const { return taken_; }

    // A step, when it is its turn; one at a time. Requires: is_taken(). Errors: as
    // PgPool::query(); not_sent, also: nobody waits for the answer.
    Task<Result<PgResult>> query(std::string sql, PgParams params);

   private:
    friend BulkTurns;
    bool is_awaited() const { return !incoming_.is_awaited || incoming_.is_awaited(); }

    BulkTurns& turns_;
    const HttpIncoming& incoming_;
    bool taken_ = false;
    Signal turn_;  // it has come, or it will not
  };

 private:
  struct Key {
    size_t places = 0;
    std::list<Place*> waiting;
  };

  bool take_place(Place& place);
  void give_up_place(Place& place);
  void line_up(Place& place);
  void end_turn(Place& place);
  void begin_turn();
  Place* next_place();

  PgPool& database_;
  const size_t requests_of_key_max_;
  std::map<std::string, Key> keys_;  // those with places; without keys all are one
  std::string last_key_;             // whose turn the last one was
  Place* running_ = nullptr;
};

}  // namespace sluice
