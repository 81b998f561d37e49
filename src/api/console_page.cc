#include "api/console_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/embedded_web.h"
#include "api/error_reply.h"
#include "api/request_origin.h"

namespace sluice {
namespace {

constexpr std::string_view root = "/console";
constexpr std::string_view inside = "/console/";
constexpr std::string_view api_root = "/console/v1";
// A name that ends so is a file's: what is not there is not the page. Names of models have dots.
constexpr std::string_view file_suffixes[] = {".css", ".html", ".ico", ".js",  ".json", ".map",
                                              ".md",  ".png",  ".svg", ".txt", ".woff2"};

bool is_below(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

bool is_named_as_a_file(std::string_view path) {
  return std::any_of(std::begin(file_suffixes), std::end(file_suffixes),
                     [path](std::string_view suffix) { return path.ends_with(suffix); });
}

// `name`: below /console/. Null: there is none.
const WebFile* find_file(std::string_view name) {
  const auto files = embedded_web_files();
  const auto found = std::lower_bound(
      files.begin(), files.end(), name,
      [](const WebFile& file, std::string_view wanted) { return file.name < wanted; });
  if (found != files.end() && found->name == name) return &*found;
  const auto pages = embedded_web_pages();
  const auto depth = static_cast<size_t>(std::count(name.begin(), name.end(), '/'));
  const bool is_page = name == pages[0].name || !is_named_as_a_file(name);
  return is_page && depth < pages.size() ? &pages[depth] : nullptr;
}

// Calls `see` with each element of a header's list, trimmed, until that returns true.
template <class See>
bool any_in_list(std::string_view list, See see) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (see(trim(list.substr(0, comma)))) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

bool has_tag(std::string_view if_none_match, std::string_view tag) {
  return any_in_list(if_none_match, [tag](std::string_view each) {
    if (each.starts_with("W/")) each.remove_prefix(2);
    return each == tag || each == "*";
  });
}

// From "/" and "/console".
HttpReply moved_inside() {
  HttpReply reply;
  reply.status = 302;
  reply.content_type = "";
  reply.headers = {{"Location", "console/"}, {"Cache-Control", "no-cache"}, {"Vary", "Accept"}};
  return reply;
}

}  // namespace

ConsolePlace console_place(std::string_view path) {
  if (!is_below(path, root)) return ConsolePlace::none;
  if (path == "/console/session") return ConsolePlace::session;
  return is_below(path, api_root) ? ConsolePlace::api : ConsolePlace::page;
}

ConsolePlace console_place(const HttpIncoming& incoming) {
  if (incoming.path != "/" || !is_look(incoming)) return console_place(incoming.path);
  const bool is_browser = any_in_list(incoming.header("accept"), [](std::string_view each) {
    return is_in_any_case(trim(each.substr(0, each.find(';'))), "text/html");
  });
  return is_browser ? ConsolePlace::page : ConsolePlace::none;
}

std::string_view api_path(std::string_view path) {
  if (console_place(path) == ConsolePlace::api) path.remove_prefix(root.size());
  return path;
}

bool takes_gzip(std::string_view accept) {
  return any_in_list(accept, [](std::string_view each) {
    const size_t semicolon = std::min(each.find(';'), each.size());
    if (!is_in_any_case(trim(each.substr(0, semicolon)), "gzip")) return false;
    const std::string_view weight = trim(each.substr(semicolon), " \t;");
    // "q=0", "q=0.0": not at all
    return !begins_in_any_case(weight, "q=0") ||
           weight.find_first_not_of("0.", 2) != std::string_view::npos;
  });
}

HttpReply console_page(const HttpIncoming& incoming) {
  if (incoming.path == root || incoming.path == "/") return moved_inside();
  const std::string_view path = incoming.path;
  const WebFile* const file = find_file(path.substr(inside.size()));
  if (file == nullptr) return error_reply(404, "not_found", "the console has no such file");
  const bool packed = !file->gzip.empty() && takes_gzip(incoming.header("accept-encoding"));
  const std::string tag = fmt::format("\"{}{}\"", file->sha256, packed ? "-gzip" : "");
  HttpReply reply;
  reply.headers = {{"ETag", tag}, {"Cache-Control", "no-cache"}, {"Vary", "Accept-Encoding"}};
  if (has_tag(incoming.header("if-none-match"), tag)) {
    reply.status = 304;
    reply.content_type = "";
    return reply;
  }
  reply.content_type = file->content_type;
  reply.body = packed ? file->gzip : file->plain;
  if (packed) reply.headers.emplace_back("Content-Encoding", "gzip");
  return reply;
}

void add_console_headers(HttpReply& reply) {
  reply.headers.emplace_back("Content-Security-Policy", console_policy);
  reply.headers.emplace_back("Referrer-Policy", "no-referrer");
  reply.headers.emplace_back("Cross-Origin-Opener-Policy", "same-origin");
  reply.headers.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
  // What was asked for may be a task's text: no cache keeps it, but for the page's files.
  if (!find_field(reply.headers, "ETag").empty() || reply.status == 302) return;
  std::erase_if(reply.headers, [](const auto& field) { return field.first == "Cache-Control"; });
  reply.headers.emplace_back("Cache-Control", "no-store");
}

}  // namespace sluice
