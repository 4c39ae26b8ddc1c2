import Broker
import BrokerAPI

extension StoreKey: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        let key = try await broker.storeKey(
            account: account,
            client: call.hello?.client,
            purpose: purpose,
            caller: call.caller
        )
        return Answer(key: key)
    }
}
