#include "schemas/generator/emit_body.h"

#include <utility>

namespace hayward::generator {

StructBody::StructBody(const Table& table, const Struct& s, std::string stream, std::string no_tags)
    : table_(table),
      struct_(s),
      stream_(std::move(stream)),
      no_tags_(std::move(no_tags)),
      flexible_(table.flexible.meet(s.context)) {}

Code StructBody::whole() {
  for (const Field& f : struct_.fields) {
    if (!f.tag) field(f);
  }
  if (!flexible_.empty()) tagged_section();
  Code code(1);
  if (body_.mentions("flexible")) code.line("const bool flexible = " + expression(flexible_, struct_.context) + ";");
  code.add(body_);
  return code;
}

void StructBody::field(const Field& f) {
  const std::string guard = condition(f.versions, struct_.context);
  if (guard == "false") return;
  const bool block = !guard.empty() && f.is_array;
  if (block) body_.open("if (" + guard + ") {");
  item(f, stream_, f.never_compact ? "false" : "flexible", guard.empty() || block ? "" : "if (" + guard + ") ");
  if (block) body_.close();
}

void StructBody::tagged_section() {
  std::vector<const Field*> fields;
  for (const Field& f : struct_.fields) {
    if (f.tag && condition(f.versions, struct_.context) != "false") fields.push_back(&f);
  }
  const bool always = condition(flexible_, struct_.context).empty();
  if (fields.empty()) {
    body_.line((always ? "" : "if (flexible) ") + no_tags_);
    return;
  }
  if (!always) body_.open("if (flexible) {");
  tagged(fields);
  if (!always) body_.close();
}

std::string wire_name(Kind kind) {
  switch (kind) {
    case Kind::boolean:
      return "bool";
    case Kind::int8:
      return "i8";
    case Kind::int16:
      return "i16";
    case Kind::uint16:
      return "u16";
    case Kind::int32:
      return "i32";
    case Kind::int64:
      return "i64";
    case Kind::float64:
      return "f64";
    case Kind::uuid:
      return "uuid";
    case Kind::string:
      return "string";
    default:
      return "bytes";
  }
}

bool has_length(Kind kind) { return kind == Kind::string || kind == Kind::bytes || kind == Kind::records; }

}  // namespace hayward::generator
