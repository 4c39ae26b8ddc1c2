public import AuthorityStore
public import FlowModel

/// The grant that a caller makes when a flow succeeds, and the value that the caller needs for its own response.
public struct Conclusion<Value: Sendable>: Sendable {
    let rows: FlowConclusion
    let value: Value

    /// Creates a grant to write in the same transaction as the flow's success.
    ///
    /// - Parameters:
    ///   - grant: The answer to the authorization request that is waiting for the flow, or `nil` to grant nothing.
    ///   - handOvers: The changes to the browser's session cookie, in order.
    ///   - value: The value that the caller gets back once the grant is on disk.
    public init(granting grant: Issue? = nil, handingOver handOvers: [SessionHandOver] = [], _ value: Value) {
        rows = FlowConclusion(grant: grant, handOvers: handOvers)
        self.value = value
    }
}

/// Decides what to grant, just before the success of a flow is written.
///
/// The function returns `nil` to grant nothing. It must not call external services or change anything. An error does
/// not prevent the flow from succeeding. The caller gets the same error when it later tries to make the grant itself.
public typealias Conclude<Value: Sendable> =
    @Sendable (_ outcome: FlowOutcome, _ authentication: Authentication) async throws -> Conclusion<Value>?

/// A flow that has just been loaded, so that an answer does not have to load it again.
public struct LoadedFlow: Sendable {
    /// The flow, with its open step.
    public let flow: Flow
    /// The stored flow, or `nil` for a sign-in at an external authority.
    let stored: StoredFlow?
}
