// Decoders: one read_struct per struct, inner ones first, then the public decode().
#include "schemas/generator/emit.h"
#include "schemas/generator/emit_body.h"

namespace hayward::generator {
namespace {

class Decoder final : StructBody {
 public:
  Decoder(const Table& table, const Struct& s) : StructBody(table, s, "r", "skip_tagged_fields(r);") {}

  Code emit() {
    const Code body = whole();
    const auto parameter = [&](const std::string& type, const std::string& name) {
      return type + (body.mentions(name) ? " " + name : "");
    };
    Code code;
    code.line("void read_struct(" + parameter("Reader&", "r") + ", " + parameter("std::int16_t", "version") + ", " +
              parameter("Arena&", "arena") + ", " + qualified(table_, struct_.name) + "& " +
              (body.mentions("x") ? "x" : "") + ") {");
    code.add(body);
    code.line("}");
    return code;
  }

 private:
  void item(const Field& f, const std::string& r, const std::string& compact, const std::string& lead) override {
    const VersionRange present = f.versions.meet(struct_.context);
    const std::string x = "x." + f.member;
    const std::string nullable = expression(f.nullable, present);
    if (f.is_array) {
      body_.open("read_array(" + r + ", {" + compact + ", " + nullable + ", " + min_size(table_, f, present) +
                 "}, arena, " + x + ", [&](auto& item) {");
      if (f.kind == Kind::structure)
        body_.line("read_struct(" + r + ", version, arena, item);");
      else
        body_.line("item = " + scalar(f, r, compact) + ";");
      body_.close("});");
    } else if (f.kind == Kind::structure) {
      body_.line(lead + "read_struct(" + r + ", version, arena, " + x + ");");
    } else if (nullable == "false") {
      body_.line(lead + x + " = " + scalar(f, r, compact) + ";");
    } else {
      const std::string what = wire_name(f.kind) + "(";
      const std::string read_null = r + ".read_nullable_" + what + compact + ")";
      if (nullable == "true")
        body_.line(lead + x + " = " + read_null + ";");
      else
        body_.line(lead + x + " = " + nullable + " ? " + read_null + " : " + r + ".read_" + what + compact + ");");
    }
  }

  static std::string scalar(const Field& f, const std::string& r, const std::string& compact) {
    const std::string call = r + ".read_" + wire_name(f.kind) + "(" + (has_length(f.kind) ? compact : "") + ")";
    if (f.lift == "ErrorCode") return "static_cast<ErrorCode>(" + call + ")";
    return f.lift.empty() ? call : f.lift + "{" + call + "}";
  }

  void tagged(const std::vector<const Field*>& fields) override {
    body_.open("read_tagged_fields(r, [&](std::uint32_t tag, Reader& field) {");
    body_.open("switch (tag) {");
    for (const Field* f : fields) tagged_field(*f);
    body_.line("default: return false;");
    body_.close();
    body_.close("});");
  }

  // A tag that this version does not define is a fault, as in Kafka.
  void tagged_field(const Field& f) {
    const std::string guard = tag_guard(f);
    body_.open("case " + std::to_string(*f.tag) + ":");
    if (!guard.empty()) body_.line("if (!(" + guard + ")) return field.fail(), true;");
    item(f, "field", "true", "");
    body_.line("return true;");
    body_.dedent();
  }
};

}  // namespace

std::string emit_decode(const Table& table) {
  Code code;
  for (const Struct& s : table.structs) {
    code.add(Decoder(table, s).emit());
    code.line();
  }
  return code.text();
}

}  // namespace hayward::generator
