#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <memory>

#include "app/base/progress.hpp"
#include "datasets/mesh/point_set.hpp"
#include "experiments/bench/coulomb_report.hpp"
#include "experiments/commands/lab_commands.hpp"
#include "sim/coulomb/direct/direct_kernel.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

using nlohmann::ordered_json;

struct CoulombBenchOptions {
  std::vector<Index> counts;
  std::vector<std::string> distributions{"torus"}, methods, quantities{"field"}, charges{"one", "mixed"};
  std::vector<double> tolerances;
  bool full = false;
  int repeats = 3;
};

using Methods = std::vector<std::string>;

Methods select(const Methods& from, bool (*wanted)(const std::string&)) {
  Methods chosen;
  for (const std::string& name : from)
    if (wanted(name)) chosen.push_back(name);
  return chosen;
}

/// Returns the tables without --n: exact kernels, fast methods against direct, and derivatives.
std::vector<CoulombTable> standard_tables(const CoulombBenchOptions& wanted) {
  using Q = CoulombQuantity;
  const Methods exact = select(wanted.methods, is_direct);
  const Methods fast = select(wanted.methods, [](const std::string& name) { return !is_direct(name); });
  const Methods sums = select(wanted.methods, [](const std::string& name) { return !name.starts_with("plain"); });
  std::vector<CoulombTable> tables;
  const auto kernels = [&](std::initializer_list<Index> counts) {
    for (const Index n : counts) tables.push_back({"cube", n, exact, {}, {Q::Field}});
  };
  const auto compare = [&](const std::string& distribution, std::initializer_list<Index> counts) {
    if (!fast.empty())
      for (const Index n : counts) tables.push_back({distribution, n, fast, wanted.tolerances, {Q::Field}});
  };
  const auto derivatives = [&](std::initializer_list<Index> counts) {
    for (const Index n : counts)
      tables.push_back({"torus", n, sums, {1e-6}, {Q::Field, Q::Potential, Q::Both, Q::Jvp, Q::Vjp}});
  };
  if (wanted.full) {
    kernels({145, 500, 1000, 2000, 10000, 50000});
    compare("torus", {5000, 10000, 20000, 50000, 100000});
    compare("cube", {100000});
    for (const char* distribution : {"sphere", "cloth", "lattice", "clustered"}) compare(distribution, {50000});
    compare("torus", {1000000});
    derivatives({10000, 50000});
  } else {
    kernels({145, 2000, 10000});
    compare("torus", {10000, 50000});
    derivatives({10000});
  }
  return tables;
}

std::vector<CoulombTable> asked_tables(const CoulombBenchOptions& wanted) {
  std::vector<CoulombQuantity> quantities;
  for (const std::string& name : wanted.quantities) {
    const auto& names = coulomb_quantity_names();
    quantities.push_back(static_cast<CoulombQuantity>(std::find(names.begin(), names.end(), name) - names.begin()));
  }
  std::vector<CoulombTable> tables;
  for (const std::string& distribution : wanted.distributions)
    for (const Index n : wanted.counts)
      tables.push_back({distribution, n, wanted.methods, wanted.tolerances, quantities});
  return tables;
}

int bench_coulomb(CoulombBenchOptions wanted, const CommonOptions& options) {
  const int threads = use_threads(options);
  if (wanted.methods.empty()) {
    wanted.methods = coulomb_bench_methods();
    std::erase(wanted.methods, "auto");
  }
  if (wanted.tolerances.empty())
    wanted.tolerances = wanted.full ? std::vector{1e-2, 1e-3, 1e-4, 1e-6, 1e-9} : std::vector{1e-3, 1e-6};
  const std::vector<CoulombTable> tables = wanted.counts.empty() ? standard_tables(wanted) : asked_tables(wanted);
  CoulombBench bench(wanted.charges, wanted.repeats);
  std::vector<CoulombRow> rows;
  {
    Progress progress("bench coulomb", tables.size(), !options.quiet);
    for (std::size_t k = 0; k < tables.size(); ++k) {
      progress.update(k);
      for (CoulombRow& row : bench.measure(tables[k])) rows.push_back(std::move(row));
    }
  }
  ordered_json json{{"bench", "coulomb"},
                    {"threads", threads},
                    {"instruction_set", sim::direct::instruction_set()},
                    {"repeats", wanted.repeats}};
  json.update(to_json(rows, wanted.charges));
  return print_with_claims(
      options, json,
      fmt::format("threads: {}, {}, medians of at least {} repeats; errors for charges of {} sign\n", threads,
                  sim::direct::instruction_set(), wanted.repeats, fmt::join(wanted.charges, " and ")) +
          to_text(rows, wanted.charges),
      coulomb_claims(rows));
}

