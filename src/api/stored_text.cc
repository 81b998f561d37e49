#include "api/stored_text.h"

#include <memory>

namespace sluice {
namespace {

struct Reading {
  Services& services;
  Requester requester;
  std::string sql;
  int64_t id;
  std::optional<std::string> tenant;
  int next = 0;
};

Co<Result<std::string>> next_part(std::shared_ptr<Reading> reading) {
  PgParams params = {std::to_string(reading->id), reading->tenant, std::to_string(reading->next)};
  Co<Result<PgResult>> reply =
      reading->services.database.query(reading->requester, reading->sql, std::move(params));
  Result<PgResult> rows = co_await std::move(reply);
  if (!rows) co_return tl::unexpected(rows.error());
  ++reading->next;
  if (rows->is_null(0, 0)) co_return std::string();
  co_return std::string(rows->text(0, 0));
}

}  // namespace

HttpReply send_parts(Services& services, std::string sql, int64_t id, Requester requester,
                     const Caller& caller) {
  const auto reading = std::make_shared<Reading>(
      Reading{services, std::move(requester), std::move(sql), id, caller.tenant});
  HttpReply reply;
  reply.content_type = "application/octet-stream";
  reply.more = [reading] { return next_part(reading); };
  return reply;
}

}  // namespace sluice
