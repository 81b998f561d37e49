// BulkTurns runs the steps of bulk requests, each of which may take a second, on a connection where
// nothing else waits behind them: one at a time, and the keys take turns step by step (see PgPool).
// It bounds how many such requests of one key are under way.
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
  // `requests_of_key_max`: of one key, under way at a time; those for which nobody waits any more
  // do not count.
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
    bool is_taken() const { return is_taken_; }

    // A step, when it is its turn. Requires: is_taken(). Errors: as PgPool::query(); not_sent,
    // also: nobody waits for the answer.
    Co<Result<PgResult>> query(std::string sql, PgParams params);

   private:
    BulkTurns& turns_;
    const HttpIncoming& incoming_;
    bool is_taken_ = false;
  };

 private:
  using Requests = std::list<const HttpIncoming*>;
  bool has_room(const std::string& key);

  PgPool& database_;
  const size_t requests_of_key_max_;
  std::map<std::string, Requests> keys_;  // those with places; without keys all are one
};

}  // namespace sluice
