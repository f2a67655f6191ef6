#include "datasets/text/foreign_file.hpp"

#include <algorithm>
#include <cctype>

#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t telling_head = std::size_t{64} << 10;  // bytes

constexpr unsigned bit(FileUse use) { return 1U << static_cast<unsigned>(use); }
constexpr unsigned recordings = bit(FileUse::Recording), meshes = bit(FileUse::Mesh),
                   calibrations = bit(FileUse::Calibration), all_uses = recordings | meshes | calibrations;

/// A foreign format: its signature, its name and remedies by use. If the remedy for a use is empty, `every` applies, or
/// else the default of that use.
struct Signature {
  std::string_view bytes = {};                  ///< at `at`
  std::size_t at = 0;                           ///< offset of `bytes`
  std::string_view holds = {};                  ///< must occur in the head
  bool (*is)(std::string_view head) = nullptr;  ///< must be true, too
  std::string_view name = {};
  std::string_view recording = {}, mesh = {}, calibration = {};  ///< remedies by use
  std::string_view every = {};                                   ///< remedy for uses without their own
  unsigned uses = all_uses;                                      ///< uses for which the format is foreign

  bool matches(std::string_view head) const {
    return head.substr(std::min(at, head.size())).starts_with(bytes) &&
           (holds.empty() || head.find(holds) != std::string_view::npos) && (!is || is(head));
  }
};

constexpr std::string_view save_sheet = "save the sheet as CSV", unpack = "unpack it, and give the file inside",
                           track = "track the points, for example with Tracker or DeepLabCut, and give their table",
                           to_csv = "export the table as CSV", from_trackmate = "in TrackMate, export the spots as CSV",
                           to_h5md = "convert it to H5MD, for example with MDAnalysis",
                           by_meshio = "convert it to PLY or STL, for example with meshio",
                           by_blender = "convert it to PLY or OBJ, for example with Blender",
                           from_matlab = "in MATLAB, write the numbers as CSV with `writematrix`",
                           from_python = "in Python, save positions [frames][markers][3] and times with numpy.savez",
                           frames_of_meshes = "for a recording of meshes give a folder of OBJ files: `mesh_sequence:`";

unsigned char byte(std::string_view head, std::size_t k) {
  return k < head.size() ? static_cast<unsigned char>(head[k]) : 0;
}

bool is_control(unsigned char c) { return c < 0x20 && (c < '\t' || c > '\r') && c != 0x1A && c != 0x1B; }

bool holds_control(std::string_view head) {
  return std::ranges::any_of(head, [](char c) { return is_control(static_cast<unsigned char>(c)); });
}
bool begins_with_pickle(std::string_view head) { return byte(head, 1) >= 1 && byte(head, 1) <= 5; }
bool begins_with_c3d(std::string_view head) {
  return byte(head, 1) == 'P' && byte(head, 0) > 0 && is_control(byte(head, 0));
}
bool begins_with_size(std::string_view head) { return head.size() > 8 && head[0] == '\0'; }
bool begins_with_bmp(std::string_view head) { return head.substr(6, 4) == "\0\0\0\0"sv; }
bool begins_with_packets(std::string_view head) { return byte(head, 188) == 'G' && byte(head, 376) == 'G'; }

