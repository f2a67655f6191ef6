#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/layering/tracked_files.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/places.hpp"

// The pages "Add a …" say which files a new force, constraint, … touches. Here every one that exists is looked for in
// all sources of the libraries: nothing else names it.

namespace {

namespace fs = std::filesystem;

using Files = std::map<std::string, std::string>;  // path -> text; of sources without comments

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Where a word begins that stands alone in the text, from `from` on.
std::size_t find_word(const std::string& text, const std::string& word, std::size_t from = 0) {
  for (std::size_t at = text.find(word, from); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end]))) return at;
  }
  return std::string::npos;
}

bool has_word(const std::string& text, const std::string& word) { return find_word(text, word) != std::string::npos; }

/// The same in code: words of prose, within literals, name nothing.
bool has_code_word(const std::string& text, const std::string& word) {
  for (std::size_t at = find_word(text, word); at != std::string::npos; at = find_word(text, word, at + 1)) {
    const std::size_t line = text.rfind('\n', at) + 1;  // npos + 1 is 0
    if (std::count(text.begin() + static_cast<std::ptrdiff_t>(line), text.begin() + static_cast<std::ptrdiff_t>(at),
                   '"') %
            2 ==
        0)
      return true;
  }
  return false;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string word_at(const std::string& text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_letter(text[end])) ++end;
  return text.substr(at, end - at);
}

/// The line without its comment; "//" within a literal is none.
std::string without_comment(const std::string& line) {
  bool quoted = false;
  for (std::size_t k = 0; k + 1 < line.size(); ++k) {
    if (line[k] == '"' && (k == 0 || line[k - 1] != '\\')) quoted = !quoted;
    if (!quoted && line[k] == '/' && line[k + 1] == '/') return line.substr(0, k);
  }
  return line;
}

bool is_source(const std::string& file) {
  const fs::path path = file;
  return path.extension() == ".hpp" || path.extension() == ".cpp";
}

bool is_of_a_library(const std::string& file) {
  const auto in = [&](const char* folder) { return file.starts_with(folder); };
  return is_source(file) && (in("sim/") || in("diff/") || in("optim/") || in("datasets/") || in("app/"));
}

Files tracked_texts() {
  const fs::path root = pithball::tests::source_folder;
  Files files;
  for (const std::string& file : pithball::tests::tracked_files(root.string())) {
    if (!is_source(file) && !file.ends_with(".md") && file != "fuzz/CMakeLists.txt") continue;
    std::ifstream stream(root / file);
    std::string& text = files[file];
    for (std::string line; std::getline(stream, line);) text += (is_source(file) ? without_comment(line) : line) + "\n";
  }
  return files;
}

/// One entry of a registry.
struct Named {
  std::string key;                 ///< as experiments write it: "coulomb"
  std::string stem;                ///< of its own files: "coulomb_force"
  std::vector<std::string> words;  ///< its classes, or its function
  std::string header = {};         ///< its own; empty if others declare it
  bool is_word = false;            ///< its key is an everyday word, which as text names other things too
};

/// What a page adds, and how those that exist are found.
struct Kind {
  std::string noun, page;
  std::string key, stem;  ///< of the page's example
  std::vector<Named> (*entries)(const Files&);
};

/// The text between two others; empty without them.
std::string between(const std::string& text, const std::string& before, const std::string& after) {
  const std::size_t from = text.find(before);
  if (from == std::string::npos) return "";
  const std::size_t begin = from + before.size(), end = text.find(after, begin);
  return text.substr(begin, end - begin);
}

std::vector<std::string> split(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + separator.size();
  }
  return parts;
}

/// The names of the classes that a header defines.
std::vector<std::string> classes_of(const std::string& header) {
  std::vector<std::string> classes;
  for (const std::string& line : split(header, "\n"))
    if (line.starts_with("class ") && !line.ends_with(";")) classes.push_back(word_at(line, 6));
  return classes;
}

