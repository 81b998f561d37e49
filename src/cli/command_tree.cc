#include "cli/command_tree.h"

#include <CLI/CLI.hpp>

namespace sluice {
namespace {

// CLI::IsMember says what it takes as "{a,b}" behind the name of the type.
std::vector<std::string> choices_of(const std::string& type) {
  const size_t begin = type.rfind('{');
  const size_t end = type.rfind('}');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return {};
  return CLI::detail::split(type.substr(begin + 1, end - begin - 1), ',');
}

std::string value_of(const CLI::Option& option, const std::string& type) {
  if (option.get_type_size_max() == 0) return "";
  if (!option.get_option_text().empty()) return option.get_option_text();
  const std::string& standard = option.get_default_str();
  return type.substr(0, type.find(':')) + (standard.empty() ? "" : " [" + standard + "]");
}

FlagDescription describe(const CLI::Option& option) {
  FlagDescription flag;
  for (const std::string& name : option.get_snames()) flag.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) flag.names.push_back("--" + name);
  const std::string type = option.get_type_name();
  flag.value = value_of(option, type);
  flag.help = option.get_description();
  flag.variable = option.get_envname();
  flag.choices = choices_of(type);
  flag.is_list = option.get_delimiter() != '\0';
  flag.is_required = option.get_required();
  return flag;
}

}  // namespace

CommandDescription describe(const CLI::App& app) {
  CommandDescription command;
  command.name = app.get_name();
  command.help = app.get_description();
  command.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    FlagDescription flag = describe(*option);
    (flag.names.empty() ? command.arguments : command.flags).push_back(std::move(flag));
  }
  for (const CLI::App* nested : app.get_subcommands(nullptr)) {
    if (!nested->get_group().empty()) command.nested.push_back(describe(*nested));
  }
  return command;
}

}  // namespace sluice
