#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "datasets/text/text_scan.hpp"

namespace pithball::datasets {

/// What a file is opened as.
enum class FileUse {
  Recording,    ///< also any other table
  Mesh,         ///< a file of vertices and faces
  Calibration,  ///< YAML, of which JSON is a part
};

/// A file of another program, known by its first bytes.
struct ForeignFile {
  std::string name;    ///< "an Excel workbook (.xlsx)"
  std::string remedy;  ///< "save the sheet as CSV"
  bool lines = false;  ///< made of lines, some of which may be a table
};

/// The foreign format of a file that begins with these bytes (64 KiB of them are looked at), for this use; empty if
/// none is recognized. Recordings in binary formats of this program count, too: they are foreign to every reader but
/// their own, and the remedy says how to name them.
std::optional<ForeignFile> find_foreign_file(std::string_view bytes, FileUse use);

/// Throws InvalidArgument at `path` if these bytes are the beginning of a foreign file: what it is, and what to do.
void reject_foreign(const std::string& path, std::string_view bytes, FileUse use);

/// The same for the file at `path`; one that is missing or cannot be read is left to its reader.
void reject_foreign_file(const std::string& path, FileUse use);

/// The text of a file as `read_text_file` reads it. Throws InvalidArgument as that does, on a foreign file (whatever
/// its size) and on one with bytes that no text has. With `lines_chosen` a foreign file made of lines is allowed:
/// the user has said which of its lines are a table.
std::string read_plain_text(const std::string& path, FileUse use, bool lines_chosen = false);

}  // namespace pithball::datasets
