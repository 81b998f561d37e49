// PlainDial connects to the first of a target's addresses that accepts. Each address has a head
// start before the next one is tried as well, so that one that does not answer causes only a short
// delay. For src/runtime only.
//
// Thread rule: loop thread only. Its arguments outlive it. If it is destroyed early it closes
// the connections that it began.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/co.h"
#include "runtime/http_common.h"
#include "runtime/plain_connection.h"
#include "runtime/resolver.h"
#include "runtime/signal.h"

namespace sluice {

class PlainDial final : private PlainConnection::User {
 public:
  // More addresses of a name than that are left alone.
  static constexpr size_t addresses_max = 16;
  // As curl's, between its families.
  static constexpr int64_t head_start_ms = 200;

  PlainDial(HttpCommon& common, const HttpTarget& target, const Resolver::Addresses& addresses,
            AbortToken* abort);
  ~PlainDial() override;
  PlainDial(const PlainDial&) = delete;
  PlainDial& operator=(const PlainDial&) = delete;

  // Errors: retry_later, when no address takes a connection in time, or by `abort`.
  Co<Result<std::unique_ptr<PlainConnection>>> run(int64_t deadline_ns);

 private:
  void begin(const std::string& address);
  void on_ready(PlainConnection& connection, bool readable, bool writable) override;

  HttpCommon& common_;
  const HttpTarget& target_;
  const Resolver::Addresses& addresses_;
  AbortToken* abort_;  // may be null
  std::vector<std::unique_ptr<PlainConnection>> attempts_;
  std::unique_ptr<PlainConnection> made_;
  Error problem_;  // of the last one that failed
  Signal changed_;
};

}  // namespace sluice
