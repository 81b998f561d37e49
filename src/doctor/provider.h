// Whose PostgreSQL this is, and which pooler stands before it, judged by what its catalog and its
// address show. Pure: trials.h reads what these judge. All but a server of one's own is recognised
// by what its provider documents (docs/operations/managed.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice {

enum class Provider {
  own,
  rds,
  aurora,
  cloud_sql,
  alloydb,
  azure,
  neon,
  supabase,
  crunchy,
  cockroach,
  yugabyte,
  dsql,
};

struct ServerFacts {
  std::string version;             // what version() says
  int version_number = 0;          // server_version_num: 150018
  std::vector<std::string> marks;  // of provider_marks() those that are there
  std::string host;                // as the connection names it; a path: a Unix socket
  std::string port;
  bool is_standby = false;
  bool is_read_only = false;  // for this login, unless it says otherwise
};

// What shows that a provider has made the server: "role NAME", "function NAME", "setting NAME",
// "relation SCHEMA.NAME" or "extension NAME", which could be installed.
std::vector<std::string> provider_marks();

Provider provider_of(const ServerFacts& facts);
std::string_view name_of(Provider provider);

// Why Sluice does not work there; empty: it does, or should.
std::string_view why_not(Provider provider);

enum class PoolerMode { none, session, transaction };

// The pooler that a provider has at this address; empty: the address does not tell.
std::string_view pooler_at(const std::string& host, const std::string& port);

}  // namespace sluice
