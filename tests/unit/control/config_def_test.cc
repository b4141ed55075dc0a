// Config values: types, ranges, lists, and how they are shown; the rules that bind topic keys together.
#include "engine/core/control/config_def.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/core/control/broker_configs.h"
#include "engine/core/control/client_metrics_configs.h"
#include "engine/core/control/group_configs.h"
#include "engine/core/control/topic_configs.h"

namespace hayward::core {
namespace {

std::string shown(std::span<const ConfigKey> keys, std::string_view key, std::string_view value) {
  return canonical_value(*find_key(keys, key), value).value_or("refused");
}
std::string topic(std::string_view key, std::string_view value) { return shown(topic_config_keys(), key, value); }

TEST(ConfigDef, TablesAreSortedAndTheirDefaultsAreValid) {
  for (const auto keys : {topic_config_keys(), group_config_keys(), client_metrics_config_keys()}) {
    EXPECT_TRUE(std::ranges::is_sorted(keys, {}, &ConfigKey::name));
    for (const ConfigKey& key : keys) {
      if (!key.default_value) continue;
      EXPECT_EQ(canonical_value(key, *key.default_value).value_or("refused"), *key.default_value);
    }
  }
  EXPECT_EQ(broker_config_keys().size(), 360u);
  EXPECT_TRUE(std::ranges::is_sorted(broker_config_keys(), {}, &BrokerKey::name));
  for (const BrokerKey& key : broker_config_keys()) {
    if (!key.default_value) continue;
    EXPECT_EQ(canonical_value({key.name, key.type, {}}, *key.default_value).value_or("refused"), *key.default_value);
  }
}

TEST(ConfigDef, TablesAgreeWithWhatReplayLetsPass) {
  const auto check = [](ConfigResourceType type, std::span<const ConfigKey> keys) {
    for (const ConfigKey& key : keys)
      EXPECT_TRUE(is_supported_config(static_cast<std::int8_t>(type), key.name)) << key.name;
    EXPECT_FALSE(is_supported_config(static_cast<std::int8_t>(type), "nonsense"));
  };
  check(ConfigResourceType::topic, topic_config_keys());
  check(ConfigResourceType::group, group_config_keys());
  check(ConfigResourceType::client_metrics, client_metrics_config_keys());
}

TEST(ConfigDef, EverySynonymIsABrokerKey) {
  for (const ConfigKey& key : topic_config_keys()) {
    const auto synonym = broker_synonym_of_topic_config(key.name);
    EXPECT_TRUE(synonym.empty() || find_broker_key(synonym) != nullptr) << synonym;
  }
  for (const ConfigKey& key : group_config_keys()) {
    const auto synonym = broker_synonym_of_group_config(key.name);
    EXPECT_TRUE(synonym.empty() || find_broker_key(synonym) != nullptr) << synonym;
  }
}

TEST(ConfigDef, Numbers) {
  EXPECT_EQ(topic("retention.ms", " 007 "), "7");
  EXPECT_EQ(topic("retention.ms", "+7"), "7");
  EXPECT_EQ(topic("retention.ms", "-1"), "-1");
  EXPECT_EQ(topic("retention.ms", "9223372036854775807"), "9223372036854775807");
  for (const std::string_view bad : {"", "-2", "9223372036854775808", "1.5", "1e3", "+-1", "0x10", "7 7", "seven"}) {
    EXPECT_EQ(topic("retention.ms", bad), "refused") << bad;
  }
  EXPECT_EQ(topic("segment.bytes", "2147483648"), "refused");
  EXPECT_EQ(topic("segment.bytes", "1048575"), "refused");
  EXPECT_EQ(topic("compression.gzip.level", "-1"), "-1");
  EXPECT_EQ(topic("compression.gzip.level", "0"), "refused");
  EXPECT_EQ(topic("compression.gzip.level", "9"), "9");
  EXPECT_EQ(topic("compression.gzip.level", "10"), "refused");
}

TEST(ConfigDef, Doubles) {
  EXPECT_EQ(topic("min.cleanable.dirty.ratio", "1"), "1.0");
  EXPECT_EQ(topic("min.cleanable.dirty.ratio", ".25"), "0.25");
  EXPECT_EQ(topic("min.cleanable.dirty.ratio", "1e-5"), "1.0E-5");
  EXPECT_EQ(topic("min.cleanable.dirty.ratio", "1.01"), "refused");
  EXPECT_EQ(topic("min.cleanable.dirty.ratio", "NaN"), "refused");
  EXPECT_EQ(format_double(12345678.5), "1.23456785E7");
  EXPECT_EQ(format_double(1234567.25), "1234567.25");
  EXPECT_EQ(format_double(0.001), "0.001");
  EXPECT_EQ(format_double(0), "0.0");
}

TEST(ConfigDef, BooleansStringsAndLists) {
  EXPECT_EQ(topic("preallocate", " TRUE"), "true");
  EXPECT_EQ(topic("preallocate", "yes"), "refused");
  EXPECT_EQ(topic("compression.type", " zstd "), "zstd");
  EXPECT_EQ(topic("compression.type", "rar"), "refused");
  EXPECT_EQ(topic("cleanup.policy", " compact , delete "), "compact,delete");
  EXPECT_EQ(topic("cleanup.policy", "compact,compact"), "compact");
  EXPECT_EQ(topic("cleanup.policy", ""), "");
  EXPECT_EQ(topic("cleanup.policy", "compact,"), "refused");
  EXPECT_EQ(topic("cleanup.policy", "keep"), "refused");
  EXPECT_EQ(topic("leader.replication.throttled.replicas", "*"), "*");
  EXPECT_EQ(topic("leader.replication.throttled.replicas", "0:1,1:2"), "0:1,1:2");
  EXPECT_EQ(topic("leader.replication.throttled.replicas", "0:1,1"), "refused");
  EXPECT_EQ(topic("leader.replication.throttled.replicas", "*,0:1"), "refused");
}

TEST(ConfigDef, Durations) {
  for (const std::string_view good :
       {"earliest", "latest", "by_duration:PT1H30M", "by_duration:P2D", "by_duration:P1DT0.5S"}) {
    EXPECT_EQ(shown(group_config_keys(), "share.auto.offset.reset", good), good);
  }
  for (const std::string_view bad :
       {"none", "by_duration", "by_duration:", "by_duration:P", "by_duration:PT", "by_duration:1H", "by_duration:PT-1H",
        "by_duration:P1H", "by_duration:PT1M1H", "by_duration:PT1"}) {
    EXPECT_EQ(shown(group_config_keys(), "share.auto.offset.reset", bad), "refused") << bad;
  }
}

class TopicRules : public ::testing::Test {
 protected:
  bool valid(const ConfigMap& proposed, const ConfigMap* existing = nullptr) {
    BrokerLayers layers;
    layers.statics = &statics_;
    return !validate_topic_configs(proposed, existing, layers).has_value();
  }
  std::map<std::string, std::string> statics_;
};

TEST_F(TopicRules, CompactionLags) {
  EXPECT_FALSE(valid({{"min.compaction.lag.ms", "10"}, {"max.compaction.lag.ms", "9"}}));
  EXPECT_TRUE(valid({{"min.compaction.lag.ms", "10"}, {"max.compaction.lag.ms", "10"}}));
  statics_["log.cleaner.max.compaction.lag.ms"] = "5";
  EXPECT_FALSE(valid({{"min.compaction.lag.ms", "10"}})) << "against the node's own default";
}

TEST_F(TopicRules, RemoteStorage) {
  EXPECT_FALSE(valid({{"remote.storage.enable", "true"}}));
  statics_["remote.log.storage.system.enable"] = "true";
  EXPECT_TRUE(valid({{"remote.storage.enable", "true"}}));
  EXPECT_FALSE(valid({{"remote.storage.enable", "true"}, {"cleanup.policy", "compact"}}));
  EXPECT_TRUE(valid({{"remote.storage.enable", "true"}, {"cleanup.policy", ""}}));
  EXPECT_FALSE(valid({{"remote.storage.enable", "true"}, {"retention.ms", "5"}, {"local.retention.ms", "6"}}));
  EXPECT_FALSE(valid({{"remote.storage.enable", "true"}, {"retention.bytes", "5"}, {"local.retention.bytes", "-1"}}));
  EXPECT_TRUE(valid({{"remote.storage.enable", "true"}, {"retention.bytes", "5"}, {"local.retention.bytes", "5"}}));
  const ConfigMap copied = {{"remote.storage.enable", "true"},
                            {"remote.log.copy.disable", "true"},
                            {"retention.ms", "5"},
                            {"local.retention.ms", "4"}};
  EXPECT_FALSE(valid(copied));
  const ConfigMap was = {{"remote.storage.enable", "true"}};
  EXPECT_FALSE(valid({}, &was));
  EXPECT_TRUE(valid({{"remote.log.delete.on.disable", "true"}}, &was));
}

TEST(BrokerConfigs, TypesOfListenerKeysAndOfDynamicOnes) {
  EXPECT_EQ(broker_config_type("listener.name.x.ssl.key.password"), ConfigType::password);
  EXPECT_EQ(broker_config_type("listener.name.x.plain.sasl.jaas.config"), ConfigType::password);
  EXPECT_EQ(broker_config_type("leader.replication.throttled.rate"), ConfigType::long_integer);
  EXPECT_EQ(broker_config_type("strange"), ConfigType::unknown);
  EXPECT_EQ(broker_config_type("listener.name.x"), ConfigType::unknown);
}

TEST(BrokerConfigs, ADynamicRecordOfAFixedKeyHasNoEffect) {
  const ConfigMap dynamic = {{"num.partitions", "9"}, {"max.connections", "5"}};
  BrokerLayers layers;
  layers.cluster_default = &dynamic;
  EXPECT_EQ(broker_integer(layers, "num.partitions"), 1);
  EXPECT_EQ(broker_integer(layers, "max.connections"), 5);
}

}  // namespace
}  // namespace hayward::core