const Signature binary_signatures[] = {
    {.bytes = "PK\3\4", .holds = "xl/work", .name = "an Excel workbook (.xlsx)", .recording = save_sheet},
    {.bytes = "PK\3\4", .holds = "xl/theme", .name = "an Excel workbook (.xlsx)", .recording = save_sheet},
    {.bytes = "PK\3\4",
     .holds = "opendocument.spreadsheet",
     .name = "an OpenDocument spreadsheet",
     .recording = save_sheet},
    {.bytes = "PK\3\4", .holds = "Index/Document.iwa", .name = "a Numbers spreadsheet", .recording = save_sheet},
    {.bytes = "PK\3\4", .holds = "word/document", .name = "a Word document", .recording = to_csv},
    {.bytes = "PK\3\4", .holds = ".npy", .name = "a NumPy archive", .recording = "name it .npz, or give `format: npz`"},
    {.bytes = "PK\3\4", .holds = "3D/3dmodel", .name = "a 3MF mesh", .mesh = by_meshio},
    {.bytes = "PK\3\4", .name = "a zip archive", .every = unpack},
    {.bytes = "PK\5\6", .name = "an empty zip archive", .every = "copy or export the file again"},
    {.bytes = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1",
     .name = "an Excel workbook (.xls) or another file of Office",
     .recording = save_sheet},
    {.bytes = "\x09\x08\x10\0"sv, .name = "an Excel workbook (.xls)", .recording = save_sheet},
    {.bytes = "MATLAB 5.0 MAT-file", .name = "a MATLAB file", .recording = from_matlab},
    {.bytes = "MATLAB 7.3 MAT-file", .name = "a MATLAB file (version 7.3, HDF5)", .recording = from_matlab},
    {.bytes = "\x80", .is = begins_with_pickle, .name = "a Python pickle", .recording = from_python},
    {.bytes = "\x93NUMPY", .name = "a NumPy array", .recording = "name it .npy, or give `format: npy`"},
    {.bytes = "\x89HDF\r\n\x1A\n",
     .name = "an HDF5 file",
     .recording = "if it is a trajectory (H5MD), give `format: h5md`; else export the tracks as CSV"},
    {.bytes = "\x1F\x8B", .name = "a file packed by gzip", .every = "unpack it with gunzip"},
    {.bytes = "BZh", .holds = "1AY&SY", .name = "a file packed by bzip2", .every = "unpack it with bunzip2"},
    {.bytes = "\xFD"
              "7zXZ\0"sv,
     .name = "a file packed by xz",
     .every = "unpack it with unxz"},
    {.bytes = "\x28\xB5\x2F\xFD", .name = "a file packed by zstd", .every = "unpack it with unzstd"},
    {.bytes = "7z\xBC\xAF\x27\x1C", .name = "a 7z archive", .every = unpack},
    {.bytes = "Rar!\x1A\x07", .name = "a RAR archive", .every = unpack},
    {.bytes = "ustar", .at = 257, .is = holds_control, .name = "a tar archive", .every = unpack},
    {.bytes = "SQLite format 3\0"sv, .name = "an SQLite database", .recording = to_csv},
    {.bytes = "PAR1",
     .is = holds_control,
     .name = "a Parquet table",
     .recording = "save it as CSV, for example with pandas"},
    {.bytes = "ARROW1",
     .is = holds_control,
     .name = "a Feather table",
     .recording = "save it as CSV, for example with pandas"},
    {.bytes = "FEA1",
     .is = holds_control,
     .name = "a Feather table",
     .recording = "save it as CSV, for example with pandas"},
    {.bytes = "%PDF-", .name = "a PDF document", .recording = "put the table into a spreadsheet and save it as CSV"},
    {.bytes = "\xDF\x65\xDF\x65\xDF\x65\xDF\x65", .name = "a GSD trajectory", .recording = to_h5md},
    {.bytes = "T\0\0\0CORD"sv, .name = "a DCD trajectory", .recording = to_h5md},
    {.bytes = "\0\0\0TCORD"sv, .name = "a DCD trajectory", .recording = to_h5md},
    {.bytes = "\0\0\x07\xCB"sv, .name = "an XTC trajectory", .recording = to_h5md},
    {.bytes = "\0\0\x07\xC9"sv, .name = "a TRR trajectory", .recording = to_h5md},
    {.bytes = "CDF\1", .name = "a NetCDF file", .recording = to_h5md},
    {.bytes = "CDF\2", .name = "a NetCDF file", .recording = to_h5md},
    {.is = begins_with_c3d,
     .name = "a C3D file",
     .recording = "name it .c3d, or give `format: c3d`",
     .uses = recordings},
    {.bytes = "glTF",
     .is = holds_control,
     .name = "a glTF mesh (.glb)",
     .recording = frames_of_meshes,
     .mesh = by_blender},
    {.bytes = "Kaydara FBX Binary",
     .name = "an FBX scene",
     .recording = "export the markers as C3D or TRC",
     .mesh = by_blender},
    {.bytes = "BLENDER",
     .is = holds_control,
     .name = "a Blender scene",
     .mesh = "in Blender, export the mesh as PLY or OBJ"},
    {.bytes = "ftypavif", .at = 4, .is = begins_with_size, .name = "an image (AVIF)", .recording = track},
    {.bytes = "ftyphei", .at = 4, .is = begins_with_size, .name = "an image (HEIC)", .recording = track},
    {.bytes = "ftypmif1", .at = 4, .is = begins_with_size, .name = "an image (HEIC)", .recording = track},
    {.bytes = "ftypqt", .at = 4, .is = begins_with_size, .name = "a video (QuickTime)", .recording = track},
    {.bytes = "ftyp", .at = 4, .is = begins_with_size, .name = "a video (MP4)", .recording = track},
    {.bytes = "moov", .at = 4, .is = begins_with_size, .name = "a video (QuickTime)", .recording = track},
    {.bytes = "mdat", .at = 4, .is = begins_with_size, .name = "a video (QuickTime)", .recording = track},
    {.bytes = "wide", .at = 4, .is = begins_with_size, .name = "a video (QuickTime)", .recording = track},
    {.bytes = "free", .at = 4, .is = begins_with_size, .name = "a video (QuickTime)", .recording = track},
    {.bytes = "RIFF", .holds = "AVI LIST", .name = "a video (AVI)", .recording = track},
    {.bytes = "RIFF", .holds = "WEBP", .name = "an image (WebP)", .recording = track},
    {.bytes = "RIFF", .holds = "WAVE", .name = "a sound (WAV)"},
    {.bytes = "\x1A\x45\xDF\xA3", .holds = "webm", .name = "a video (WebM)", .recording = track},
    {.bytes = "\x1A\x45\xDF\xA3", .name = "a video (Matroska)", .recording = track},
    {.bytes = "\0\0\1\xBA"sv, .name = "a video (MPEG)", .recording = track},
    {.bytes = "G", .is = begins_with_packets, .name = "a video (MPEG transport stream)", .recording = track},
    {.bytes = "\x30\x26\xB2\x75\x8E\x66\xCF\x11", .name = "a video (Windows Media)", .recording = track},
    {.bytes = "FLV\1", .name = "a video (Flash)", .recording = track},
    {.bytes = "OggS", .is = holds_control, .name = "a video or sound (Ogg)", .recording = track},
    {.bytes = "\x89PNG", .name = "an image (PNG)", .recording = track},
    {.bytes = "\xFF\xD8\xFF", .name = "an image (JPEG)", .recording = track},
    {.bytes = "GIF87a", .name = "an image (GIF)", .recording = track},
    {.bytes = "GIF89a", .name = "an image (GIF)", .recording = track},
    {.bytes = "II*\0"sv, .name = "an image (TIFF)", .recording = track},
    {.bytes = "MM\0*"sv, .name = "an image (TIFF)", .recording = track},
    {.bytes = "II+\0"sv, .name = "an image (TIFF)", .recording = track},
    {.bytes = "BM", .is = begins_with_bmp, .name = "an image (BMP)", .recording = track},
};

