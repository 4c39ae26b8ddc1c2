import Broker
import BrokerAPI

extension BrokerLock: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.cacheLock.lock(passphrase, caller: call.caller)
        return Answer(locked: true)
    }
}

extension BrokerUnlock: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.cacheLock.unlock(passphrase, caller: call.caller)
        return Answer(locked: false)
    }
}
