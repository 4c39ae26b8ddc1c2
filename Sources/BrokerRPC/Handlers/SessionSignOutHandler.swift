import Broker
import BrokerAPI
import FlowModel

extension SignOutRequest: HandledMethod {
    /// Signs out; issued tokens are always revoked, so that `revoke` makes no difference.
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.signOut(self, caller: call.caller)
    }
}