bool equal_words(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char left, unsigned char right) { return std::tolower(left) == std::tolower(right); });
}

bool is_markup(std::string_view text) {
  return text.starts_with("<?xml") || (std::isalpha(byte(text, 1)) != 0 && text.find("</") != std::string_view::npos);
}

bool is_web_page(std::string_view text) {
  return equal_words(text.substr(0, 14), "<!doctype html") || equal_words(text.substr(0, 5), "<html");
}

bool is_json(std::string_view text) {
  if (text.empty()) return false;
  const std::size_t at = text.find_first_not_of(" \t\r\n", 1);
  const std::string_view next = text.substr(std::min(at, text.size()), 1);
  if (next.empty()) return false;
  return text[0] == '{' ? next == "\"" || next == "}" : text[0] == '[' && "\"{[]-0123456789"sv.find(next) < 16;
}

bool has_opensim_header(std::string_view text) {
  return std::ranges::any_of(split_lines(text),
                             [](std::string_view line) { return equal_words(trim(line), "endheader"); });
}

bool is_bvh(std::string_view text) { return trim(split_lines(text)[0]) == "HIERARCHY"; }

/// Whether the text has a line with only the number of points, a comment line, and points that begin with a name.
bool is_xyz(std::string_view text) {
  const auto lines = split_lines(text);
  if (lines.size() < 3 || !parse_integer(trim(lines[0]))) return false;
  if (lines[1].find("Properties=") != std::string_view::npos || lines[1].find("Lattice=") != std::string_view::npos)
    return true;
  const auto words = split_words(lines[2]);
  return words.size() >= 4 && std::isalpha(byte(words[0], 0)) != 0 &&
         std::all_of(words.begin() + 1, words.begin() + 4,
                     [](std::string_view word) { return parse_number(word).has_value(); });
}

