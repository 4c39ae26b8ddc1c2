public import AuthorityStore
public import FlowModel

/// The grant to make when a flow succeeds, and the value that the caller needs for its own response.
public struct Conclusion<Value: Sendable>: Sendable {
    let rows: FlowConclusion
    let value: Value

    /// Creates a conclusion that is written in the same transaction as the flow's success.
    ///
    /// `grant` answers the waiting authorization request, or is `nil` if nothing is granted. `handOvers` are the
    /// changes to the browser's session cookie, in order. The caller gets `value` back once the grant is on disk.
    public init(granting grant: Issue? = nil, handingOver handOvers: [SessionHandOver] = [], _ value: Value) {
        rows = FlowConclusion(grant: grant, handOvers: handOvers)
        self.value = value
    }
}

/// A function that decides what to grant when a flow succeeds, or returns `nil` to grant nothing.
///
/// The function must not call external services or change anything. If it throws, the flow still succeeds, and the
/// caller gets the same error when it later tries to make the grant itself.
public typealias Conclude<Value: Sendable> =
    @Sendable (_ outcome: FlowOutcome, _ authentication: Authentication) async throws -> Conclusion<Value>?

/// A flow that has just been loaded, so that it does not have to be loaded again when an answer is submitted.
public struct LoadedFlow: Sendable {
    /// The flow, with its open step.
    public let flow: Flow
    /// The stored flow, or `nil` if the flow is a sign-in at an external authority.
    let stored: StoredFlow?
}
