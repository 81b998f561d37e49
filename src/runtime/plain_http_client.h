// PlainHttpClient sends HTTP/1.1 requests without TLS, for a fraction of curl's instructions. A
// connection carries one request at a time and is kept for the next one to the same host and port.
// A request is sent again only if it was to use a kept connection that was dead before it took a
// byte: anything that was written may be billed.
//
// Thread rule: loop thread only.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>

#include "runtime/http_client.h"
#include "runtime/http_common.h"
#include "runtime/plain_connection.h"

namespace sluice {

class PlainHttpClient final : public HttpClient {
 public:
  // So many idle connections may be kept, of all hosts together, or as many as there were requests
  // at once, if these were more.
  static constexpr size_t idle_connections_min = 256;

  // `common` outlives it, and it outlives its requests.
  explicit PlainHttpClient(HttpCommon& common) : common_(common) {}
  ~PlainHttpClient() override;

  // Whether it can send this; a URL that it cannot is not_sent.
  bool takes(const HttpRequest& request);
  Co<HttpResult> send(HttpRequest request, AbortToken* abort) override;

  // Kept ones included.
  size_t connections() const { return idle_ + under_way_; }
  // Of those that nobody uses the one that was used the longest ago. False: there is none.
  bool close_an_idle_one();

 private:
  // Of one host and port, idle; the longest first.
  class Pool final : public PlainConnection::User {
   public:
    explicit Pool(size_t& idle) : idle_(idle) {}
    void on_ready(PlainConnection& connection, bool readable, bool writable) override;
    void push(std::unique_ptr<PlainConnection> connection);
    // Null: there is none.
    std::unique_ptr<PlainConnection> pop_last();
    void close_idle_since(int64_t since_ns);
    void close_first();
    int64_t first_idle_since_ns() const { return connections_.front()->idle_since_ns; }
    bool is_empty() const { return connections_.empty(); }

   private:
    size_t& idle_;  // of all pools
    std::deque<std::unique_ptr<PlainConnection>> connections_;
  };
  class UnderWay;

  Co<Result<std::unique_ptr<PlainConnection>>> connect(std::shared_ptr<const HttpTarget> target,
                                                       int64_t by_ns, AbortToken* abort);
  std::unique_ptr<PlainConnection> take_idle(const std::string& origin);
  void keep(const std::string& origin, std::unique_ptr<PlainConnection> connection);
  void look_later();
  void look();

  static constexpr size_t buffer_bytes = size_t{64} * 1024;

  HttpCommon& common_;
  size_t idle_ = 0;  // in all pools
  std::unordered_map<std::string, Pool> pools_;
  size_t under_way_ = 0;
  size_t most_under_way_ = idle_connections_min;
  Clock::TimerId look_timer_ = 0;          // while there are pools
  std::array<char, buffer_bytes> buffer_;  // what is read, until it is parsed
};

}  // namespace sluice