bool begins_with_old_pickle(std::string_view text) { return std::isdigit(byte(text, 3)) != 0 && byte(text, 4) == '\n'; }

bool is_pdb(std::string_view text) {
  for (const std::string_view record : {"HEADER    ", "CRYST1 ", "MODEL     ", "ATOM   ", "HETATM "})
    if (text.starts_with(record)) return true;
  return false;
}

const Signature text_signatures[] = {
    {.bytes = "version https://git-lfs",
     .name = "a Git LFS pointer",
     .every = "fetch the file itself with `git lfs pull`"},
    {.bytes = "<",
     .is = is_web_page,
     .name = "a web page (HTML)",
     .every = "download the file itself: this is a page that shows it"},
    {.bytes = "<", .holds = "<TrackMate", .name = "a file of TrackMate (XML)", .recording = from_trackmate},
    {.bytes = "<", .holds = "<Tracks ", .name = "tracks of TrackMate (XML)", .recording = from_trackmate},
    {.bytes = "<",
     .holds = "opensourcephysics",
     .name = "a project of Tracker (XML)",
     .recording = "in Tracker, export the data file"},
    {.bytes = "<",
     .holds = "<opencv_storage",
     .name = "a file of OpenCV (XML)",
     .calibration = "write it with OpenCV's FileStorage under a name that ends in .yml"},
    {.bytes = "<", .holds = "office:spreadsheet", .name = "an Excel workbook (XML)", .recording = save_sheet},
    {.bytes = "<",
     .holds = "<OpenSimDocument",
     .name = "a document of OpenSim (XML)",
     .recording = "give the markers as TRC"},
    {.bytes = "<", .holds = "<VTKFile", .name = "a VTK file (XML)", .mesh = by_meshio},
    {.bytes = "<", .holds = "<COLLADA", .name = "a COLLADA scene (XML)", .mesh = by_blender},
    {.bytes = "<", .is = is_markup, .name = "an XML file"},
    {.holds = "\"asset\"",
     .is = is_json,
     .name = "a glTF mesh (JSON)",
     .recording = frames_of_meshes,
     .mesh = by_blender,
     .uses = recordings | meshes},
    {.is = is_json,
     .name = "a JSON file",
     .recording = "write a table (CSV): a row for each frame, a column for each coordinate",
     .uses = recordings | meshes},
    {.bytes = "HIERARCHY",
     .is = is_bvh,
     .name = "a BVH file: angles of a skeleton",
     .recording = "export the markers as C3D or TRC"},
    {.is = has_opensim_header,
     .name = "a table of OpenSim (.mot, .sto)",
     .recording = "give the markers as TRC; for other columns, delete the lines down to `endheader` and name them in "
                  "`columns:`"},
    {.bytes = "ITEM: ",
     .name = "a dump of LAMMPS",
     .recording = "write it with `dump h5md`, or convert it to H5MD with MDAnalysis"},
    {.is = is_xyz, .name = "an XYZ trajectory", .recording = to_h5md},
    {.is = is_pdb, .name = "a PDB file", .recording = to_h5md},
    {.bytes = "ccopy_reg\n", .name = "a Python pickle", .recording = from_python},
    {.bytes = "cnumpy.", .name = "a Python pickle", .recording = from_python},
    {.bytes = "(dp", .is = begins_with_old_pickle, .name = "a Python pickle", .recording = from_python},
    {.bytes = "(lp", .is = begins_with_old_pickle, .name = "a Python pickle", .recording = from_python},
    {.bytes = "ply\n", .name = "a PLY mesh", .recording = frames_of_meshes, .uses = recordings},
    {.bytes = "ply\r", .name = "a PLY mesh", .recording = frames_of_meshes, .uses = recordings},
    {.bytes = "OFF\n", .name = "an OFF mesh", .recording = frames_of_meshes, .uses = recordings},
    {.bytes = "solid",
     .holds = "facet normal",
     .name = "an STL mesh",
     .recording = frames_of_meshes,
     .uses = recordings},
    {.bytes = "# vtk DataFile", .name = "a VTK file", .mesh = by_meshio},
    {.bytes = "$MeshFormat", .name = "a Gmsh mesh", .mesh = by_meshio},
    {.bytes = "ISO-10303-21", .name = "a STEP model", .mesh = "mesh it, for example with Gmsh, and write it as STL"},
    {.bytes = "#usda", .name = "a USD scene", .mesh = by_blender},
    {.bytes = "; FBX", .name = "an FBX scene", .mesh = by_blender},
};

