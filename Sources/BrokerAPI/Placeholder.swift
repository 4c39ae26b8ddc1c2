// BrokerAPI
