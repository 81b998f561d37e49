// What a command takes, as its file declares it: flags, arguments and nested commands. The
// functions are CLI11's, which parses behind them and prints --help; most have its names. Its
// headers are code that each file including them compiles anew, so only three do (D-377).
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace sluice {

// A handle of a flag; or of an argument, which has a place instead of dashes.
class FlagSyntax final {
 public:
  explicit FlagSyntax(CLI::Option& option) : option_(&option) {}

  const FlagSyntax& required(bool is_required = true) const;
  const FlagSyntax& excludes(FlagSyntax other) const;
  const FlagSyntax& needs(FlagSyntax other) const;
  const FlagSyntax& delimiter(char between) const;  // several values in one argument
  const FlagSyntax& allow_extra_args(bool allows) const;
  // Its variable SLUICE_SOME_NAME is not read.
  const FlagSyntax& keep_from_environment() const;

  // How --help shows the value: option_text() instead of all the rest, type_name() with the bounds
  // and, after capture_default_str(), the default.
  const FlagSyntax& option_text(const std::string& text) const;
  const FlagSyntax& type_name(const std::string& name) const;
  const FlagSyntax& capture_default_str() const;

  // Which values it takes. T: int, int64_t, size_t, double.
  template <class T>
  const FlagSyntax& in_range(T least, T most) const;
  const FlagSyntax& one_of(const std::vector<std::string>& values) const;
  const FlagSyntax& as_size() const;  // "64MiB" is a number of bytes
  // Both return what is wrong, or nothing; transform() may change the value.
  const FlagSyntax& check(std::function<std::string(const std::string&)> complaint) const;
  const FlagSyntax& transform(std::function<std::string(std::string&)> complaint) const;

 private:
  CLI::Option* option_;
};

// A handle of a command, which lives until the command line has been parsed.
class CommandSyntax final {
 public:
  explicit CommandSyntax(CLI::App& app) : app_(&app) {}

  // `names`: "--error,--error-like", or "id" of an argument. `target` outlives the parsing and
  // keeps its value unless one is given. syntax.cc says which types there are.
  template <class T>
  FlagSyntax add_option(const std::string& names, T& target, const std::string& help) const;
  FlagSyntax add_option_function(const std::string& names,
                                 const std::function<void(const std::string&)>& take,
                                 const std::string& help) const;
  FlagSyntax add_option_function(const std::string& names,
                                 const std::function<void(const std::vector<std::string>&)>& take,
                                 const std::string& help) const;
  FlagSyntax add_flag(const std::string& names, bool& target, const std::string& help) const;
  FlagSyntax add_flag(const std::string& names, const std::string& help) const;

  CommandSyntax add_subcommand(const std::string& name, const std::string& help) const;
  void require_subcommand() const;  // exactly one of them
  bool parsed() const;              // whether it was named
  void parse_complete_callback(std::function<void()> callback) const;

  void footer(const std::string& text) const;
  void append_footer(const std::string& text) const;  // to that of the command above

  // No variable sets what has been added so far.
  void keep_from_environment() const;

 private:
  CLI::App* app_;
};

}  // namespace sluice
