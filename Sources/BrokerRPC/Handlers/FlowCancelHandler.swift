import Broker
import BrokerAPI

extension FlowCancel: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        let cancelled = try await broker.cancelFlow(
            flow,
            reason: reason,
            caller: call.caller
        )
        return One(FlowDocument(cancelled))
    }
}