template <class Value>
CLI::Option* add_list(CLI::App& parser, const char* name, std::vector<Value>& values, const std::string& help) {
  return parser.add_option(name, values, help)->delimiter(',')->type_name("LIST");
}

}  // namespace

Action declare_coulomb_bench(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto wanted = std::make_shared<CoulombBenchOptions>();
  std::vector<std::string> distributions;
  for (const datasets::PointSetInfo& info : datasets::point_sets()) distributions.push_back(info.name);
  auto* counts = add_list(parser, "--n", wanted->counts,
                          "Numbers of points, for example 10000,50000: one table for each instead of the standard ones "
                          "(approximate for torus and cloth)");
  counts->check(CLI::Range(2, 20000000));
  add_list(parser, "--distribution", wanted->distributions, "Distribution of the points, with --n (default torus)")
      ->needs(counts)
      ->check(CLI::IsMember(distributions));
  add_list(parser, "--quantities", wanted->quantities,
           "Computed quantity, with --n (default field); both: field and potential; jvp, vjp: Jacobian products of the "
           "forces")
      ->needs(counts)
      ->check(CLI::IsMember(coulomb_quantity_names()));
  add_list(parser, "--methods", wanted->methods, "Methods (default: all but auto)")
      ->check(CLI::IsMember(coulomb_bench_methods()));
  add_list(parser, "--tolerance", wanted->tolerances,
           "Tolerances, for methods that have one (default 1e-3,1e-6; with --full 1e-2 to 1e-9)")
      ->check(number_within(1e-15, 1.0));
  add_list(parser, "--charges", wanted->charges, "Signs of the charges for the errors (default one,mixed)")
      ->check(CLI::IsMember(datasets::charge_kinds()));
  parser
      .add_option("--repeats", wanted->repeats,
                  "Smallest number of repeats of each measurement; the median is reported")
      ->type_name("N")
      ->check(CLI::Range(1, 1000));
  parser.add_flag("--full", wanted->full, "All tables, up to a million points: several minutes instead of one")
      ->excludes(counts);
  add_threads(parser, *options);
  add_printing(parser, *options);
  parser.footer(help_footer_on_claims(
      "  pithball-lab bench coulomb\n  pithball-lab bench coulomb --full --json > coulomb.json\n"
      "  pithball-lab bench coulomb --n 50000 --distribution torus,lattice --methods direct,fmm --tolerance 1e-3",
      "Times include everything that one evaluation needs, such as building the tree. Methods alternate, so that `/ "
      "direct`\n"
      "is not affected by drifting processor speed; beyond 200,000 points the time of direct is extrapolated with "
      "n^2.\n"
      "Errors are relative L2 errors of the field against a sum in long double at up to 2,000 points (fewer beyond "
      "150,000);\n"
      "of Jacobian products, against direct at all points. MiB is the peak memory of the whole program during one\n"
      "evaluation. direct_single is direct with `precision: single`; plain_eigen and plain_native are unoptimized "
      "loops,\n"
      "compiled with -O2 and with -O3 -march=native -ffast-math (omitted on a processor without the instructions of "
      "the\n"
      "build machine)."));
  return [=] { return bench_coulomb(*wanted, *options); };
}

}  // namespace pithball::experiments
