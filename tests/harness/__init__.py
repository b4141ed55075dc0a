"""What the tests that need real Apache Kafka share: the jars, one long-lived JVM, processes under test."""
