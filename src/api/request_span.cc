#include "api/request_span.h"

#include <algorithm>

namespace sluice {
namespace {

// sluice.submit refuses longer ones; a broken header must not fail its request.
constexpr size_t traceparent_chars_max = 200;

bool can_be_a_tasks(std::string_view traceparent) {
  return !traceparent.empty() && traceparent.size() <= traceparent_chars_max &&
         std::all_of(traceparent.begin(), traceparent.end(),
                     [](char c) { return c >= '!' && c <= '~'; });
}

}  // namespace

RequestSpan::RequestSpan(SpanExporter* exporter, const HttpIncoming& incoming,
                         std::string_view route, std::string_view url_scheme)
    : exporter_(exporter), begun_ns_(incoming.arrived_ns) {
  const std::string_view given = incoming.header("traceparent");
  if (!can_be_a_tasks(given)) return;
  traceparent_ = given;
  if (exporter_ != nullptr) span_ = exporter_->begin_child(*traceparent_);
  if (!span_) return;
  span_->kind = SpanKind::server;
  span_->name = incoming.method + " " + std::string(route);
  span_->attributes = {{"http.request.method", incoming.method},
                       {"http.route", std::string(route)},
                       {"url.scheme", std::string(url_scheme)}};
}

RequestSpan::~RequestSpan() {
  if (!span_) return;
  if (status_) span_->attributes.push_back({"http.response.status_code", int64_t{*status_}});
  span_->has_failed = !status_ || *status_ >= 500;
  if (span_->has_failed) {
    span_->attributes.push_back({"error.type", status_ ? std::to_string(*status_) : "cut_off"});
  }
  exporter_->end(std::move(*span_), begun_ns_);
}

}  // namespace sluice
