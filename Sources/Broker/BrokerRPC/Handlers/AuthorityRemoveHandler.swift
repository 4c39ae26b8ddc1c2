import Broker
import BrokerAPI

extension AuthorityRemove: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        Answer(removed: name, left: try await broker.removeAuthority(name, caller: call.caller))
    }
}
