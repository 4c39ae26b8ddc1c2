import Broker
import BrokerAPI

extension KeysRevoke: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        let keys = try await broker.revokeKey(kid, caller: call.caller)
        return Many(keys.map(KeySummary.init))
    }
}
