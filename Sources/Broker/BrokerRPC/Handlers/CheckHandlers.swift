import Broker
import BrokerAPI
import FlowModel

extension CheckLogin: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.flows.logIn(
            check,
            policy: policy,
            account: account,
            credentials: credentials,
            submissionID: submissionID,
            caller: call.caller
        )
    }
}

extension CheckLogout: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.flows.logOut(check, policy: policy, account: account, caller: call.caller)
    }
}

extension CheckStatusQuery: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.flows.checkStatus(
            check,
            policy: policy,
            client: call.hello?.client,
            account: account,
            caller: call.caller
        )
    }
}

extension CredentialList: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.flows.credentials(type, account: account, caller: call.caller)
    }
}

extension CredentialEnrol: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        if let provider {
            try await broker.flows.link(provider, account: account, caller: call.caller)
        } else {
            try await broker.flows.enrol(type, account: account, caller: call.caller)
        }
    }
}

extension CredentialRemove: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        if let provider {
            try await broker.flows.unlink(provider, account: account, caller: call.caller)
        } else {
            try await broker.flows.remove(type, account: account, caller: call.caller)
        }
    }
}
