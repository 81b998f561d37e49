#include "cli/manual.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>

namespace sluice {
namespace {

// As text, whatever roff reads in it; a hyphen is a minus, so that flags can be copied.
std::string text(std::string_view plain) {
  std::string escaped;
  if (plain.starts_with('.')) escaped = "\\&";
  for (const char c : plain) {
    switch (c) {
      case '\\':
        escaped += "\\(rs";
        break;
      case '-':
        escaped += "\\-";
        break;
      case '\'':
        escaped += "\\(aq";
        break;
      case '"':
        escaped += "\\(dq";
        break;
      case '`':
        escaped += "\\(ga";
        break;
      case '^':
        escaped += "\\(ha";
        break;
      case '~':
        escaped += "\\(ti";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string bold(std::string_view plain) {
  return "\\fB" + text(plain) + "\\fR";
}

std::string italic(std::string_view plain) {
  return "\\fI" + text(plain) + "\\fR";
}

// "N [400]": what stands for the value, and what holds without it.
std::string value_text(const std::string& value) {
  const size_t standard = std::min(value.find(" ["), value.size());
  return italic(value.substr(0, standard)) + text(value.substr(standard));
}

std::string usage_of(const FlagDescription& argument) {
  const std::string value = italic(argument.value.substr(0, argument.value.find(" [")));
  return argument.is_required ? value : "[" + value + "]";
}

std::string flag_names(const FlagDescription& flag) {
  std::vector<std::string> names;
  for (const std::string& name : flag.names) names.push_back(bold(name));
  return fmt::format("{}", fmt::join(names, ", "));
}

class Page {
 public:
  // No date: the version says which flags there are, and two builds make one page.
  void title(const std::string& name) {
    out_ += fmt::format(".TH \"{}\" 1 \"\" \"sluice {}\" \"Sluice\"\n.nh\n.ad l\n", text(name),
                        SLUICE_VERSION);
  }

  void section(std::string_view name) { out_ += fmt::format(".SH \"{}\"\n", name); }
  void line(const std::string& roff) { out_ += roff + "\n"; }
  void term(const std::string& roff, const std::string& meaning) {
    out_ += ".TP\n" + roff + "\n" + meaning + (meaning.empty() ? "" : "\n");
  }

  void synopsis(const std::string& path, const CommandDescription& command) {
    std::string usage = bold(path);
    if (command.is_verbatim) usage += " [" + italic("ARGUMENT") + " ...]";
    if (!command.flags.empty()) usage += " [" + italic("FLAG") + " ...]";
    for (const FlagDescription& argument : command.arguments) usage += " " + usage_of(argument);
    if (!command.nested.empty()) usage += " " + italic("COMMAND");
    line(usage);
  }

  void flags(const CommandDescription& command) {
    for (const FlagDescription& argument : command.arguments) {
      term(value_text(argument.value), meaning(argument));
    }
    for (const FlagDescription& flag : command.flags) {
      term(flag_names(flag) + (flag.value.empty() ? "" : " " + value_text(flag.value)),
           meaning(flag));
    }
  }

  // Of "Title: text" the title stands out; what is indented keeps its lines.
  void notes(const std::string& footer) {
    std::istringstream lines(footer);
    bool is_figure = false;
    bool is_paragraph = false;
    for (std::string note; std::getline(lines, note);) {
      const bool is_indented = note.starts_with("  ");
      if (is_indented != is_figure) line(is_indented ? ".RS\n.nf" : ".fi\n.RE");
      is_figure = is_indented;
      const size_t colon = note.find(": ");
      const bool is_titled = !is_indented && colon < title_bytes_max;
      if (is_titled) {
        term(bold(note.substr(0, colon)), text(note.substr(colon + 2)));
      } else if (!note.empty()) {
        line((is_indented || is_paragraph ? "" : ".PP\n") + text(note));
      }
      is_paragraph = !is_indented && !note.empty();
    }
    if (is_figure) line(".fi\n.RE");
  }

  const std::string& roff() const { return out_; }

 private:
  static constexpr size_t title_bytes_max = 20;  // longer ones are sentences with a colon

  static std::string meaning(const FlagDescription& flag) {
    std::vector<std::string> parts;
    if (!flag.help.empty()) parts.push_back(text(flag.help));
    const bool names_choices = flag.value.find('|') != std::string::npos;
    if (!flag.choices.empty() && !names_choices) {
      parts.push_back(text(fmt::format("(one of {})", fmt::join(flag.choices, ", "))));
    }
    if (!flag.variable.empty()) parts.push_back("(also " + bold(flag.variable) + ")");
    return fmt::format("{}", fmt::join(parts, "\n"));
  }

  std::string out_;
};

// Nested commands have no page of their own.
void nested_commands(Page& page, const std::string& path, const CommandDescription& command) {
  for (const CommandDescription& nested : command.nested) {
    const std::string nested_path = path + " " + nested.name;
    page.line(fmt::format(".SS \"{}\"", text(nested_path)));
    page.synopsis(nested_path, nested);
    page.line(".PP\n" + text(nested.help) + ".");
    page.flags(nested);
    if (nested.footer != command.footer) page.notes(nested.footer);  // it inherits ours
    nested_commands(page, nested_path, nested);
  }
}

void root_body(Page& page, const CommandDescription& root) {
  page.section("COMMANDS");
  for (const CommandDescription& command : root.nested) {
    page.term(bold(command.name), text(command.help));
  }
  page.section("FLAGS OF EVERY COMMAND");
  page.flags(root);
}

void command_body(Page& page, const CommandDescription& root, const CommandDescription& command) {
  if (!command.flags.empty() || !command.arguments.empty()) {
    page.section("FLAGS");
    page.flags(command);
  }
  if (!command.nested.empty()) {
    page.section("COMMANDS");
    nested_commands(page, root.name + " " + command.name, command);
  }
}

}  // namespace

std::string manual_name(const CommandDescription& root, const CommandDescription& command) {
  return &root == &command ? root.name : root.name + "-" + command.name;
}

std::string manual_page(const CommandDescription& root, const CommandDescription& command) {
  const bool is_root = &root == &command;
  const std::string name = manual_name(root, command);
  Page page;
  page.title(name);
  page.section("NAME");
  page.line(text(name) + " \\- " + text(command.help));
  page.section("SYNOPSIS");
  page.synopsis(is_root ? root.name : root.name + " " + command.name, command);
  if (is_root) {
    root_body(page, root);
  } else {
    command_body(page, root, command);
  }
  if (!command.footer.empty()) {
    page.section("NOTES");
    page.notes(command.footer);
  }
  page.section("SEE ALSO");
  if (is_root) {
    std::vector<std::string> pages;
    for (const CommandDescription& nested : root.nested) {
      if (nested.name == "help" || nested.name == "version") continue;
      pages.push_back(bold(manual_name(root, nested)) + "(1)");
    }
    page.line(fmt::format("{}", fmt::join(pages, ",\n")));
  } else {
    page.line(bold(root.name) + "(1), which describes the flags of every command");
  }
  return page.roff();
}

}  // namespace sluice
