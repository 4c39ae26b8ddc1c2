import Broker
import BrokerAPI
import FlowModel

extension CredentialList: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        Many(try await broker.credentials(type, account: account, caller: call.caller))
    }
}
