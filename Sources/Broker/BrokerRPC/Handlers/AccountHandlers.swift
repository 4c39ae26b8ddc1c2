import Broker
import BrokerAPI
import FlowModel

extension AccountList: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.accounts.list(caller: call.caller)
    }
}

extension AccountGet: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.accounts.get(account, caller: call.caller)
    }
}

extension AccountUse: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.accounts.use(account, caller: call.caller)
    }
}

extension ImportedAccount: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.tokens.takeOver(self, caller: call.caller)
    }
}
