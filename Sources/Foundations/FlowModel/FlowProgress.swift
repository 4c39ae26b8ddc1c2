/// The outcome of submitting an answer or taking an action in a flow.
public struct FlowProgress: Hashable, Sendable {
    /// The flow in its new state.
    public var flow: Flow
    /// The verdict on the answer or action.
    public let verdict: Verdict
    /// The token, if `token.acquire` started the flow and the flow has succeeded.
    public let token: AcquiredToken?

    /// Creates a description of the outcome of an answer or an action.
    public init(flow: Flow, verdict: Verdict, token: AcquiredToken?) {
        self.flow = flow
        self.verdict = verdict
        self.token = token
    }
}
