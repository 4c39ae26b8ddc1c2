import Broker
import BrokerAPI
import FlowModel

extension CredentialRemove: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        One(FlowDocument(try await broker.remove(type, account: account, caller: call.caller)))
    }
}
