import Broker
import BrokerAPI

extension BrokerStatus: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        let status = try await broker.status(caller: call.caller)
        return Answer(
            version: status.version,
            uptimeMs: status.uptimeMs,
            policies: status.policies,
            counts: status.counts,
            locked: status.isLocked
        )
    }
}
