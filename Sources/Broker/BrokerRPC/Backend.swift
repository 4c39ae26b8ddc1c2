import Administration
import Broker
import BrokerAPI
import FlowModel
import OAuth
import Systemd

/// The broker behind the socket: its methods, and the functions that connections call themselves.
struct Backend: Sendable {
    /// The methods by their names.
    let methods: [String: Method]
    /// Returns the broker's caller of a peer, for one call.
    let caller: @Sendable (PeerCredentials, CorrelationID) -> Caller
    /// True if the cache of this uid is locked.
    var isLocked: @Sendable (UInt32) -> Bool = { _ in false }
    /// Checks that a caller may use a client, the command line's client if `nil`; returns whether every caller may.
    var checkClient: @Sendable (String?, Caller) async throws -> Bool = { _, _ in true }
    /// The number of changes that may have changed an answer to this uid.
    let generation: @Sendable (UInt32) -> Int64
    /// Records that a remembered answer was given for an account of this uid.
    let noteUse: @Sendable (UInt32, String) -> Void
    /// Records a state-changing call that came without an id and was not executed.
    let noteUnanswerable: @Sendable (String, Caller) async -> Void

    /// The methods of the table, on a broker and an administration.
    static func services(_ broker: Broker, _ administration: Administration) -> Backend {
        let methods = MethodTable.entries.map { $0.method(broker, administration) }
        return Backend(
            methods: Dictionary(methods.map { ($0.description.name, $0) }) { first, _ in first },
            caller: {
                administration.caller(uid: $0.uid, gid: $0.gid, groups: $0.groups, pid: $0.pid, correlationID: $1)
            },
            isLocked: { broker.lock.isLocked(uid: $0) },
            checkClient: { try await broker.checkUse(of: $0, by: $1) },
            generation: { broker.tokens.generation(uid: $0) },
            noteUse: { broker.tokens.noteUse(uid: $0, account: $1) },
            noteUnanswerable: { await broker.noteUnanswerable(method: $0, caller: $1) }
        )
    }
}
