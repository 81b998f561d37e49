// AnswerBody receives the body of one answer, for every HTTP client: it collects it, or passes an
// event stream to the request's sink, and enforces the request's limit and the memory for answers.
// It knows no connection: when there is no memory for a piece, its owner has to stop reading. For
// src/runtime only.
//
// Thread rule: loop thread only. Its arguments outlive it.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "runtime/clock.h"
#include "runtime/http_client.h"
#include "runtime/http_targets.h"
#include "runtime/memory_budget.h"

namespace sluice {

class AnswerBody final {
 public:
  AnswerBody(MemoryBudget& memory, const Clock& clock, const HttpRequest& request,
             const HttpTarget& target)
      : memory_(memory), clock_(clock), request_(request), target_(target) {}

  // Before its first piece. `on_room`: there may be room for what found none; see
  // MemoryBudget::Hold.
  void begin(int status, const HttpFields& headers, std::function<void()> on_room);
  bool has_begun() const { return response_.first_byte_ns.has_value(); }

  enum class Taken {
    yes,
    no_room,  // not taken: to be given again when there may be room
    too_large,
  };
  Taken take(std::string_view bytes);
  // Takes a piece that found no room and cannot wait.
  Taken take_anyway(std::string_view bytes);

  // The answer is whole.
  HttpResponse finish(int status, HttpFields headers);
  // It is not wanted any more.
  void drop() { response_ = HttpResponse(); }

 private:
  int64_t bytes_with(std::string_view bytes) const;
  Taken keep(std::string_view bytes);

  MemoryBudget& memory_;
  const Clock& clock_;
  const HttpRequest& request_;
  const HttpTarget& target_;
  BodySink* sink_ = nullptr;  // set: takes the body
  HttpResponse response_;
};

}  // namespace sluice
