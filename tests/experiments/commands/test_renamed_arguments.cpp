#include "app/commands/renamed_arguments.hpp"

#include "app/commands/command.hpp"
#include "experiments/commands/lab_commands.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::app;
using namespace pithball::test;

TEST_CASE("renamed arguments: options and commands by their old names, each noted once", "[app][renamed]") {
  const std::vector<RenamedArgument> table{{"report", "--colour", "--color"}, {"bench", "neighbours", "neighbors"}};
  const auto current = [&](std::vector<std::string> arguments) { return replace_old_arguments(arguments, table); };
  const CurrentArguments spaced = current({"report", "run", "--colour", "speed"});
  CHECK(spaced.arguments == std::vector<std::string>{"report", "run", "--color", "speed"});
  CHECK(spaced.notes == std::vector<std::string>{"report: '--colour' is now '--color'; the old name is still read"});
  CHECK(current({"report", "--colour=charge", "--colour", "speed"}).arguments.front() == "report");
  CHECK(current({"report", "--colour=charge", "--colour", "speed"}).notes.size() == 1);
  CHECK(current({"report", "--colour=charge"}).arguments.back() == "--color=charge");
  CHECK(current({"bench", "neighbours"}).arguments.back() == "neighbors");
  CHECK(current({"simulate", "--colour"}).notes.empty());
  CHECK(current({"report", "--colourful"}).notes.empty());
}

TEST_CASE("renamed arguments: every new name is an option or command of the program and no old one is",
          "[app][renamed]") {
  const Workplace place;
  for (const auto* table : {&user_renamed_arguments(), &experiments::lab_renamed_arguments()})
    for (const RenamedArgument& renamed : *table) {
      INFO(renamed.command << " " << renamed.before);
      const bool below = renamed.command == "bench" && renamed.now.starts_with("--");
      const std::string help = place.run(renamed.command + (below ? " neighbors" : "") + " --help").out;
      CHECK(help.find(renamed.now) != std::string::npos);
      CHECK(help.find(renamed.before) == std::string::npos);
    }
  const Outcome unread = place.run("report nothing --colour speed");
  CHECK(unread.status == 2);
  CHECK(unread.err.find("pithball report: '--colour' is now '--color'") != std::string::npos);
}

TEST_CASE("renamed arguments: benches read old names in --set as the other commands do", "[app][renamed]") {
  const Outcome outcome = Workplace().run(
      "bench step --segments 8,3 --repeats 1 --json --set simulation.duration=0.05 --set "
      "'simulation.integrator={imex_adaptive: {approach: 0.1}}'");
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.err.find("'approach' is now 'safety_factor'") != std::string::npos);
}
