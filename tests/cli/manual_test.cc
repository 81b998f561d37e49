#include "cli/manual.h"

#include <doctest/doctest.h>

namespace sluice {
namespace {

CommandDescription command_line() {
  const FlagDescription slots{.names = {"-s", "--slots"},
                              .value = "N [400]",
                              .help = "calls in flight at most",
                              .variable = "SLUICE_SLOTS"};
  const FlagDescription level{.names = {"--level"}, .value = "LEVEL", .choices = {"info", "off"}};
  const FlagDescription id{.value = "ID", .help = "as ls shows it", .is_required = true};
  const CommandDescription ls{.name = "ls", .help = "All", .footer = "Inherited."};
  const CommandDescription show{
      .name = "show", .help = "One", .footer = "Its own.", .arguments = {id}};
  return {.name = "sluice",
          .help = "A queue",
          .footer = "Exit codes: 0 ok.\n  a figure\n.not a request",
          .flags = {level},
          .nested = {{.name = "worker", .help = "It's \\ at work", .flags = {slots}},
                     {.name = "job", .help = "Jobs", .footer = "Inherited.", .nested = {ls, show}},
                     {.name = "psql", .help = "psql", .is_verbatim = true},
                     {.name = "help", .help = "Help"}}};
}

bool contains(const std::string& page, std::string_view part) {
  return page.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the first page names all commands, the flags of all, and the other pages") {
  const CommandDescription root = command_line();
  CHECK(manual_name(root, root) == "sluice");
  const std::string page = manual_page(root, root);
  CHECK(page.starts_with(".TH \"sluice\" 1"));
  CHECK(contains(page, ".TP\n\\fBworker\\fR\nIt\\(aqs \\(rs at work\n"));
  CHECK(contains(page, ".TP\n\\fB\\-\\-level\\fR \\fILEVEL\\fR\n(one of info, off)\n"));
  CHECK(contains(page, "\\fBsluice\\-worker\\fR(1),\n\\fBsluice\\-job\\fR(1)"));
  CHECK(!contains(page, "sluice\\-help"));
}

TEST_CASE("notes keep their titles and figures, and are never taken for requests") {
  const CommandDescription root = command_line();
  CHECK(contains(manual_page(root, root),
                 ".TP\n\\fBExit codes\\fR\n0 ok.\n.RS\n.nf\n  a figure\n.fi\n.RE\n.PP\n"
                 "\\&.not a request\n"));
}

TEST_CASE("a command's page says what each flag is, and where else it is read from") {
  const CommandDescription root = command_line();
  CHECK(manual_name(root, root.nested[0]) == "sluice-worker");
  const std::string page = manual_page(root, root.nested[0]);
  CHECK(contains(page, "\\fBsluice worker\\fR [\\fIFLAG\\fR ...]\n"));
  CHECK(contains(page,
                 ".TP\n\\fB\\-s\\fR, \\fB\\-\\-slots\\fR \\fIN\\fR [400]\n"
                 "calls in flight at most\n(also \\fBSLUICE_SLOTS\\fR)\n"));
  CHECK(contains(manual_page(root, root.nested[2]), "\\fBsluice psql\\fR [\\fIARGUMENT\\fR ...]"));
}

TEST_CASE("commands of commands are told on the same page, what they inherit once") {
  const CommandDescription root = command_line();
  const std::string page = manual_page(root, root.nested[1]);
  CHECK(contains(page, ".SS \"sluice job show\"\n\\fBsluice job show\\fR \\fIID\\fR\n"));
  CHECK(contains(page, "Its own."));
  CHECK(page.find("Inherited.") == page.rfind("Inherited."));
}

}  // namespace sluice
