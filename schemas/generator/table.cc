#include "schemas/generator/table.h"

#include <simdjson.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "schemas/generator/naming.h"

namespace hayward::generator {
namespace {

using Json = simdjson::dom::element;

std::string text_of(Json object, const char* key) { return std::string(std::string_view(object[key])); }

bool has(Json object, const char* key) { return object.at_key(key).error() == simdjson::SUCCESS; }

std::optional<Kind> primitive(std::string_view type) {
  static const std::map<std::string_view, Kind> kinds = {
      {"bool", Kind::boolean},  {"int8", Kind::int8},   {"int16", Kind::int16},     {"uint16", Kind::uint16},
      {"int32", Kind::int32},   {"int64", Kind::int64}, {"float64", Kind::float64}, {"uuid", Kind::uuid},
      {"string", Kind::string}, {"bytes", Kind::bytes}, {"records", Kind::records},
  };
  const auto found = kinds.find(type);
  return found == kinds.end() ? std::nullopt : std::optional(found->second);
}

Default parse_default(Json value) {
  Default d;
  if (value.is_null())
    d.is_null = true;
  else if (value.is_bool())
    d.integer = bool(value) ? 1 : 0;
  else if (value.is_int64())
    d.integer = std::int64_t(value);
  else
    d.text = std::string(std::string_view(value));
  return d;
}

std::string lift_of(const Lift& lift, const std::string& message, const std::string& type, const std::string& field) {
  if (const auto m = lift.by_message.find(message); m != lift.by_message.end()) {
    if (const auto f = m->second.find(field); f != m->second.end()) return f->second;
  }
  if (const auto t = lift.by_type.find(type); t != lift.by_type.end()) {
    if (const auto f = t->second.find(field); f != t->second.end()) return f->second;
  }
  return {};
}

class Loader {
 public:
  Loader(Json json, const Lift& lift) : json_(json), lift_(lift) {}

  Table load() {
    table_.name = text_of(json_, "name");
    table_.type = text_of(json_, "type");
    table_.versions = parse_range(text_of(json_, "versions"));
    table_.flexible = parse_range(text_of(json_, "flexible"));
    if (has(json_, "key")) table_.key = static_cast<int>(std::int64_t(json_["key"]));
    if (has(json_, "structs")) {
      for (Json common : json_["structs"].get_array()) add_struct(text_of(common, "name"), common);
    }
    add_struct(table_.name, json_);
    set_contexts();
    return std::move(table_);
  }

 private:
  void add_struct(const std::string& name, Json json) {
    Struct s{name, {}, {}};
    for (Json field : json["fields"].get_array()) s.fields.push_back(parse_field(field));
    table_.structs.push_back(std::move(s));
  }

  Field parse_field(Json json) {
    Field f;
    f.name = text_of(json, "name");
    f.member = member_name(f.name);
    std::string type = text_of(json, "type");
    f.is_array = type.starts_with("[]");
    if (f.is_array) type.erase(0, 2);
    if (const auto kind = primitive(type)) {
      f.kind = *kind;
      f.lift = lift_of(lift_, table_.name, type, f.name);
    } else {
      f.kind = Kind::structure;
      f.struct_name = type;
      if (has(json, "fields")) add_struct(type, json);
      table_.find(type);  // must exist by now
    }
    f.versions = parse_range(text_of(json, "versions"));
    if (has(json, "nullable")) f.nullable = parse_range(text_of(json, "nullable"));
    if (has(json, "tag")) f.tag = static_cast<int>(std::int64_t(json["tag"]));
    if (has(json, "default")) f.fallback = parse_default(json["default"]);
    f.ignorable = has(json, "ignorable");
    f.never_compact = has(json, "flexible");
    check(f);
    return f;
  }

  void check(const Field& f) const {
    const std::string where = table_.name + "." + f.name;
    const bool can_be_null = f.is_array || f.kind == Kind::string || f.kind == Kind::bytes || f.kind == Kind::records;
    if (!f.nullable.empty() && !can_be_null) give_up(where + ": only strings, bytes and arrays can be null");
    if (f.fallback.is_null && f.nullable.empty()) give_up(where + ": null default, but not nullable");
    if (f.tag && !table_.flexible.contains(f.versions.meet(table_.versions))) give_up(where + ": tagged, not flexible");
  }

  // Outer structs come after the inner ones, so that one walk from the back reaches every use.
  void set_contexts() {
    table_.structs.back().context = table_.versions;
    for (std::size_t i = table_.structs.size(); i-- > 0;) {
      const Struct& outer = table_.structs[i];
      for (const Field& f : outer.fields) {
        if (f.kind != Kind::structure) continue;
        for (Struct& inner : table_.structs) {
          if (inner.name == f.struct_name) inner.context = inner.context.hull(outer.context.meet(f.versions));
        }
      }
    }
  }

  Json json_;
  const Lift& lift_;
  Table table_;
};

}  // namespace

void give_up(const std::string& message) {
  std::fprintf(stderr, "schema generator: %s\n", message.c_str());
  std::exit(1);
}

VersionRange parse_range(std::string_view text) {
  if (text == "none") return {};
  VersionRange range;
  const char* const end = text.data() + text.size();
  auto [at, error] = std::from_chars(text.data(), end, range.first);
  if (error != std::errc{} || range.first < 0) give_up("no version range: " + std::string(text));
  range.last = range.first;
  if (at == end) return range;
  if (*at == '+' && at + 1 == end) {
    range.last = open_end;
    return range;
  }
  const auto last = std::from_chars(at + 1, end, range.last);
  if (*at != '-' || last.ec != std::errc{} || last.ptr != end) give_up("no version range: " + std::string(text));
  return range;
}

const Struct& Table::find(std::string_view wanted) const {
  for (const Struct& s : structs) {
    if (s.name == wanted) return s;
  }
  give_up(name + ": no struct " + std::string(wanted));
}

Lift load_lift(const std::string& path) {
  Lift lift;
  try {
    simdjson::dom::parser parser;
    const Json json = parser.load(path);
    const auto fill = [](auto& into, Json object) {
      for (const auto [field, type] : object.get_object())
        into[std::string(field)] = std::string(std::string_view(type));
    };
    for (const auto [key, value] : json.get_object()) {
      if (key != "exceptions") {
        fill(lift.by_type[std::string(key)], value);
        continue;
      }
      for (const auto [message, fields] : value.get_object()) fill(lift.by_message[std::string(message)], fields);
    }
  } catch (const simdjson::simdjson_error& error) {
    give_up(path + ": " + error.what());
  }
  return lift;
}

Table load_table(const std::string& path, const Lift& lift) {
  try {
    simdjson::dom::parser parser;
    return Loader(parser.load(path), lift).load();
  } catch (const simdjson::simdjson_error& error) {
    give_up(path + ": " + error.what());
  }
}

}  // namespace hayward::generator
