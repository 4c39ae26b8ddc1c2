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

extension AuthorityList: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        Answer(
            authorities: try await broker.external.list(caller: call.caller),
            redirectURI: broker.external.redirectURI
        )
    }
}

extension NewAuthority: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.external.add(self, caller: call.caller)
    }
}

extension AuthorityRemove: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        Answer(removed: name, left: try await broker.signOuts.removeAuthority(name, caller: call.caller))
    }
}
