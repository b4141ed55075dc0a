// The format plan: defaults by release, the three ways to begin a quorum, and every contradiction refused.
#include "tools/format/plan.h"

#include <gtest/gtest.h>

namespace hayward::tools {
namespace {

const DirectoryId fresh{Uuid{7, 7}};

config::ServerConfig configuration(const std::string& voters = "") {
  Properties p{{"process.roles", "controller"},
               {"node.id", "3000"},
               {"controller.listener.names", "CONTROLLER"},
               {"listeners", "CONTROLLER://127.0.0.1:9093"},
               {"controller.quorum.bootstrap.servers", "127.0.0.1:9093"},
               {"log.dirs", "/data"}};
  if (!voters.empty()) p["controller.quorum.voters"] = voters;
  auto config = config::read_server_config(p);
  EXPECT_TRUE(config.has_value());
  return *config;
}

FormatArguments standalone() {
  FormatArguments a;
  a.cluster_id = "cluster";
  a.standalone = true;
  return a;
}

std::string fault(const FormatArguments& a, const config::ServerConfig& c = configuration()) {
  const auto plan = plan_format(a, c, fresh);
  return plan ? "" : plan.error();
}

TEST(FormatPlan, StandaloneWithTheLatestRelease) {
  const auto plan = plan_format(standalone(), configuration(), fresh);
  ASSERT_TRUE(plan.has_value()) << plan.error();
  const std::map<std::string, std::int16_t> expected{{"eligible.leader.replicas.version", 1}, {"group.version", 1},
                                                     {"metadata.version", 30},                {"share.version", 1},
                                                     {"streams.version", 1},                  {"transaction.version", 2}};
  EXPECT_EQ(plan->features, expected);
  EXPECT_EQ(plan->kraft_version, 1);
  ASSERT_EQ(plan->voters.size(), 1u);
  EXPECT_EQ(plan->voters[0].directory, fresh);
  EXPECT_EQ(plan->voters[0].endpoints[0].port, 9093);
  EXPECT_EQ(plan->bootstrap_records().size(), 6u);
}

TEST(FormatPlan, OlderReleaseHasItsOwnDefaults) {
  auto a = standalone();
  a.release_version = "3.9";
  const auto plan = plan_format(a, configuration(), fresh);
  ASSERT_TRUE(plan.has_value()) << plan.error();
  const std::map<std::string, std::int16_t> expected{{"metadata.version", 21}};
  EXPECT_EQ(plan->features, expected);
}

TEST(FormatPlan, InitialControllers) {
  FormatArguments a;
  a.cluster_id = "cluster";
  a.initial_controllers = "3001@b:9093:AAAAAAAAAAAAAAAAAAACLQ,3000@a:9093:AAAAAAAAAAAAAAAAAAABLQ";
  const auto plan = plan_format(a, configuration(), fresh);
  ASSERT_TRUE(plan.has_value()) << plan.error();
  ASSERT_EQ(plan->voters.size(), 2u);
  EXPECT_EQ(plan->voters[0].id, NodeId{3000});
  EXPECT_EQ(plan->metadata_directory_id.to_string(), "AAAAAAAAAAAAAAAAAAABLQ");
  EXPECT_EQ(plan->voters[1].endpoints[0].listener, "CONTROLLER");
  a.initial_controllers = "3000@a:9093:AAAAAAAAAAAAAAAAAAABLQ,3000@b:9093:AAAAAAAAAAAAAAAAAAACLQ";
  EXPECT_NE(fault(a).find("once"), std::string::npos);
  a.initial_controllers = "3000@a:9093";
  EXPECT_NE(fault(a).find("id@host:port:directoryId"), std::string::npos);
}

TEST(FormatPlan, ContradictionsAreRefused) {  // cases.md row 85
  const auto with_voters = configuration("3000@127.0.0.1:9093");
  EXPECT_NE(fault(standalone(), with_voters).find("two quorums"), std::string::npos);
  FormatArguments none;
  none.cluster_id = "cluster";
  EXPECT_EQ(fault(none, with_voters), "");
  EXPECT_NE(fault(none).find("--standalone"), std::string::npos);
  auto both = standalone();
  both.no_initial_controllers = true;
  EXPECT_NE(fault(both).find("one of"), std::string::npos);
  auto kraft = standalone();
  kraft.features = {"kraft.version=0"};
  EXPECT_NE(fault(kraft).find("kraft.version: expected 1"), std::string::npos);
  auto twice = standalone();
  twice.release_version = "4.3";
  twice.features = {"metadata.version=30"};
  EXPECT_NE(fault(twice).find("found both"), std::string::npos);
}

// cases.md row 85: what says who votes. Any two of these are refused, but for the one that says nothing beside the
// configured voters; the reason names what does not go together.
TEST(FormatPlan, Row85_EveryPairThatNamesTwoVoterSetsIsRefused) {
  struct Way {
    const char* name;
    void (*set)(FormatArguments&);
  };
  const Way ways[] = {
      {"--standalone", [](FormatArguments& a) { a.standalone = true; }},
      {"--initial-controllers",
       [](FormatArguments& a) { a.initial_controllers = "3000@127.0.0.1:9093:AAAAAAAAAAAAAAAAAAABLQ"; }},
      {"--no-initial-controllers", [](FormatArguments& a) { a.no_initial_controllers = true; }},
  };
  for (const Way& one : ways) {
    for (const Way& other : ways) {
      if (one.name == other.name) continue;
      FormatArguments a;
      a.cluster_id = "cluster";
      one.set(a);
      other.set(a);
      const std::string why = fault(a);
      EXPECT_NE(why.find(one.name), std::string::npos) << one.name << ' ' << other.name << ": " << why;
      EXPECT_NE(why.find(other.name), std::string::npos) << one.name << ' ' << other.name << ": " << why;
    }
    FormatArguments a;
    a.cluster_id = "cluster";
    one.set(a);
    const std::string why = fault(a, configuration("3000@127.0.0.1:9093"));
    if (a.no_initial_controllers) {
      EXPECT_EQ(why, "");
    } else {
      EXPECT_NE(why.find(one.name), std::string::npos) << why;
      EXPECT_NE(why.find("controller.quorum.voters"), std::string::npos) << why;
    }
  }
}

TEST(FormatPlan, FeaturesAreChecked) {
  for (const char* bad : {"group.version=9", "nonsense=1", "group.version", "metadata.version=99", "metadata.version=31"}) {
    auto a = standalone();
    a.features = {bad};
    EXPECT_NE(fault(a), "") << bad;
  }
  auto a = standalone();
  a.release_version = "3.9";
  a.features = {"eligible.leader.replicas.version=1"};
  EXPECT_NE(fault(a).find("4.0-IV1"), std::string::npos) << fault(a);
}

TEST(Scram, DerivesTheKeysOfRfc7677) {
  // RFC 7677's example: user "user", password "pencil", 4096 iterations.
  const auto c = parse_scram("SCRAM-SHA-256=[name=user,password=pencil,iterations=4096,salt=W22ZaJ0SNY7soEsUEjb6gQ==]");
  ASSERT_TRUE(c.has_value()) << c.error();
  const std::string stored = "WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=";
  const std::string server = "wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=";
  const auto again = parse_scram("SCRAM-SHA-256=[name=x,saltedpassword=" + stored + ",salt=" + server + "]");
  ASSERT_TRUE(again.has_value()) << again.error();
  EXPECT_EQ(again->salt, c->server_key) << "base64 of the RFC's server key";
  const auto keys = parse_scram("SCRAM-SHA-256=[name=x,password=p,salt=" + stored + "]");
  ASSERT_TRUE(keys.has_value());
  EXPECT_EQ(keys->salt, c->stored_key) << "base64 of the RFC's stored key";
}

TEST(Scram, FaultsAreNamed) {
  for (const char* bad : {"", "SCRAM-SHA-1=[name=a,password=b]", "SCRAM-SHA-256=name=a", "SCRAM-SHA-256=[password=b]",
                          "SCRAM-SHA-256=[name=a]", "SCRAM-SHA-256=[name=a,password=b,iterations=100]",
                          "SCRAM-SHA-256=[name=a,saltedpassword=AAAA]", "SCRAM-SHA-256=[name=a,password=b,salt=?]",
                          "SCRAM-SHA-256=[name=a,password=b,color=red]"})
    EXPECT_FALSE(parse_scram(bad).has_value()) << bad;
  auto old = standalone();
  old.release_version = "3.4";
  old.scram = {"SCRAM-SHA-256=[name=a,password=b]"};
  EXPECT_NE(fault(old).find("3.5-IV2"), std::string::npos);
}

}  // namespace
}  // namespace hayward::tools
