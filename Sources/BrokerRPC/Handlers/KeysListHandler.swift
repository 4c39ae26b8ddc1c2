import Broker
import BrokerAPI

extension KeysList: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        let keys = try await broker.keys(caller: call.caller)
        return Many(keys.map(KeySummary.init))
    }
}

extension KeySummary {
    init(_ answer: KeyAnswer) {
        self.init(
            kid: answer.kid,
            alg: answer.alg,
            state: answer.state,
            publishedAt: answer.publishedAt,
            activeFrom: answer.activeFrom,
            retiredAt: answer.retiredAt,
            removeAt: answer.removeAt
        )
    }
}
