#include "api/live_handlers.h"

#include <algorithm>
#include <memory>
#include <string_view>

#include "api/error_reply.h"
#include "api/live.h"

namespace sluice {
namespace {

constexpr std::string_view ping = "event: ping\ndata: {}\n\n";
constexpr int64_t silence_ns_max = 15 * ns_per_s;  // no proxy finds it dead then

struct LiveStream {
  LiveStream(Services& services_, const Caller& caller)
      : services(services_),
        place(services_.live.streams, caller.key_id.value_or(std::string()), std::string()),
        until_ns(services_.clock.now_ns() + services_.stream_life_ns),
        is_of_tenant(caller.tenant.has_value()),
        listener(services_.live, !is_of_tenant) {}

  Services& services;
  FairShares::Part place;
  int64_t until_ns;
  bool is_of_tenant;  // who hears only that we live
  Live::Listener listener;
  bool is_over = false;
};

Co<Result<std::string>> next_news(std::shared_ptr<LiveStream> stream) {
  if (stream->is_over) co_return std::string();
  Live& live = stream->services.live;
  Clock& clock = stream->services.clock;
  const int64_t deadline_ns = std::min(clock.now_ns() + silence_ns_max, stream->until_ns);
  co_await stream->listener.wait(deadline_ns);
  stream->is_over = live.is_released() || clock.now_ns() >= stream->until_ns;
  if (stream->is_over) co_return ": ask anew\n\n";
  std::string news = stream->listener.take_news();
  if (!news.empty()) co_return news;
  co_return std::string(stream->is_of_tenant ? ping : ": nothing new\n\n");
}

}  // namespace

Co<HttpReply> stream_live(Services& services, ApiRequest request) {
  const auto stream = std::make_shared<LiveStream>(services, request.caller);
  const bool is_of_tenant = stream->is_of_tenant;
  if (!is_of_tenant && !stream->place.grow(1)) {
    return reply_with(overloaded_reply("too many live streams",
                                       "Close some that this key has, or ask again later."));
  }
  HttpReply reply;
  reply.content_type = "text/event-stream";
  reply.headers = {{"Cache-Control", "no-cache"}, {"X-Accel-Buffering", "no"}};
  reply.body = is_of_tenant ? ping : ": changes follow\n\n";
  reply.more = [stream] { return next_news(stream); };
  return reply_with(std::move(reply));
}

}  // namespace sluice
