import Broker
import BrokerAPI

extension BrokerLock: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.lock(passphrase, caller: call.caller)
        return Answer(locked: true)
    }
}

extension BrokerUnlock: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.unlock(passphrase, caller: call.caller)
        return Answer(locked: false)
    }
}
