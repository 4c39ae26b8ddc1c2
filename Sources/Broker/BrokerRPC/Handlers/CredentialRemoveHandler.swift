import Broker
import BrokerAPI
import FlowModel

extension CredentialRemove: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        let flow =
            if let provider {
                try await broker.unlink(provider, account: account, caller: call.caller)
            } else {
                try await broker.remove(type, account: account, caller: call.caller)
            }
        return One(FlowDocument(flow))
    }
}
