import BrokerAPI
import BrokerClient
import FlowModel
import OAuth

@testable import Terminal

extension Challenge {
    /// Returns a challenge with one step, in the form in which the flow engine sends it.
    static func step(
        _ nodes: [Node],
        type: StepType = .attributes,
        messages: [Message] = [],
        actions: [Action.Name] = [.cancel],
        refusal: Refusal? = nil
    ) -> Challenge {
        let step = Step(
            id: "st_1",
            type: type,
            title: "Title",
            nodes: nodes,
            messages: messages,
            actions: actions.map { Action($0) }
        )
        let flow = Flow(
            id: "fl_1",
            rev: 1,
            policy: "b2c_1_x",
            state: .challenge,
            expiresAt: 4_000_000_000_000,
            want: .init(),
            step: step
        )
        let error = refusal.map { BrokerError(JSONRPCError($0, correlationID: CorrelationID())) }
        return Challenge(flow: flow, step: step, refusal: error)
    }
}

/// Returns the fields of an answer, or `nil` if the answer is an action.
func fields(_ answer: Answer) -> [String: JSONValue]? {
    if case .fields(let fields) = answer { fields } else { nil }
}
