import Authority
public import FlowModel
import OAuth
import Tokens

extension Operator {
    /// Returns the signing keys, oldest first.
    public func keys() async throws -> [KeySummary] {
        try await authority.keys.list().map { KeySummary($0) }
    }

    /// Replaces the signing key of one algorithm, or of all if `name` is `nil`, and keeps existing signatures valid.
    ///
    /// - Throws: `InvalidParameters` if `name` is not `ES256`, `EdDSA` or `RS256`.
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

    /// Replaces a key and makes its signatures invalid, or throws `InvalidParameters` if the key does not exist.
    public func revokeKey(_ kid: String) async throws -> [KeySummary] {
        let keys = try await authority.keys.revoke(kid, caller)
        administration.consequences.changed()
        return keys.map { KeySummary($0) }
    }
}

extension KeySummary {
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
