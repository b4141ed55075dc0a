// Decoders: one read_struct per struct, inner ones first, then the public decode().
#include "schemas/generator/cpp.h"
#include "schemas/generator/emit.h"

namespace hayward::generator {
namespace {

class Decoder {
 public:
  Decoder(const Table& table, const Struct& s)
      : table_(table), struct_(s), flexible_(table.flexible.meet(s.context)), body_(1) {}

  Code emit() {
    for (const Field& f : struct_.fields) {
      if (!f.tag) field(f);
    }
    if (!flexible_.empty()) tagged_section();
    Code body(1);
    if (body_.mentions("flexible")) body.line("const bool flexible = " + expression(flexible_, struct_.context) + ";");
    body.add(body_);
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
  void field(const Field& f) {
    const std::string guard = condition(f.versions, struct_.context);
    if (guard == "false") return;
    const bool block = !guard.empty() && f.is_array;
    if (block) body_.open("if (" + guard + ") {");
    read(f, "r", f.never_compact ? "false" : "flexible", guard.empty() || block ? "" : "if (" + guard + ") ");
    if (block) body_.close();
  }

  void read(const Field& f, const std::string& r, const std::string& compact, const std::string& lead = {}) {
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
      const std::string what = f.kind == Kind::string ? "string(" : "bytes(";
      const std::string read_null = r + ".read_nullable_" + what + compact + ")";
      if (nullable == "true")
        body_.line(lead + x + " = " + read_null + ";");
      else
        body_.line(lead + x + " = " + nullable + " ? " + read_null + " : " + r + ".read_" + what + compact + ");");
    }
  }

  static std::string scalar(const Field& f, const std::string& r, const std::string& compact) {
    const auto wrapped = [&](const std::string& call) {
      if (f.lift == "ErrorCode") return "static_cast<ErrorCode>(" + call + ")";
      return f.lift.empty() ? call : f.lift + "{" + call + "}";
    };
    switch (f.kind) {
      case Kind::boolean:
        return r + ".read_bool()";
      case Kind::int8:
        return wrapped(r + ".read_i8()");
      case Kind::int16:
        return wrapped(r + ".read_i16()");
      case Kind::uint16:
        return wrapped(r + ".read_u16()");
      case Kind::int32:
        return wrapped(r + ".read_i32()");
      case Kind::int64:
        return wrapped(r + ".read_i64()");
      case Kind::float64:
        return r + ".read_f64()";
      case Kind::uuid:
        return wrapped(r + ".read_uuid()");
      case Kind::string:
        return r + ".read_string(" + compact + ")";
      default:
        return r + ".read_bytes(" + compact + ")";
    }
  }

  void tagged_section() {
    const std::string guard = condition(flexible_, struct_.context);
    const std::string lead = guard.empty() ? "" : "if (flexible) ";
    std::vector<const Field*> tagged;
    for (const Field& f : struct_.fields) {
      if (f.tag && condition(f.versions, struct_.context) != "false") tagged.push_back(&f);
    }
    if (tagged.empty()) {
      body_.line(lead + "skip_tagged_fields(r);");
      return;
    }
    if (!guard.empty()) body_.open("if (flexible) {");
    body_.open("read_tagged_fields(r, [&](std::uint32_t tag, Reader& field) {");
    body_.open("switch (tag) {");
    for (const Field* f : tagged) tagged_field(*f);
    body_.line("default: return false;");
    body_.close();
    body_.close("});");
    if (!guard.empty()) body_.close();
  }

  // A tag that this version does not define is a fault, as in Kafka.
  void tagged_field(const Field& f) {
    const std::string guard = condition(f.versions, struct_.context.meet(flexible_));
    body_.open("case " + std::to_string(*f.tag) + ":");
    if (!guard.empty()) body_.line("if (!(" + guard + ")) return field.fail(), true;");
    read(f, "field", "true");
    body_.line("return true;");
    body_.dedent();
  }

  const Table& table_;
  const Struct& struct_;
  VersionRange flexible_;
  Code body_;
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
