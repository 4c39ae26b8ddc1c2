import Broker
import BrokerAPI
import FlowModel

extension MethodTable {
    static let accounts: [Method] = [
        .anyone(AccountList.self) { _, call in try await call.broker.accounts.list(caller: call.caller) },
        .anyone(AccountGet.self) { request, call in
            try await call.broker.accounts.get(request.account, caller: call.caller)
        },
        .anyone(AccountUse.self) { request, call in
            try await call.broker.accounts.use(request.account, caller: call.caller)
        },
    ]

    static let authorities: [Method] = [
        .anyone(ImportedAccount.self) { request, call in
            try await call.broker.tokens.takeOver(request, caller: call.caller)
        },
        .anyone(NewAuthority.self) { request, call in
            try await call.broker.external.add(request, caller: call.caller)
        },
        .anyone(AuthorityList.self) { _, call in
            let external = call.broker.external
            return .init(
                authorities: try await external.list(caller: call.caller),
                redirectURI: external.redirectURI
            )
        },
        .anyone(AuthorityRemove.self) { request, call in
            let left = try await call.broker.signOuts.removeAuthority(request.name, caller: call.caller)
            return .init(removed: request.name, left: left)
        },
    ]
}
