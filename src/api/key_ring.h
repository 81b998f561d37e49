// KeyRing holds the hashes of all keys in force and says who a request comes from. It reads them
// anew each second, so a new or revoked key counts at every server within that; this reading also
// tells whether the database answers and has a schema that we serve.
//
// Thread rule: loop thread only; the clock and the pool outlive it. A request waits for nothing
// here, and a flood of wrong keys makes no statements. While the database is away the last keys
// count.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "api/api_key.h"
#include "api/pg_pool.h"
#include "db/migrate.h"

namespace sluice {

class KeyRing final {
 public:
  KeyRing(Clock& clock, PgPool& database, SchemaRange served);

  // The bearer of `key`; nullptr for an unknown or revoked one. Lives until the next wait.
  const Caller* find(std::string_view key) const;

  // Why requests cannot be answered now; empty if they can.
  std::string not_ready_because() const;

 private:
  struct Entry {
    KeyDigest digest;
    Caller caller;
  };
  Task<void> keep_reading();
  void take(const PgResult& rows);

  Clock& clock_;
  PgPool& database_;
  SchemaRange served_;
  std::map<std::string, Entry, std::less<>> entries_;  // by id
  int64_t read_ns_ = 0;                                // 0: never
  int64_t schema_version_ = 0;
  TaskGroup tasks_;
};

}  // namespace sluice
