import Broker
import BrokerAPI
import FlowModel

extension CheckLogout: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.logOut(check, policy: policy, account: account, caller: call.caller)
    }
}
