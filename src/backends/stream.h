// A streamed answer, put together while it arrives into the body that the API would have sent
// without streaming, so that everything after it is the same for both. Owns the text so far, never
// the stream itself: 10,000 streams keep their answers, not their padding.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "backends/sse.h"
#include "runtime/http_client.h"

namespace simdjson::dom {
class element;
}

namespace sluice {

// Puts one API's events together into its JSON answer.
class Assembly {
 public:
  virtual ~Assembly() = default;
  // One event; one that makes no sense is passed over.
  virtual void take(const simdjson::dom::element& data) = 0;
  // "[DONE]", for APIs that say so.
  virtual void end() {}
  // The whole answer as JSON; nullopt while the stream has not come to its end.
  virtual std::optional<std::string> body() const = 0;
  // Bytes kept so far.
  virtual size_t bytes() const = 0;
};

class StreamedBody final : public BodySink {
 public:
  using OnBegin = std::function<void(const HttpFields& headers)>;
  StreamedBody(std::unique_ptr<Assembly> assembly, size_t bytes_max, OnBegin on_begin);

  // BodySink. take() is false when the answer is above its limit.
  void begin(const HttpFields& headers) override;
  bool take(std::string_view bytes) override;
  size_t bytes() const override;

  bool has_begun() const { return has_begun_; }
  // The answer, or the error object that broke it off; nullopt: the stream ended before either.
  std::optional<std::string> body() const;

 private:
  void on_event(const Event& event);

  std::unique_ptr<Assembly> assembly_;
  size_t bytes_max_;
  OnBegin on_begin_;
  EventParser parser_;
  size_t taken_bytes_ = 0;
  size_t events_ = 0;
  bool has_begun_ = false;
  bool is_done_ = false;
  bool is_broken_ = false;
  std::optional<std::string> error_;
};

}  // namespace sluice
