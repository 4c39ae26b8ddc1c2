import Broker
import BrokerAPI
import FlowModel
import Flows

extension FlowWait: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        let owner = call.caller.owner
        let known: Int
        if let sinceRev {
            known = Int(sinceRev)
        } else {
            known = try await broker.flows.get(flow, owner: owner).rev
        }
        let newer = try await broker.wait(flow, sinceRev: known, timeout: .milliseconds(timeoutMs), call.caller)
        return One(FlowDocument(newer))
    }
}