/// Names and requirements of the uses.
struct UseWords {
  std::string_view kind, required, remedy;
};

const UseWords& words_of(FileUse kind) {
  static constexpr UseWords words[] = {
      {"recording", "must be a table or in a format of `pithball list formats`",
       "export the motion as a table (CSV) or in one of these formats"},
      {"mesh", "must be an OBJ, OFF, PLY or STL file", "export the mesh in one of these formats"},
      {"calibration", "must be YAML as of OpenCV, ROS or Kalibr",
       "write it so, or give `focal_length`, `principal_point` and `distortion` instead"}};
  return words[static_cast<std::size_t>(kind)];
}

std::string_view remedy_of(const Signature& signature, FileUse use) {
  const std::string_view own = use == FileUse::Recording ? signature.recording
                               : use == FileUse::Mesh    ? signature.mesh
                                                         : signature.calibration;
  if (!own.empty()) return own;
  return signature.every.empty() ? words_of(use).remedy : signature.every;
}

[[noreturn]] void reject_as(const std::string& path, FileUse use, const std::string& name, const std::string& remedy) {
  throw InvalidArgument(
      {path, std::string(words_of(use).kind) + " file", std::string(words_of(use).required), name, remedy});
}

/// UTF-16 without a byte order mark.
bool is_unmarked_utf16(std::string_view text) {
  const std::size_t pairs = std::min<std::size_t>(text.size() / 2, 64);
  for (const std::size_t zero : {0U, 1U}) {
    bool all = pairs > 1;
    for (std::size_t k = 0; all && k < pairs; ++k)
      all = text[2 * k + zero] == '\0' && !is_control(byte(text, 2 * k + 1 - zero));
    if (all) return true;
  }
  return false;
}

}  // namespace

std::optional<ForeignFile> find_foreign_file(std::string_view bytes, FileUse use) {
  std::string_view head = bytes.substr(0, telling_head);
  const auto found_in = [&](const auto& signatures, bool lines) -> std::optional<ForeignFile> {
    for (const Signature& signature : signatures)
      if ((signature.uses & bit(use)) != 0 && signature.matches(head))
        return ForeignFile{std::string(signature.name), std::string(remedy_of(signature, use)), lines};
    return {};
  };
  if (auto found = found_in(binary_signatures, false)) return found;
  std::string decoded;
  try {
    if (is_utf16(head)) head = decoded = utf16_to_utf8(head, "");
  } catch (const InvalidArgument&) {
    return {};  // the reader reports where it is damaged
  }
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
  if (head.empty()) return {};
  return found_in(text_signatures, true);
}

void reject_foreign(const std::string& path, std::string_view bytes, FileUse use) {
  if (const auto found = find_foreign_file(bytes, use)) reject_as(path, use, found->name, found->remedy);
}

void reject_foreign_file(const std::string& path, FileUse use) {
  reject_foreign(path, read_beginning(path, telling_head), use);
}

std::string read_plain_text(const std::string& path, FileUse use, bool lines_chosen) {
  if (const auto found = find_foreign_file(read_beginning(path, telling_head), use);
      found && !(found->lines && lines_chosen))
    reject_as(path, use, found->name, found->remedy);
  std::string text = read_text_file(path, words_of(use).kind);
  if (is_unmarked_utf16(text))
    reject_as(path, use, "text in UTF-16 without a byte order mark", "save the file as UTF-8");
  // A few control characters may occur in a name; a binary file has many, or a zero byte.
  const std::string_view head = std::string_view(text).substr(0, telling_head);
  const auto controls = std::ranges::count_if(head, [](char c) { return is_control(static_cast<unsigned char>(c)); });
  if (text.find('\0') != std::string::npos || 100 * static_cast<std::size_t>(controls) > head.size())
    reject_as(path, use, "a binary file", std::string(words_of(use).remedy));
  return text;
}

}  // namespace pithball::datasets
