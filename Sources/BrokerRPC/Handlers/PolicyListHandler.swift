import Broker
import BrokerAPI

extension PolicyList: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        Many(broker.policies().map(PolicySummary.init))
    }
}

extension PolicySummary {
    init(_ answer: PolicyAnswer) {
        self.init(
            policy: answer.policy,
            kind: answer.kind,
            displayName: answer.displayName,
            issuer: answer.issuer,
            available: answer.isAvailable,
            missing: answer.missing
        )
    }
}
