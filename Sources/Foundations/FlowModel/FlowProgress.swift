/// The outcome of an answer or an action.
public struct FlowProgress: Hashable, Sendable {
    /// The flow as it is now.
    public var flow: Flow
    /// The verdict on the answer.
    public let verdict: Verdict
    /// The token, where the flow came from `token.acquire` and has ended with success.
    public let token: AcquiredToken?

    /// The outcome of an answer or an action.
    public init(flow: Flow, verdict: Verdict, token: AcquiredToken?) {
        self.flow = flow
        self.verdict = verdict
        self.token = token
    }
}
