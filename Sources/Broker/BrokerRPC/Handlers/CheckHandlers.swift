import Broker
import BrokerAPI
import FlowModel

extension MethodTable {
    static let checks: [Method] = [
        .anyone(CheckLogin.self) { request, call in
            try await call.broker.flows.logIn(
                request.check,
                policy: request.policy,
                account: request.account,
                credentials: request.credentials,
                submissionID: request.submissionID,
                caller: call.caller
            )
        },
        .anyone(CheckLogout.self) { request, call in
            try await call.broker.flows.logOut(
                request.check,
                policy: request.policy,
                account: request.account,
                caller: call.caller
            )
        },
        .anyone(CheckStatusQuery.self) { request, call in
            try await call.broker.flows.checkStatus(
                request.check,
                policy: request.policy,
                client: call.hello?.client,
                account: request.account,
                caller: call.caller
            )
        },
        .anyone(CredentialList.self) { request, call in
            try await call.broker.flows.credentials(request.type, account: request.account, caller: call.caller)
        },
        .anyone(CredentialEnrol.self) { request, call in
            let (flows, account) = (call.broker.flows, request.account)
            guard let provider = request.provider else {
                return try await flows.enrol(request.type, account: account, caller: call.caller)
            }
            return try await flows.link(provider, account: account, caller: call.caller)
        },
        .anyone(CredentialRemove.self) { request, call in
            let (flows, account) = (call.broker.flows, request.account)
            guard let provider = request.provider else {
                return try await flows.remove(request.type, account: account, caller: call.caller)
            }
            return try await flows.unlink(provider, account: account, caller: call.caller)
        },
    ]
}
