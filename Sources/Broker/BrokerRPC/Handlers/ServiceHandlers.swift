import Authority
import Broker
import BrokerAPI
import FlowModel

extension MethodTable {
    static let service: [Method] = [
        .anyone(RPCDiscover.self) { _, call in
            .init(methods: methods.map(\.description.json), version: call.broker.version)
        },
        .connected(BrokerHello.self) { hello, call in
            let broker = call.broker
            let answer = BrokerHello.Answer(
                version: broker.version,
                limits: broker.limits.merging(call.limits.announced) { $1 },
                policies: broker.policies(),
                apis: broker.apis(caller: call.caller),
                trustedLoopback: broker.trustedLoopback
            )
            return MethodResult(result: BrokerHello.result(answer), hello: hello)
        },
        .anyone(BrokerStatus.self) { _, call in try await call.broker.status(caller: call.caller) },
        .anyone(BrokerLock.self) { request, call in
            try await call.broker.lock.lock(request.passphrase, caller: call.caller)
            return LockAnswer(locked: true)
        },
        .anyone(BrokerUnlock.self) { request, call in
            try await call.broker.lock.unlock(request.passphrase, caller: call.caller)
            return LockAnswer(locked: false)
        },
        .anyone(PolicyList.self) { _, call in call.broker.policies() },
        .anyone(PolicyGet.self) { request, call in try call.broker.policy(request.policy) },
    ]

    static let records: [Method] = [
        // While the cache is locked, signing out of all accounts works, but signing out of individual accounts fails.
        .anyone(SignOutRequest.self) { request, call in
            try await call.broker.signOuts.signOut(request, caller: call.caller)
        },
        .anyone(AuditQuery.self) { request, call in
            let (since, limit) = (request.since ?? 0, Int(request.limit ?? 100))
            return try await call.broker.authority.events(of: call.caller.owner, since: since, limit: limit)
        },
        .anyone(StoreKey.self) { request, call in
            let key = try await call.broker.accounts.storeKey(
                account: request.account,
                client: call.hello?.client,
                purpose: request.purpose,
                caller: call.caller
            )
            return StoreKey.Answer(key: key)
        },
    ]
}
