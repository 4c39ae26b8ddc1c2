import Broker
import BrokerAPI

extension KeysRevoke: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        Many(try await broker.revokeKey(kid, caller: call.caller))
    }
}
