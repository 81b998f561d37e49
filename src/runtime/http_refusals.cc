#include "runtime/http_refusals.h"

#include <string>
#include <utility>

namespace sluice {
namespace {

constexpr std::string_view busy_retry_after_s = "5";

}  // namespace

HttpReply refusal(int status, std::string_view type, std::string_view message) {
  HttpReply reply;
  reply.status = status;
  reply.body = R"({"error":{"type":")";
  reply.body.append(type).append(R"(","code":null,"message":")").append(message);
  reply.body.append(R"(","hint":null,"param":null}})").append("\n");
  return reply;
}

HttpReply too_large_reply() {
  return refusal(413, "too_large", "the body is too large");
}

HttpReply busy_reply(std::string_view what) {
  HttpReply reply = refusal(503, "overloaded", "too many " + std::string(what) + " at a time");
  reply.headers.emplace_back("Retry-After", busy_retry_after_s);
  return reply;
}

HttpReply unsent_reply(bool only_reads, HttpFields headers) {
  if (only_reads) return busy_reply("bytes of answers");
  HttpReply reply = refusal(504, "outcome_unknown",
                            "it may be done, but there are too many bytes of answers at a time");
  reply.headers = std::move(headers);
  reply.headers.emplace_back("X-Should-Retry", "false");
  return reply;
}

}  // namespace sluice
