import AuthorityStore
public import FlowModel
import Moments
import OAuth
import Storage
import StoreRefusals
public import Tokens

/// The signing keys in the store, with methods for operators and for scheduled key changes.
public struct SigningKeys: Sendable {
    let store: AuthorityStore
    let memory: AuthorityMemory
    let settings: @Sendable () -> AuthoritySettings
    let clock: MomentClock

    /// Returns the keys, oldest first.
    public func list() async throws -> [KeyRing.Entry] {
        try await Authority.rows.storing { try await memory.compared().ring.entries }
    }

    /// Replaces the key of one algorithm, or of all if `algorithm` is `nil`, and keeps existing signatures valid.
    public func rotate(_ algorithm: SigningAlgorithm?, _ caller: Caller) async throws -> [KeyRing.Entry] {
        try await change(caller) { ring in
            let algorithms = algorithm.map { [$0] } ?? SigningAlgorithm.allCases.filter { ring.signer($0) != nil }
            return algorithms.flatMap { ring.rotation(of: $0) }
        }
    }

    /// Replaces a key and makes its signatures invalid, or throws `InvalidParameters` if the key does not exist.
    public func revoke(_ kid: String, _ caller: Caller) async throws -> [KeyRing.Entry] {
        try await Authority.rows.storing {
            guard try await memory.compared().ring.entry(kid) != nil else {
                throw InvalidParameters(Text("refusal.noSuchKey"))
            }
        }
        return try await change(caller) { $0.revocation(of: kid) }
    }

    /// Creates, publishes, activates and removes keys if this is due.
    public func schedule() async throws {
        let algorithms = try await Authority.rows.storing {
            PublishedIssuers.algorithms(try await memory.compared().clients.values)
        }
        let now = clock.now
        _ = try await change(nil) {
            KeyRing.schedule($0, algorithms: algorithms, now: now)
        }
    }

    /// The maximum number of attempts to make a change while other daemons are also changing the keys.
    private static let mostTries = 5

    private func change(_ caller: Caller?, _ due: (KeyRing) -> [KeyRing.Action]) async throws -> [KeyRing.Entry] {
        try await Authority.rows.storing {
            for _ in 0..<Self.mostTries {
                let snapshot = try await memory.compared()
                let actions = due(snapshot.ring)
                if actions.isEmpty { return snapshot.ring.entries }
                var ring = snapshot.ring
                let rows: [SigningKeyRow]
                do {
                    try ring.apply(actions, now: clock.now)
                    rows = try ring.rows
                } catch {
                    throw Refusal(.storageFailed, Text("refusal.keysNotChanged")).because("\(error)")
                }
                do {
                    try await store.keys.replace(
                        rows,
                        expectedEpoch: snapshot.epoch,
                        events: Self.events(actions, caller)
                    )
                    memory.forget()
                    return try await memory.compared().ring.entries
                } catch let error as StoreError where error.code == .stale || error.code == .conflict {
                    memory.forget()
                }
            }
            throw Refusal(.storageFailed, Text("refusal.keysChangeWithoutEnd"))
        }
    }

    private static func events(_ actions: [KeyRing.Action], _ caller: Caller?) -> [AuditEvent] {
        actions.map { action in
            let (kind, detail): (AuditKind, [String: String]) =
                switch action {
                case .generate(let alg, let activate):
                    (.keyGenerated, ["alg": alg.rawValue, "state": activate ? "active" : "published"])
                case .promote(let kid): (.keyRotated, ["kid": kid])
                case .retire(let kid): (.keyRetired, ["kid": kid])
                case .revoke(let kid): (.keyRevoked, ["kid": kid])
                case .remove(let kid): (.keyRemoved, ["kid": kid])
                }
            return AuditEvent(
                kind,
                owner: caller?.owner,
                correlationID: caller?.correlationID ?? .random(),
                pid: caller?.pid,
                detail: detail
            )
        }
    }
}
