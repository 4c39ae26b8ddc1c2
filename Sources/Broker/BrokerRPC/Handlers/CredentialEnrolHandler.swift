import Broker
import BrokerAPI
import FlowModel

extension CredentialEnrol: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        let flow =
            if let provider {
                try await broker.link(provider, account: account, caller: call.caller)
            } else {
                try await broker.enrol(type, account: account, caller: call.caller)
            }
        return One(FlowDocument(flow))
    }
}
