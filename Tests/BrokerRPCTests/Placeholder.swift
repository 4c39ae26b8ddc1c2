// The tests of BrokerRPC.
