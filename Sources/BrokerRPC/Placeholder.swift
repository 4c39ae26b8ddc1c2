// BrokerRPC
