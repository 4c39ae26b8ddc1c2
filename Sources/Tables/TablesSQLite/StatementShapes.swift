import Synchronization

/// Decides which of the statements that clients' queries make are kept compiled.
///
/// The database keeps what it is told to keep for as long as it is open, so that must have a bound: a statement is kept
/// from its second use on while there is room. Who sends ever new shapes of queries pays for compiling them, nothing else.
public final class StatementShapes: Sendable {
    /// Most statements of queries that are kept.
    static let limit = 512
    /// Most texts of which a first use is remembered.
    static let remembered = 1024

    private struct State {
        var kept: Set<String> = []
        var seen: Set<String> = []
    }

    private let state = Mutex(State())

    /// Nothing is kept yet.
    public init() {}

    /// True if the statement is to be kept compiled.
    func keeps(_ sql: String) -> Bool {
        state.withLock { state in
            if state.kept.contains(sql) { return true }
            guard state.kept.count < Self.limit else { return false }
            if state.seen.remove(sql) != nil {
                state.kept.insert(sql)
                return true
            }
            if state.seen.count >= Self.remembered { state.seen.removeAll() }
            state.seen.insert(sql)
            return false
        }
    }
}
