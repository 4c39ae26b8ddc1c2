import Broker
import BrokerAPI
import FlowModel

extension FlowWait: HandledMethod {
    func answer(from broker: Broker, for call: Call) async throws -> Answer {
        let known: Int
        if let sinceRev {
            known = Int(sinceRev)
        } else {
            known = try await broker.getFlow(flow, caller: call.caller).rev
        }
        let newer = try await broker.waitFlow(
            flow,
            sinceRev: known,
            timeout: .milliseconds(timeoutMs),
            caller: call.caller
        )
        return One(FlowDocument(newer))
    }
}