/// The header among those that a registry includes which defines a class or declares a function.
std::string header_of(const Files& files, const std::string& registry, const std::string& word) {
  for (const std::string& line : split(files.at(registry), "\n")) {
    const std::string header = between(line, "#include \"", "\"");
    if (const auto found = files.find(header); found != files.end())
      if (has(found->second, "class " + word + " ") || has(found->second, " " + word + "(")) return header;
  }
  return "";
}

/// The part of a registry that begins with this key, after its summary.
std::string entry_of(const Files& files, const std::string& registry, const std::string& key) {
  const std::string& text = files.at(registry);
  std::size_t at = text.find("{\"" + key + "\",");
  if (at == std::string::npos) throw std::runtime_error("no entry " + key + " in " + registry);
  at += key.size() + 4;
  for (at = text.find('"', at); text[at] == '"'; at = text.find_first_not_of(" \n", at))
    at = text.find('"', at + 1) + 1;  // the summary, in one literal or several: it has no quotes within
  return text.substr(at, 400);
}

Named with_header(Named named, const Files& files) {
  if (named.header.empty()) return named;
  named.stem = fs::path(named.header).stem().string();
  const auto classes = classes_of(files.at(named.header));
  named.words.insert(named.words.end(), classes.begin(), classes.end());
  return named;
}

/// Forces and constraints: the page of keys lists them, the registry says which class or function makes each.
std::vector<Named> made_by(const Files& files, const std::string& noun, const std::string& registry) {
  std::vector<Named> all;
  for (const std::string& line : split(files.at("docs/keys.md"), "\n")) {
    const std::string key = between(line, "| `" + noun + "s[].", "`");
    if (key.empty() || !has(line, "` | " + noun + " | ")) continue;
    const std::string entry = entry_of(files, registry, key);
    const std::string maker = word_at(entry, entry.find_first_not_of(", \n"));
    Named named{key, key, {}, header_of(files, registry, maker)};
    if (maker.starts_with("make_")) named.words.push_back(maker);
    all.push_back(with_header(named, files));
  }
  return all;
}

std::vector<Named> forces(const Files& files) { return made_by(files, "force", "sim/force/force_registry.cpp"); }
std::vector<Named> constraints(const Files& files) {
  return made_by(files, "constraint", "sim/constraint/constraint_registry.cpp");
}

/// Integrators say their name themselves. A method of a family is an entry of a table of data, which its key finds if
/// it is not put together there (ab2).
std::vector<Named> integrators(const Files& files) {
  std::vector<Named> all;
  const std::string keys =
      between(between(files.at("docs/keys.md"), "| `simulation.integrator` |", "\n"), "one of ", ";");
  for (const std::string& key : split(keys, ", ")) {
    Named named{key, key, {}};
    for (const auto& [file, text] : files) {
      if (!file.starts_with("sim/integrator/") || !has(text, "\"" + key + "\"")) continue;
      named.stem = fs::path(file).stem().string();  // of rk4 the last: Adams starts by it
      if (has(text, ".name = \"" + key + "\"")) named.header = fs::path(file).replace_extension(".hpp").string();
    }
    all.push_back(with_header(named, files));
  }
  return all;
}

std::vector<Named> formats(const Files& files) {
  const std::string registry = "datasets/capture/capture_format.cpp";
  std::vector<Named> all;
  const std::string list = between(files.at(registry), "return {", "\n  };");
  for (std::size_t at = list.find("{\""); at != std::string::npos; at = list.find("{\"", at + 1)) {
    const std::string key = word_at(list, at + 2);
    if (key.empty()) continue;  // endings
    const std::string entry = entry_of(files, registry, key);
    std::size_t reader = entry.find("read_");
    if (word_at(entry, reader) == "read_markers") reader = entry.find("read_", reader + 1);
    const std::string word = word_at(entry, reader), header = header_of(files, registry, word);
    all.push_back(
        {key, header.empty() ? key : fs::path(header).stem().string(), {header.empty() ? "read_" + key : word}});
  }
  return all;
}

