#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace pithball::fuzz {

/// A reader that is fed with bytes of any kind. It may take them or reject them (InvalidArgument); whatever else comes
/// of it is a defect: another exception, a crash, more than ten seconds, more than 2 GB.
struct Target {
  const char* name;  ///< "mesh_ply"
  void (*read)(std::string_view bytes, const std::string& kind);
  const char* kind;  ///< what `read` is to take the bytes for: ".ply"
};

/// All of them: the list in fuzz/CMakeLists.txt.
const std::vector<Target>& targets();

/// The input as a file, for readers that take names; the next input under this name takes its place.
std::string as_file(std::string_view bytes, const std::string& name);

/// A folder for temporary files (in TMPDIR) that disappears with the program.
std::string scratch_folder();

/// Ends the program, as a crash does, unless what a reader promises holds.
void require(bool holds, const char* promise);

// The readers; what `kind` means stands at each.
void capture(std::string_view bytes, const std::string& kind);
void experiment(std::string_view bytes, const std::string& kind);
void expression(std::string_view bytes, const std::string& kind);
void folder_record(std::string_view bytes, const std::string& kind);
void hdf5_layout(std::string_view bytes, const std::string& kind);
void kept_answer(std::string_view bytes, const std::string& kind);
void ledger(std::string_view bytes, const std::string& kind);
void mesh(std::string_view bytes, const std::string& kind);
void quantity(std::string_view bytes, const std::string& kind);
void run_folder(std::string_view bytes, const std::string& kind);
void trajectory(std::string_view bytes, const std::string& kind);
void yaml(std::string_view bytes, const std::string& kind);

}  // namespace pithball::fuzz
