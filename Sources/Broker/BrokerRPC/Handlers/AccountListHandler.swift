import Broker
import BrokerAPI
import FlowModel

extension AccountList: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        Many(try await broker.accounts(caller: call.caller))
    }
}