/// The registry lists the functions that return them.
std::vector<Named> measurement_kinds(const Files& files) {
  std::vector<Named> all;
  const std::string list = between(files.at("optim/measurement/measurement_kinds.cpp"), "kinds{", "}");
  for (std::size_t at = list.find('&'); at != std::string::npos; at = list.find('&', at + 1)) {
    const std::string word = word_at(list, at + 1), key = word.substr(0, word.rfind("_kind"));
    all.push_back({key, key, {word, "make_" + key + "_instrument"}, "optim/measurement/kinds/" + key + ".hpp", true});
  }
  return all;
}

/// What is named by a call: everything in a run has a word for it.
std::vector<Named> sections(const Files& files) {
  std::vector<Named> all;
  for (const std::string& line : split(files.at("app/report/sections.hpp"), "\n"))
    if (line.starts_with("Sections ") && has(line, "_sections(const "))
      if (const std::string word = word_at(line, 9); word != "make_sections") all.push_back({"", word, {word + "("}});
  return all;
}

/// Entries of a registry that are functions, each in the file of the folder that defines it.
std::vector<Named> functions_of(const Files& files, const std::string& registry, const std::string& type,
                                const std::string& prefix) {
  const std::string folder = fs::path(registry).parent_path().string() + "/", &text = files.at(registry);
  std::set<std::string> words;
  for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at + 1))
    if (at == 0 || !is_letter(text[at - 1])) words.insert(word_at(text, at));
  std::vector<Named> all;
  for (const std::string& word : words)
    for (const auto& [file, definition] : files)
      if (file.starts_with(folder) && file.ends_with(".cpp") && file != registry &&
          has(definition, type + " " + word + "("))
        all.push_back({word.substr(prefix.size()), fs::path(file).stem().string(), {word}, "", true});
  return all;
}

std::vector<Named> shapes(const Files& files) {
  return functions_of(files, "app/experiment/shapes/shape.cpp", "Mesh", "read_");
}
std::vector<Named> exports(const Files& files) {
  return functions_of(files, "app/export/export_format.cpp", "ExportResult", "export_");
}

/// Names of the entries of a list of structs.
std::vector<std::string> listed(const std::string& text, const std::string& before) {
  std::vector<std::string> keys;
  for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + 1))
    keys.push_back(word_at(text, at + before.size()));
  return keys;
}

std::vector<Named> losses(const Files& files) {
  std::vector<Named> all;
  for (const std::string& key : listed(files.at("optim/residual/robust_loss.cpp"), "\n      {\""))
    all.push_back({key, "robust_loss", {}, "", key == "none"});
  return all;
}

std::vector<Named> minimizers(const Files& files) {
  std::vector<Named> all;
  for (const std::string& key : listed(files.at("optim/search/minimizer_registry.cpp"), "{.name = \""))
    all.push_back({key, key, {key}, "optim/search/" + key + ".hpp"});
  return all;
}

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      {"force", "docs/add_a_force.md", "harmonic_trap", "harmonic_trap", forces},
      {"constraint", "docs/add_a_constraint.md", "on_sphere", "on_sphere_constraint", constraints},
      {"integrator", "docs/add_an_integrator.md", "symplectic_euler", "symplectic_euler", integrators},
      {"format", "docs/add_a_recording_format.md", "xyz", "xyz_reader", formats},
      {"kind", "docs/add_a_measurement_kind.md", "speed", "speed", measurement_kinds},
      {"section", "docs/add_a_report_section.md", "speed_sections", "speed_sections", sections},
      {"shape", "docs/add_a_shape.md", "helix", "helix", shapes},
      {"export", "docs/add_an_export_format.md", "gnuplot", "gnuplot", exports},
      {"loss", "docs/add_a_loss.md", "geman_mcclure", "geman_mcclure", losses},
      {"minimizer", "docs/add_a_minimizer.md", "steepest_descent", "steepest_descent", minimizers}};
  return all;
}

/// A row of a page's table: a file that the example touches.
struct Row {
  std::string file, what;
  bool is(const char* kind) const { return what.starts_with(kind); }
};

std::vector<Row> rows_of(const std::string& page) {
  std::vector<Row> rows;
  for (const std::string& line : split(between(page, " files that it touches\n", "\n## "), "\n"))
    if (line.starts_with("| `")) rows.push_back({between(line, "| `", "`"), between(line, "` | ", " |")});
  return rows;
}

