import Broker
import BrokerAPI

extension TokenSubscribe: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer { Answer() }

    func result(from broker: Broker, for call: Call) async throws -> MethodResult {
        let subscription = try await broker.subscribe(account: account, caller: call.caller)
        return MethodResult(result: try await answer(from: broker, for: call).json, subscription: subscription)
    }
}
