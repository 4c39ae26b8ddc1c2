import AuthorityStore
public import FlowModel
import Moments
import OAuth
import Storage
public import Tokens

extension Authority {
    /// The signing keys, oldest first.
    public func keys() async throws -> [KeySummary] {
        try await Self.storing { Self.keys(try await memory.compared().ring) }
    }

    /// Lets another key of an algorithm sign at once, of every algorithm if nil; what was signed stays good.
    public func rotateKeys(_ algorithm: SigningAlgorithm?, _ caller: Caller) async throws -> [KeySummary] {
        try await change(caller) { ring in
            let algorithms = algorithm.map { [$0] } ?? SigningAlgorithm.allCases.filter { ring.signer($0) != nil }
            return algorithms.flatMap { ring.rotation(of: $0) }
        }
    }

    /// Lets another key sign at once, by the algorithm's name on the wire.
    ///
    /// - Parameters:
    ///   - name: `ES256`, `EdDSA` or `RS256`; every algorithm if nil.
    ///   - caller: The operator.
    /// - Returns: The keys after it.
    /// - Throws: `invalid_request` for any other name.
    public func rotateKeys(named name: String?, _ caller: Caller) async throws -> [KeySummary] {
        let algorithm = try name.map { name in
            guard let algorithm = SigningAlgorithm(rawValue: name) else {
                throw OAuthError.invalidRequest("an algorithm is ES256, EdDSA or RS256")
            }
            return algorithm
        }
        return try await rotateKeys(algorithm, caller)
    }

    /// Believes nothing any more that a key signed; another takes its place.
    ///
    /// - Parameters:
    ///   - kid: The key.
    ///   - caller: The operator.
    /// - Returns: The keys after it.
    /// - Throws: `invalid_request` if there is no such key.
    public func revokeKey(_ kid: String, _ caller: Caller) async throws -> [KeySummary] {
        try await Self.storing {
            guard try await memory.compared().ring.entry(kid) != nil else {
                throw OAuthError.invalidRequest("there is no signing key of this id")
            }
        }
        return try await change(caller) { $0.revocation(of: kid) }
    }

    /// Does what the schedule says is due.
    func scheduleKeys() async throws {
        let algorithms = Self.algorithms(settings())
        let now = clock.now
        _ = try await change(nil) {
            KeyRing.schedule($0, algorithms: algorithms, policy: keyPolicy, now: now)
        }
    }

    /// How often a change is made anew because another daemon was faster.
    private static let mostTries = 5

    private func change(_ caller: Caller?, _ due: (KeyRing) -> [KeyRing.Action]) async throws -> [KeySummary] {
        try await Self.storing {
            for _ in 0..<Self.mostTries {
                let snapshot = try await memory.compared()
                let actions = due(snapshot.ring)
                if actions.isEmpty { return Self.keys(snapshot.ring) }
                var ring = snapshot.ring
                try ring.apply(actions, policy: keyPolicy, now: clock.now)
                do {
                    try await store.keys.replace(
                        try ring.rows,
                        expectedEpoch: snapshot.epoch,
                        events: Self.events(actions, caller)
                    )
                    memory.forget()
                    return Self.keys(try await memory.compared().ring)
                } catch let error as StoreError where error.code == .stale || error.code == .conflict {
                    memory.forget()
                }
            }
            throw Refusal(.storageFailed, "other daemons change the keys without end")
        }
    }

    private static func keys(_ ring: KeyRing) -> [KeySummary] {
        ring.entries.map {
            KeySummary(
                kid: $0.kid,
                alg: $0.alg.rawValue,
                state: $0.state.rawValue,
                publishedAt: $0.publishedAt,
                activeFrom: $0.activeFrom,
                retiredAt: $0.retiredAt,
                removeAt: $0.removeAt
            )
        }
    }

    private static func events(_ actions: [KeyRing.Action], _ caller: Caller?) -> [AuditEvent] {
        actions.map { action in
            let (name, detail): (String, [String: String]) =
                switch action {
                case .generate(let alg, let activate):
                    ("key.generated", ["alg": alg.rawValue, "state": activate ? "active" : "published"])
                case .promote(let kid): ("key.rotated", ["kid": kid])
                case .retire(let kid): ("key.retired", ["kid": kid])
                case .revoke(let kid): ("key.revoked", ["kid": kid])
                case .remove(let kid): ("key.removed", ["kid": kid])
                }
            return AuditEvent(
                name,
                owner: caller?.owner,
                correlationID: caller?.correlationID ?? .random(),
                pid: caller?.pid,
                detail: detail
            )
        }
    }
}
