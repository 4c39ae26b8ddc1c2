import Broker
import BrokerAPI
import FlowModel

extension SignOutRequest: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.signOut(self, caller: call.caller)
    }
}
