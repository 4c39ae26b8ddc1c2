import Broker
import BrokerAPI
import FlowModel

extension CredentialEnrol: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        One(FlowDocument(try await broker.enrol(type, account: account, caller: call.caller)))
    }
}