/// How many files the heading of the table announces.
std::size_t announced(const std::string& page) {
  static const std::vector<std::string> words{"None", "One", "Two",   "Three", "Four",
                                              "Five", "Six", "Seven", "Eight", "Nine"};
  for (std::size_t k = 0; k < words.size(); ++k)
    if (has(page, "\n## " + words[k] + " files that it touches\n")) return k;
  return 0;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

/// The file of a row for another entry: "sim/force/drag.hpp".
std::string file_for(const Row& row, const Kind& kind, const Named& named) {
  const std::string by_stem = replaced(row.file, kind.stem, named.stem);
  return by_stem != row.file ? by_stem : replaced(row.file, kind.key, named.key);
}

/// A file that names an entry and that no page tells, with the reason why it may.
struct Exception {
  std::string noun, keys;  ///< "gravity,point_charge"; empty: all of the kind
  std::string files;       ///< what the path begins with
  std::string reason;
};

const std::vector<Exception>& exceptions() {
  static const std::vector<Exception> all{
      {"force", "coulomb,gravity,electric_field,point_charge,drag", "app/backend/",
       "other programs are told what they have counterparts of, each in their own words"},
      {"force", "coulomb", "app/field/field_samples.cpp", "the field of charges that no force acts between"},
      {"force", "drag", "app/report/field_arrows.cpp", "its wind is drawn"},
      {"force", "electric_field", "sim/force/switched_field.", "which is one of its forms"},
      {"force", "brownian", "app/experiment/recording/brownian_spec.cpp",
       "a key of recordings, for motions without that force"},
      {"format", "detections", "app/commands/track.cpp", "a number of this name"},
      {"format", "detections", "optim/identity/identity_report.cpp", "and another"},
      {"loss", "cauchy", "optim/identity/identity_search.cpp", "by which a search begins, while assignments are wrong"},
      {"force", "drag,gravity", "sim/force/medium.",
       "Stokes' drag is a linear one; what buoyancy displaces has weight"},
      {"force", "plane_penalty,sphere_penalty,box_penalty", "app/report/obstacle_shapes.cpp",
       "their obstacles are drawn"},
      {"constraint", "plane", "app/report/obstacle_shapes.cpp", "and so are these"},
      {"force", "gravity,point_charge", "app/report/motion_document.cpp", "up is against gravity; charges are drawn"},
      {"force", "coulomb", "app/experiment/compare_spec", "Coulomb sums are compared with one another,"},
      {"force", "coulomb", "app/run/sampled_run.cpp", "and their evaluations counted"},
      {"force", "coulomb,newtonian_gravity", "app/run/step_remedy.cpp",
       "those that have a softening, which is advised"},
      {"force", "chain_bending", "app/experiment/dynamics_spec.cpp", "chains of it that meet share a joint"},
      {"force", "coulomb", "app/report/energy_sections.cpp", "an energy of this name, whichever forces have it"},
      {"force", "drag", "sim/core/losses.hpp", "a loss of this name, whichever forces have it"},
      {"force", "gravity", "sim/run/mode_name.cpp", "a direction is called vertical by it"},
      {"force", "field_potential", "app/experiment/parameter_names.cpp",
       "its settings decide what its values are called"},
      {"force", "coulomb,gravity", "sim/check/", "motions that are known are those of these forces"},
      {"constraint", "distance", "app/report/", "links are drawn; and a column of this name"},
      {"constraint", "distance", "app/result/fit_record.cpp", "an entry of this name"},
      {"constraint", "plane,box", "sim/", "obstacles that push and regions of these names"},
      {"constraint", "box,mesh", "app/", "keys, commands and shapes of these names"},
      {"constraint", "box,mesh", "datasets/", "subjects of complaints about meshes and their files"},
      {"integrator", "imex_euler,imex_midpoint,imex_bdf2", "sim/integrator/",
       "the default and its family; others make their stages or first step by it"},
      {"integrator", "imex_euler,imex_midpoint,velocity_verlet", "app/experiment/",
       "defaults of a comparison, and of tracers"},
      {"integrator", "imex_euler,imex_adaptive", "app/run/step_remedy.cpp", "what is advised after a run that failed"},
      {"integrator", "velocity_verlet", "app/backend/", "the integrator of other programs"},
      {"integrator", "theta", "optim/fit/identify.cpp", "parameters are called θ, too"},
      {"integrator", "rk4", "sim/integrator/adams.cpp", "which starts by it"},
      {"force", "gravity", "optim/measurement/kinds/acceleration.cpp",
       "an accelerometer feels the model's value of it"},
      {"constraint", "distance", "optim/measurement/kinds/distance.cpp", "a measurement kind of this name"},
      {"kind", "point", "", "the kind of a recording that names none, and of what is a place"},
      {"format", "npz,h5md", "app/export/", "a format of exports of this name"},
      {"format", "h5md", "datasets/trajectory/", "a group of this name in such files"},
      {"format", "obj_frames,table", "app/experiment/recording/capture_source.cpp",
       "`mesh_sequence:` and `columns:` say these outright"},
      {"minimizer", "levenberg_marquardt", "optim/uncertainty/profile.cpp", "chords that do not settle"},
      {"minimizer", "levenberg_marquardt", "optim/fit/multiple_shooting.cpp", "its segments' own unknowns"},
      {"format", "obj_frames,table", "datasets/capture/capture_reader.hpp", "declared with what they read"},
      {"format", "table", "", "an everyday word: of reports, fields and complaints"},
      {"format", "obj_frames", "fuzz/", "a folder is no input of a fuzzer"},
      {"format", "obj_frames", "docs/keys.md", "`mesh_sequence:` takes no other"},
  };
  return all;
}

bool allows(const Exception& exception, const Kind& kind, const Named& named, const std::string& file) {
  const auto keys = split(exception.keys, ",");
  return exception.noun == kind.noun && file.starts_with(exception.files) &&
         (exception.keys.empty() || std::count(keys.begin(), keys.end(), named.key) > 0);
}

bool names(const std::string& text, const Named& named) {
  if (!named.key.empty() && !named.is_word && has(text, "\"" + named.key + "\"")) return true;
  if (!named.header.empty() && has(text, "\"" + named.header + "\"")) return true;
  return std::any_of(named.words.begin(), named.words.end(), [&](const std::string& word) {
    return word.ends_with("(") ? has(text, " " + word) || has(text, "{" + word) || has(text, "(" + word)
                               : has_code_word(text, word);
  });
}

/// Whether an exception holds for this file; those that do are added to `used`.
bool is_excepted(const Kind& kind, const Named& named, const std::string& file, std::set<const Exception*>& used) {
  bool any = false;
  for (const Exception& exception : exceptions())
    if (allows(exception, kind, named, file)) {
      used.insert(&exception);
      any = true;
    }
  return any;
}

/// What is wrong with where the entries of a kind are named. Exceptions that were needed are added to `used`.
std::vector<std::string> objections(const Files& files, const Kind& kind, std::set<const Exception*>& used) {
  const std::vector<Row> rows = rows_of(files.at(kind.page));
  std::vector<std::string> found;
  for (const Named& named : kind.entries(files)) {
    const std::string what = "the " + kind.noun + " " + (named.key.empty() ? named.stem : named.key);
    std::set<std::string> told;
    for (const Row& row : rows) told.insert(file_for(row, kind, named));
    for (const auto& [file, text] : files)
      if (is_of_a_library(file) && !told.count(file) && names(text, named) && !is_excepted(kind, named, file, used))
        found.push_back(file + " names " + what + ", which " + kind.page + " does not tell");
    const bool of_a_family = named.header.empty() && named.words.empty();
    for (const Row& row : rows) {
      const auto file = files.find(file_for(row, kind, named));
      if (file == files.end() || of_a_family || row.is("optional")) continue;
      if (row.is("new") && !is_of_a_library(file->first)) continue;  // a test, which may be of several
      const bool is_test = is_source(file->first) && !is_of_a_library(file->first);
      const bool does = !is_source(file->first) ? has_word(file->second, named.key)
                        : is_test               ? has(file->second, "\"" + named.key + "\"")
                                                : names(file->second, named);
      if (!does && !is_excepted(kind, named, file->first, used))
        found.push_back(file->first + " does not name " + what + ", as " + kind.page + " tells");
    }
  }
  return found;
}

}  // namespace

