import Broker
import BrokerAPI
import FlowModel

extension CheckStatusQuery: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.checkStatus(
            check,
            policy: policy,
            client: call.hello?.client,
            account: account,
            caller: call.caller
        )
    }
}
