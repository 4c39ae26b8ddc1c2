public import AuthorityStore
public import FlowModel

/// What a caller gives with the success of a flow, and what it makes its own answer of once that is on the disk.
public struct Conclusion<Value: Sendable>: Sendable {
    let rows: FlowConclusion
    let value: Value

    /// Gives something with the success of a flow, in the transaction that writes it.
    ///
    /// - Parameters:
    ///   - grant: The answer to the request that waits for the flow; nil if nothing is granted.
    ///   - handOvers: The changes of the browser's session cookie, in order.
    ///   - value: What the caller gets back if that was written.
    public init(granting grant: Issue? = nil, handingOver handOvers: [SessionHandOver] = [], _ value: Value) {
        rows = FlowConclusion(grant: grant, handOvers: handOvers)
        self.value = value
    }
}

/// Decides what is given with the success of a flow, shortly before that is written; nil gives nothing with it.
///
/// It asks nobody outside and changes nothing. What it throws keeps no flow from succeeding: the caller meets it again when
/// it gives afterwards what could not be given at once.
public typealias Conclude<Value: Sendable> =
    @Sendable (_ outcome: FlowOutcome, _ authentication: Authentication) async throws -> Conclusion<Value>?

/// A flow as it was loaded just now, which an answer need not load again.
public struct LoadedFlow: Sendable {
    /// The flow, with its open step.
    public let flow: Flow
    /// The same as the store has it; nil for a sign-in at an external authority.
    let stored: StoredFlow?
}