TEST_CASE("touched files: what exists is named where the pages say, and nowhere else", "[layering]") {
  const Files files = tracked_texts();
  std::set<const Exception*> used;
  for (const Kind& kind : kinds()) {
    CAPTURE(kind.noun);
    CHECK(kind.entries(files).size() > 2);
    for (const std::string& objection : objections(files, kind, used)) FAIL_CHECK(objection);
  }
  for (const Exception& exception : exceptions()) {
    CAPTURE(exception.noun, exception.keys, exception.files, exception.reason);
    CHECK(used.count(&exception) == 1);  // one that nobody needs is to go
  }
}

TEST_CASE("touched files: each page counts them, and makes the new ones", "[layering]") {
  const Files files = tracked_texts();
  for (const char* name : {"a_force", "a_constraint", "a_parameter", "a_measurement_kind", "a_recording_format",
                           "a_report_section", "a_result", "a_shape", "an_export_format", "a_loss", "a_minimizer"}) {
    const std::string& page = files.at(std::string("docs/add_") + name + ".md");
    CAPTURE(name);
    CHECK(announced(page) > 0);
    CHECK(announced(page) == rows_of(page).size());
    for (const Row& row : rows_of(page))
      if (row.is("new")) CHECK(has(page, "\n```cpp " + row.file + "\n"));
  }
  const std::string& page = files.at("docs/add_an_integrator.md");  // its example is in the repository
  CHECK(announced(page) == rows_of(page).size());
  for (const Row& row : rows_of(page))
    if (row.is("new") || row.is("optional, new")) CHECK(has(page, "\n```cpp " + row.file + "\n"));
}

