#include "worker/monitor.h"

#include <fmt/format.h>

#include "json_text.h"

namespace sluice {

namespace {

HttpReply text_reply(int status, std::string body) {
  HttpReply reply;
  reply.status = status;
  reply.content_type = "text/plain; charset=utf-8";
  reply.body = std::move(body);
  return reply;
}

HttpReply ready_reply(const Worker& worker) {
  HttpReply reply;
  const std::string reason = worker.not_ready_because();
  reply.status = reason.empty() ? 200 : 503;
  reply.body = fmt::format(R"({{"ready":{},"wakeups":{}{}}})", reason.empty(),
                           json_string(name_of(worker.listen_mode())),
                           reason.empty() ? "" : ",\"reason\":" + json_string(reason));
  reply.body += '\n';
  return reply;
}

// Of 200 models the text takes 4 ms, in which no call goes on, and whoever reaches the address may
// ask: at most a twentieth of the loop's time is for that.
constexpr int64_t metrics_rests = 20;

}  // namespace

const std::string& Monitor::metrics_text() {
  const int64_t begun_ns = clock_.now_ns();
  if (begun_ns >= metrics_until_ns_) {
    metrics_.set_listen_mode(worker_.listen_mode());
    metrics_text_ = metrics_.text();
    const int64_t now_ns = clock_.now_ns();
    metrics_until_ns_ = now_ns + metrics_rests * (now_ns - begun_ns);
  }
  return metrics_text_;
}

Co<HttpReply> Monitor::answer(HttpIncoming incoming) {
  HttpReply reply = text_reply(404, "not found: there are /healthz, /readyz and /metrics\n");
  if (!incoming.only_reads()) {
    reply = text_reply(405, "only GET\n");
  } else if (incoming.path == "/healthz") {
    reply = text_reply(200, "ok\n");
  } else if (incoming.path == "/readyz") {
    reply = ready_reply(worker_);
  } else if (incoming.path == "/metrics") {
    reply = text_reply(200, metrics_text());
    reply.content_type = "text/plain; version=0.0.4; charset=utf-8";
  }
  co_return reply;
}

}  // namespace sluice
