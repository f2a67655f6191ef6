#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "app/commands/command.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

/// A command, the words that lead to it ("data get"), and the words that may follow.
struct CommandWords {
  std::string path;
  std::vector<std::string> next;
};

/// Adds the choices `{a,b}` in the type name of an option or argument.
void add_choices(const CLI::Option& option, std::vector<std::string>& words) {
  const std::string type = option.get_type_name();
  const std::size_t opens = type.find('{'), closes = type.find('}', opens);
  if (opens == std::string::npos || closes == std::string::npos) return;
  for (const std::string& word : CLI::detail::split(type.substr(opens + 1, closes - opens - 1), ','))
    if (word.find(' ') == std::string::npos) words.push_back(word);
}

void add_commands(const CLI::App& command, const std::string& path, std::vector<CommandWords>& all) {
  CommandWords own{path, {}};
  const std::vector<const CLI::App*> below = command.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* sub : below) own.next.push_back(sub->get_name());
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) own.next.push_back("--" + name);
    add_choices(*option, own.next);
  }
  all.push_back(std::move(own));
  for (const CLI::App* sub : below)
    add_commands(*sub, path.empty() ? sub->get_name() : path + " " + sub->get_name(), all);
}

/// Returns the script for bash and, with bashcompinit, zsh. It suggests words that depend on the command before the
/// cursor, and file names after an option or if no word fits.
std::string bash_script(const std::string& program, const std::vector<CommandWords>& all) {
  std::string paths, words;
  for (const CommandWords& command : all) {
    if (!command.path.empty()) paths += fmt::format("{}'{}'", paths.empty() ? "" : "|", command.path);
    words += fmt::format("    '{}') words='{}' ;;\n", command.path, fmt::join(command.next, " "));
  }
  return fmt::format(R"(_{0}() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" path='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "${{path:+$path }}${{COMP_WORDS[i]}}" in
      {1}) path="${{path:+$path }}${{COMP_WORDS[i]}}" ;;
    esac
  done
  case "$path" in
{2}  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}}
complete -o default -F _{0} {0}
)",
                     program, paths, words);
}

/// Returns the script for fish. A suggestion holds for exactly one path of commands, so that those of `list` do not
/// follow `data list`.
std::string fish_script(const std::string& program, const std::vector<CommandWords>& all) {
  std::string paths, suggestions;
  for (const CommandWords& command : all) {
    if (!command.path.empty()) paths += fmt::format(" '{}'", command.path);
    suggestions += fmt::format("complete -c {0} -n \"__{0}_is_at '{1}'\" -a '{2}'\n", program, command.path,
                               fmt::join(command.next, " "));
  }
  return fmt::format(R"(function __{0}_is_at
  set -l path ''
  for word in (commandline -opc)[2..-1]
    set -l longer (string trim "$path $word")
    contains -- "$longer"{1}; and set path "$longer"
  end
  test "$path" = "$argv[1]"
end
{2})",
                     program, paths, suggestions);
}

}  // namespace

Action declare_completion(CLI::App& parser) {
  const auto shell = std::make_shared<std::string>();
  parser.add_option("SHELL", *shell, "bash (and zsh, after `autoload -U bashcompinit; bashcompinit`) or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "fish"}));
  parser.footer(help_footer("  pithball completion bash > ~/.local/share/bash-completion/completions/pithball"));
  return [shell, &parser] {
    const CLI::App& program = *parser.get_parent();
    std::vector<CommandWords> all;
    add_commands(program, "", all);
    fmt::print("{}", *shell == "bash" ? bash_script(program.get_name(), all) : fish_script(program.get_name(), all));
    return Done;
  };
}

}  // namespace pithball::app
