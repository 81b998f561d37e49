#include "api/file_handlers.h"

#include "api/answer_value.h"
#include "api/arguments.h"
#include "api/error_reply.h"
#include "api/line_parts.h"
#include "api/multipart.h"
#include "api/stored_text.h"

namespace sluice {
namespace {

constexpr std::string_view id_prefix = "file-";
constexpr std::string_view no_such_file = "there is no such file";
constexpr int64_t file_bytes_max = 200'000'000;  // of a batch's input, as at OpenAI
constexpr size_t field_bytes_max = 1024;         // of a field that is no file
constexpr int list_limit_max = 10'000;
constexpr int lifetime_s_default = 30 * 24 * 3600;
constexpr int lifetime_s_min = 3600;

// The fields of an upload's form read so far. Only its file is kept whole.
struct Form {
  std::string purpose;
  std::string anchor;
  std::string seconds;
  std::string filename;
  bool has_file = false;
  std::string* field =
      nullptr;  // where the present part's bytes go; null: into the file, or nowhere
  bool in_file = false;
};

void begin_part(Form& form, MultipartEvent event) {
  form.in_file = event.text == "file" && event.filename && !form.has_file;
  form.field = event.text == "purpose"                  ? &form.purpose
               : event.text == "expires_after[anchor]"  ? &form.anchor
               : event.text == "expires_after[seconds]" ? &form.seconds
                                                        : nullptr;
  if (!form.in_file) return;
  form.has_file = true;
  form.filename = *event.filename;
}

// Takes all that `reader` has; the words of what is wrong, or empty.
std::string_view read_form(MultipartReader& reader, Form& form, LineParts& lines) {
  while (auto event = reader.next()) {
    if (event->kind == MultipartEvent::Kind::part) {
      begin_part(form, std::move(*event));
    } else if (event->kind == MultipartEvent::Kind::end_of_part) {
      if (form.in_file) lines.end();
      form.in_file = false;
      form.field = nullptr;
    } else if (form.in_file) {
      lines.add(event->text);
    } else if (form.field != nullptr) {
      if (form.field->size() + event->text.size() > field_bytes_max) return "a field is too long";
      form.field->append(event->text);
    }
  }
  if (!lines.problem().empty()) return lines.problem();
  return reader.is_broken() ? "the form is no multipart/form-data" : "";
}

// How long it is kept, from its fields; nullopt if that cannot be.
std::optional<int> lifetime_s(const Form& form) {
  if (form.anchor.empty() && form.seconds.empty()) return lifetime_s_default;
  if (form.anchor != "created_at") return std::nullopt;
  return parse_count(form.seconds, lifetime_s_min, lifetime_s_default);
}

// The fault of a form that has been read to its end; empty: none.
std::string_view form_problem(const MultipartReader& reader, const Form& form) {
  if (!reader.is_whole()) return "the form is cut off";
  if (!form.has_file) return "the form has no file";
  if (form.purpose != "batch") return "the purpose is not \"batch\"";
  if (!lifetime_s(form)) {
    return "expires_after is {\"anchor\": \"created_at\", \"seconds\": 3600 to 2592000}";
  }
  return {};
}

// An upload under way: what its end, whatever it is, must settle.
class Upload final {
 public:
  Upload(Services& services, const ApiRequest& request)
      : services_(services), caller_(request.caller), requester_(request.http) {}
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;

  // Stores the parts of `lines` that are ready.
  Co<Result<void>> store(LineParts& lines, const std::string& filename);
  Co<HttpReply> finish(const Form& form);
  // Deletes the parts stored so far. If the database does not answer, retention does it after a
  // day.
  Co<void> abandon();

 private:
  Co<Result<void>> begin(const std::string& filename);

