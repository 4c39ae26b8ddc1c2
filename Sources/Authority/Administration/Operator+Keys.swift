import Authority
public import FlowModel
import OAuth
import Tokens

extension Operator {
    /// The signing keys, oldest first.
    public func keys() async throws -> [KeySummary] {
        try await authority.keys.list().map { KeySummary($0) }
    }

    /// Lets another key sign at once; earlier signatures stay valid.
    ///
    /// - Parameter name: `ES256`, `EdDSA` or `RS256`; every algorithm if nil.
    /// - Returns: The keys after the change.
    /// - Throws: `InvalidParameters` for any other name.
    public func rotateKeys(algorithm name: String?) async throws -> [KeySummary] {
        let algorithm = try name.map { name in
            guard let algorithm = SigningAlgorithm(rawValue: name) else {
                throw InvalidParameters(Text("refusal.algorithm"))
            }
            return algorithm
        }
        let keys = try await authority.keys.rotate(algorithm, caller)
        administration.consequences.changed()
        return keys.map { KeySummary($0) }
    }

    /// Revokes a key, so that none of its signatures is accepted any more; another takes its place.
    ///
    /// - Returns: The keys after the change.
    /// - Throws: `InvalidParameters` if there is no such key.
    public func revokeKey(_ kid: String) async throws -> [KeySummary] {
        let keys = try await authority.keys.revoke(kid, caller)
        administration.consequences.changed()
        return keys.map { KeySummary($0) }
    }
}

extension KeySummary {
    /// A key of the ring, without the key itself.
    init(_ key: KeyRing.Entry) {
        self.init(
            kid: key.kid,
            alg: key.alg.rawValue,
            state: key.state.rawValue,
            publishedAt: key.publishedAt,
            activeFrom: key.activeFrom,
            retiredAt: key.retiredAt,
            removeAt: key.removeAt
        )
    }
}
