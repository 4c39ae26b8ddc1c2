import Broker
import BrokerAPI
import FlowModel

extension NewAuthority: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        Answer(try await broker.addAuthority(self, caller: call.caller))
    }
}
