import Authority
import Broker
import BrokerAPI
import FlowModel

extension RPCDiscover: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        Answer(methods: MethodTable.methods.map(\.description.json), version: broker.version)
    }
}

extension BrokerHello: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        Answer(
            version: broker.version,
            limits: broker.limits.merging(call.limits.announced) { $1 },
            policies: broker.policies(),
            apis: broker.apis(caller: call.caller),
            trustedLoopback: broker.trustedLoopback
        )
    }

    func result(from broker: Broker, for call: Call) async throws -> MethodResult {
        MethodResult(result: Self.result(try await answer(from: broker, for: call)), hello: self)
    }
}

extension BrokerStatus: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.status(caller: call.caller)
    }
}

extension BrokerLock: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.lock.lock(passphrase, caller: call.caller)
        return Answer(locked: true)
    }
}

extension BrokerUnlock: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.lock.unlock(passphrase, caller: call.caller)
        return Answer(locked: false)
    }
}

extension PolicyList: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        broker.policies()
    }
}

extension PolicyGet: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try broker.policy(policy)
    }
}

extension SignOutRequest: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.signOuts.signOut(self, caller: call.caller)
    }
}

extension AuditQuery: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        let owner = call.caller.owner
        return try await broker.authority.events(of: owner, since: since ?? 0, limit: Int(limit ?? 100))
    }
}

extension StoreKey: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        let key = try await broker.accounts.storeKey(
            account: account,
            client: call.hello?.client,
            purpose: purpose,
            caller: call.caller
        )
        return Answer(key: key)
    }
}
