// An HTTP client whose requests wait until the test answers them, in any order.
#pragma once

#include <list>
#include <optional>
#include <string>

#include "runtime/http_client.h"
#include "runtime/signal.h"

namespace sluice {

class FakeHttp final : public HttpClient {
 public:
  struct Sent {
    HttpRequest request;
    std::optional<HttpResult> result;
    Signal answered;
  };

  Co<HttpResult> send(HttpRequest request, AbortToken* abort) override {
    Sent& sent = sent_.emplace_back();
    sent.request = std::move(request);
    if (abort) {
      abort->on_abort([&sent] {
        sent.result = http_failure(HttpFailure::Kind::aborted, "aborted");
        sent.answered.raise();
      });
    }
    return wait(sent, abort);
  }

  size_t count() const { return sent_.size(); }
  const HttpRequest& request(size_t i) const {
    return std::next(sent_.begin(), static_cast<long>(i))->request;
  }

  // The backend has taken all of it.
  void take(size_t i) { std::next(sent_.begin(), static_cast<long>(i))->request.body.give_back(); }
  void take_all() {
    for (Sent& sent : sent_) sent.request.body.give_back();
  }

  void answer(size_t i, HttpResult result) {
    Sent& sent = *std::next(sent_.begin(), static_cast<long>(i));
    sent.result = std::move(result);
    sent.answered.raise();
  }
  void answer_ok(size_t i, const std::string& answer) {
    HttpResponse response;
    response.status = 200;
    response.body = R"({"answer":")" + answer + R"("})";
    this->answer(i, std::move(response));
  }

 private:
  static Co<HttpResult> wait(Sent& sent, AbortToken* abort) {
    while (!sent.result) co_await sent.answered.wait();
    if (abort) abort->on_abort(nullptr);
    co_return *sent.result;
  }

  std::list<Sent> sent_;
};

}  // namespace sluice
