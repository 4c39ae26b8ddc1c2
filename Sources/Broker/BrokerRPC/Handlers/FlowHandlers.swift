import Broker
import BrokerAPI
import FlowModel
import Flows

extension StartFlowRequest: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.startFlow(self, client: call.hello?.client, caller: call.caller)
    }
}

extension FlowGet: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.flows.engine.get(flow, owner: call.caller.owner)
    }
}

extension FlowWait: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        let owner = call.caller.owner
        let known: Int
        if let sinceRev {
            known = Int(sinceRev)
        } else {
            known = try await broker.flows.engine.get(flow, owner: owner).rev
        }
        return try await broker.flows.wait(flow, sinceRev: known, timeout: .milliseconds(timeoutMs), call.caller)
    }
}

extension FlowList: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.flows.engine.list(owner: call.caller.owner)
    }
}

extension FlowSubmission: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.flows.submit(self, caller: call.caller)
    }
}

extension FlowAction: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.flows.act(self, caller: call.caller).flow
    }
}

extension FlowCancel: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        try await broker.flows.engine.cancel(flow, caller: call.caller, reason: reason)
    }
}
