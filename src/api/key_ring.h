// KeyRing holds the hashes of all keys in force and says who a request comes from. It reads them
// anew each second, so a revoked key ends at every server within that; this reading also tells
// whether the database answers and has a schema that serves us. While nobody asks, it reads every
// settings.idle_look. A key that it does not know, or has not read of late, is looked up at once,
// so a new one counts from its first request on.
//
// Thread rule: loop thread only; the clock and the pool outlive it. A key that is known waits for
// nothing here. Others share look-ups, of which there are at most ten a second, however many come;
// as many wait as the HTTP server has connections.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/api_key.h"
#include "api/pg_pool.h"
#include "db/served_schema.h"
#include "runtime/signal.h"

namespace sluice {

class KeyRing final {
 public:
  KeyRing(Clock& clock, PgPool& database, SchemaRange known);

  // Notes that somebody asks: it reads each second for a while.
  void wake();
  // Whether only look_up() can tell whether there is a key of that id.
  bool is_unknown(std::string_view id) const;
  // Learns whether there is. Errors: the database could not be asked.
  Co<Result<void>> look_up(std::string id);

  // The id of `key`; nullopt unless it is in force, as far as is known.
  std::optional<std::string> id_of(std::string_view key) const;
  // The owner of the key of that id; null: the key is not in force any more. Valid until the next
  // reading.
  const Caller* bearer(std::string_view id) const;
  // The digest of that key; of one that is not in force the digest of none.
  const Sha256& digest_of(std::string_view id) const;

  // Why requests cannot be answered now; empty if they can.
  std::string not_ready_because() const;
  // Nobody is told of tasks by notification, as far as is known: sleeping workers find them late.
  bool notifications_are_scarce() const { return notifications_are_scarce_; }

 private:
  struct Entry {
    Sha256 digest;
    Caller caller;
    int64_t read_ns = 0;
  };
  struct Waiting {
    std::string id;
    std::optional<Error> error;
    Signal looked;
  };
  using Round = std::vector<std::shared_ptr<Waiting>>;

  Co<void> keep_reading();
  int64_t pause_ns() const;
  bool is_stale(int64_t read_ns) const;
  Co<Result<PgResult>> read(PgParams ids);
  void take(const PgResult& rows);
  Co<void> look_while_unknown();
  Co<void> look_up_all(Round round);
  Round take_round();

  Clock& clock_;
  PgPool& database_;
  SchemaRange known_;
  std::map<std::string, Entry, std::less<>> entries_;  // by id
  int64_t read_ns_ = 0;                                // 0: never
  int64_t unanswered_ns_ = 0;  // since when readings fail or last; 0: the last one did not
  int64_t asked_ns_ = 0;       // when somebody asked last
  int64_t idle_look_ns_ = 60 * ns_per_s;
  bool resting_ = false;
  Signal woken_;
  SchemaFacts schema_;
  bool notifications_are_scarce_ = false;
  std::deque<std::shared_ptr<Waiting>> unknown_;  // for the next look-ups
  bool looking_ = false;
  CoGroup coroutines_;
};

}  // namespace sluice
