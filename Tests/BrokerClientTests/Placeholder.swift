// The tests of BrokerClient.