  Services& services_;
  const Caller& caller_;
  const Requester requester_;
  std::optional<std::string> id_;
  int parts_ = 0;
};

Co<Result<void>> Upload::begin(const std::string& filename) {
  if (!is_storable(filename)) {
    co_return tl::unexpected(Error{Error::Action::refuse, "22021", "the file's name is no text"});
  }
  PgParams params = {filename, caller_.tenant};
  Co<Result<PgResult>> reply = services_.database.query(
      requester_, "select sluice.begin_file('batch', $1, $2)", std::move(params));
  Result<PgResult> rows = co_await std::move(reply);
  if (!rows) co_return tl::unexpected(rows.error());
  id_ = rows->text(0, 0);
  co_return Result<void>();
}

Co<Result<void>> Upload::store(LineParts& lines, const std::string& filename) {
  while (auto part = lines.take()) {
    if (!is_storable(part->text)) {
      co_return tl::unexpected(
          Error{Error::Action::refuse, "22021", "the file is no UTF-8, or has a NUL"});
    }
    if (!id_) {
      Result<void> begun = co_await begin(filename);
      if (!begun) co_return begun;
    }
    PgParams params = {id_, std::to_string(parts_++), std::to_string(part->lines),
                       std::move(part->text)};
    Co<Result<PgResult>> reply = services_.database.query(
        requester_, "select sluice.append_file($1::bigint, $2::int, $3::int, $4)",
        std::move(params));
    Result<PgResult> stored = co_await std::move(reply);
    if (!stored) co_return tl::unexpected(stored.error());
  }
  co_return Result<void>();
}

Co<HttpReply> Upload::finish(const Form& form) {
  if (!id_) {  // a file of no bytes
    Result<void> begun = co_await begin(form.filename);
    if (!begun) co_return error_reply(begun.error());
  }
  PgParams params = {id_, std::to_string(*lifetime_s(form))};
  co_return co_await answer_with_value(
      services_.database, requester_,
      "select sluice.end_file($1::bigint, $2::int * interval '1 s')", std::move(params),
      no_such_file);
}

Co<void> Upload::abandon() {
  if (!id_) co_return;
  PgParams params = {id_};
  Co<Result<PgResult>> reply =
      services_.database.query("select sluice.abandon_file($1::bigint)", std::move(params));
  co_await std::move(reply);
}

// Reads the whole form and stores its file; an answer means that it was refused.
Co<std::optional<HttpReply>> take_form(ApiRequest& request, MultipartReader& reader, Form& form,
                                       Upload& upload) {
  LineParts lines;
  while (true) {
    Co<Result<std::string>> next = request.http.next_piece();
    Result<std::string> piece = co_await std::move(next);
    if (!piece) co_return bad_request(piece.error().message);  // nobody reads it
    if (piece->empty()) break;
    reader.feed(*piece);
    const std::string_view problem = read_form(reader, form, lines);
    if (!problem.empty()) co_return bad_request(problem);
    if (lines.bytes() > file_bytes_max) {
      co_return error_reply(413, "too_large", "the file is larger than 200 MB");
    }
    Result<void> stored = co_await upload.store(lines, form.filename);
    if (!stored) co_return error_reply(stored.error());
  }
  const std::string_view problem = form_problem(reader, form);
  if (!problem.empty()) co_return bad_request(problem);
  co_return std::nullopt;
}

}  // namespace

Co<HttpReply> upload_file(Services& services, ApiRequest request) {
  const std::string boundary = multipart_boundary(request.http.header("content-type"));
  if (boundary.empty()) co_return bad_request("a file comes as multipart/form-data");
  Upload upload(services, request);
  MultipartReader reader(boundary);
  Form form;
  std::optional<HttpReply> refused = co_await take_form(request, reader, form, upload);
  if (refused) {
    co_await upload.abandon();
    co_return std::move(*refused);
  }
  co_return co_await upload.finish(form);
}

Co<HttpReply> list_files(Services& services, ApiRequest request) {
  const auto& query = request.http.query;
  const auto limit = parse_count(find_field(query, "limit", "10000"), 1, list_limit_max);
  const std::string_view order = find_field(query, "order", "desc");
  const std::string_view after = find_field(query, "after");
  const std::string_view purpose = find_field(query, "purpose");
  if (!limit) co_return bad_request("limit is 1 to 10000");
  if (order != "asc" && order != "desc") co_return bad_request("order is asc or desc");
  PgParams params = {request.caller.tenant, std::nullopt, std::nullopt, std::to_string(*limit),
                     order == "asc" ? "true" : "false"};
  if (!purpose.empty()) params[1] = std::string(purpose);
  if (!after.empty()) {
    const auto id = parse_id(after, id_prefix);
    if (!id) co_return bad_request("after is a file's id");
    params[2] = std::to_string(*id);
  }
  co_return co_await answer_with_value(
      services.database, request.http,
      "select sluice.list_files($1, $2, $3::bigint, $4::int, $5::boolean)", std::move(params),
      no_such_file);
}

Co<HttpReply> answer_about_file(Services& services, ApiRequest request) {
  const auto id = parse_id(request.names[0], id_prefix);
  if (!id) return reply_with(error_reply(404, "not_found", no_such_file));
  PgParams params = {std::to_string(*id), request.caller.tenant};
  return answer_with_value(services.database, request.http, request.sql, std::move(params),
                           no_such_file);
}

Co<HttpReply> send_file(Services& services, ApiRequest request) {
  const auto id = parse_id(request.names[0], id_prefix);
  const Caller caller = request.caller;
  const Requester requester(request.http.client);
  HttpReply shown = co_await answer_about_file(services, std::move(request));
  if (shown.status != 200) co_return shown;
  co_return send_parts(services, "select sluice.file_body($1::bigint, $2, $3::int)", *id, requester,
                       caller);
}

}  // namespace sluice
