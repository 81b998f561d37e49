#include "cli/syntax.h"

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace sluice {

const FlagSyntax& FlagSyntax::required(bool is_required) const {
  option_->required(is_required);
  return *this;
}

const FlagSyntax& FlagSyntax::excludes(FlagSyntax other) const {
  option_->excludes(other.option_);
  return *this;
}

const FlagSyntax& FlagSyntax::needs(FlagSyntax other) const {
  option_->needs(other.option_);
  return *this;
}

const FlagSyntax& FlagSyntax::delimiter(char between) const {
  option_->delimiter(between);
  return *this;
}

const FlagSyntax& FlagSyntax::allow_extra_args(bool allows) const {
  option_->allow_extra_args(allows);
  return *this;
}

const FlagSyntax& FlagSyntax::keep_from_environment() const {
  option_->configurable(false);
  return *this;
}

const FlagSyntax& FlagSyntax::option_text(const std::string& text) const {
  option_->option_text(text);
  return *this;
}

const FlagSyntax& FlagSyntax::type_name(const std::string& name) const {
  option_->type_name(name);
  return *this;
}

const FlagSyntax& FlagSyntax::capture_default_str() const {
  option_->capture_default_str();
  return *this;
}

template <class T>
const FlagSyntax& FlagSyntax::in_range(T least, T most) const {
  option_->check(CLI::Range(least, most));
  return *this;
}

template const FlagSyntax& FlagSyntax::in_range(int, int) const;
template const FlagSyntax& FlagSyntax::in_range(int64_t, int64_t) const;
template const FlagSyntax& FlagSyntax::in_range(size_t, size_t) const;
template const FlagSyntax& FlagSyntax::in_range(double, double) const;

const FlagSyntax& FlagSyntax::one_of(const std::vector<std::string>& values) const {
  option_->check(CLI::IsMember(values));
  return *this;
}

const FlagSyntax& FlagSyntax::as_size() const {
  option_->transform(CLI::AsSizeValue(/*kb_is_1000=*/true));
  return *this;
}

const FlagSyntax& FlagSyntax::check(
    std::function<std::string(const std::string&)> complaint) const {
  option_->check(std::move(complaint));
  return *this;
}

const FlagSyntax& FlagSyntax::transform(std::function<std::string(std::string&)> complaint) const {
  option_->transform(CLI::Validator(std::move(complaint), "", ""));
  return *this;
}

template <class T>
FlagSyntax CommandSyntax::add_option(const std::string& names, T& target,
                                     const std::string& help) const {
  return FlagSyntax(*app_->add_option(names, target, help));
}

// A type that a command needs and that is not here is missed by the linker.
template FlagSyntax CommandSyntax::add_option(const std::string&, std::string&,
                                              const std::string&) const;
template FlagSyntax CommandSyntax::add_option(const std::string&, std::optional<std::string>&,
                                              const std::string&) const;
template FlagSyntax CommandSyntax::add_option(const std::string&, std::vector<std::string>&,
                                              const std::string&) const;
template FlagSyntax CommandSyntax::add_option(const std::string&, int&, const std::string&) const;
template FlagSyntax CommandSyntax::add_option(const std::string&, std::optional<int>&,
                                              const std::string&) const;
template FlagSyntax CommandSyntax::add_option(const std::string&, int64_t&,
                                              const std::string&) const;
template FlagSyntax CommandSyntax::add_option(const std::string&, std::optional<int64_t>&,
                                              const std::string&) const;
template FlagSyntax CommandSyntax::add_option(const std::string&, std::vector<int64_t>&,
                                              const std::string&) const;
template FlagSyntax CommandSyntax::add_option(const std::string&, uint64_t&,
                                              const std::string&) const;
template FlagSyntax CommandSyntax::add_option(const std::string&, double&,
                                              const std::string&) const;

FlagSyntax CommandSyntax::add_option_function(const std::string& names,
                                              const std::function<void(const std::string&)>& take,
                                              const std::string& help) const {
  return FlagSyntax(*app_->add_option_function(names, take, help));
}

FlagSyntax CommandSyntax::add_option_function(
    const std::string& names, const std::function<void(const std::vector<std::string>&)>& take,
    const std::string& help) const {
  return FlagSyntax(*app_->add_option_function(names, take, help));
}

FlagSyntax CommandSyntax::add_flag(const std::string& names, bool& target,
                                   const std::string& help) const {
  return FlagSyntax(*app_->add_flag(names, target, help));
}

FlagSyntax CommandSyntax::add_flag(const std::string& names, const std::string& help) const {
  return FlagSyntax(*app_->add_flag(names)->description(help));
}

CommandSyntax CommandSyntax::add_subcommand(const std::string& name,
                                            const std::string& help) const {
  return CommandSyntax(*app_->add_subcommand(name, help));
}

void CommandSyntax::require_subcommand() const {
  app_->require_subcommand(1);
}

bool CommandSyntax::parsed() const {
  return app_->parsed();
}

void CommandSyntax::parse_complete_callback(std::function<void()> callback) const {
  app_->parse_complete_callback(std::move(callback));
}

void CommandSyntax::footer(const std::string& text) const {
  app_->footer(text);
}

void CommandSyntax::append_footer(const std::string& text) const {
  app_->footer(app_->get_footer() + text);
}

void CommandSyntax::keep_from_environment() const {
  for (CLI::Option* option : app_->get_options()) option->configurable(false);
}

}  // namespace sluice
