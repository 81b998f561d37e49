// HttpMetrics counts what the HTTP front answered, by route and status. Owns the registry; knows no
// HTTP.
//
// Thread rule: loop thread only.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "api/database_breaker.h"
#include "api/reads.h"

namespace sluice {

class HttpMetrics final {
 public:
  HttpMetrics();
  ~HttpMetrics();

  // `route`: a pattern of the table, never what a client sent.
  void note_answer(std::string_view method, std::string_view route, int status, double seconds);
  // Of a process whose spans are those of its requests; it has no such counters before.
  void note_spans(size_t exported, size_t dropped);
  void set_open_requests(size_t requests);
  void set_database_breaker(DatabaseBreaker::State state);
  // Of a process with a standby to read from; another has no such figures.
  void set_reads(const Reads& reads);

  // In Prometheus's text format.
  std::string text() const;

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace sluice