TEST_CASE("touched files: a name elsewhere, and one that is missing, are found", "[layering]") {
  std::set<const Exception*> used;
  const auto found = [&](const std::string& noun, const auto& change) {
    Files files = tracked_texts();
    change(files);
    for (const Kind& kind : kinds())
      if (kind.noun == noun) return objections(files, kind, used);
    throw std::logic_error(noun);
  };
  const auto add = [](const char* file, const char* text) { return [=](Files& files) { files[file] += text; }; };
  using Told = std::vector<std::string>;
  CHECK(found("force", add("app/run/extra.cpp", "if (name == \"lennard_jones\") stop();\n")) ==
        Told{"app/run/extra.cpp names the force lennard_jones, which docs/add_a_force.md does not tell"});
  CHECK(found("force", add("diff/step/extra.cpp", "dynamic_cast<const sim::DryFriction*>(term)\n")).size() == 1);
  CHECK(found("force", add("optim/fit/extra.hpp", "#include \"sim/force/langevin.hpp\"\n")).size() == 1);
  CHECK(found("constraint", add("app/run/extra.cpp", "sim::PinConstraint pin;\n")).size() == 1);
  CHECK(found("integrator", add("optim/fit/extra.cpp", "if (integrator == \"ab4\") wait();\n")).size() == 1);
  CHECK(found("format", add("app/experiment/extra.cpp", "datasets::read_trc(file);\n")).size() == 1);
  CHECK(found("kind", add("app/run/extra.cpp", "if (&kind == &optim::camera_kind()) flip();\n")).size() == 1);
  CHECK(found("loss", add("optim/fit/extra.cpp", "if (loss.name() == \"huber\") wait();\n")).size() == 1);
  CHECK(found("minimizer", add("optim/fit/extra.cpp", "report = geodesic(residual, start);\n")).size() == 1);
  CHECK(found("section", add("app/run/extra.cpp", "auto s = scan_sections(run);\n")).size() == 1);
  CHECK(found("force", [](Files& files) {
          std::string& specimens = files.at("tests/support/force_specimens.hpp");
          specimens = replaced(specimens, "\"langevin\"", "\"bath\"");
        }) == Told{"tests/support/force_specimens.hpp does not name the force langevin, as docs/add_a_force.md tells"});
}
