import Broker
import BrokerAPI
import FlowModel

extension TokenList: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        Many(try await broker.tokens(account: account, caller: call.caller))
    }
}
