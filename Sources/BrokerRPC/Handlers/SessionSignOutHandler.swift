import Broker
import BrokerAPI
import FlowModel

extension SignOutRequest: HandledMethod {
    /// Issued tokens are always revoked, so `revoke` asks for nothing more.
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.signOut(self, caller: call.caller)
    }
}
