import AuthorityStore
import OAuth
import Storage
import Tokens

extension KeyRing {
    /// Creates a key ring from stored rows, or throws `corrupt` if one is invalid, so that the daemon does not start.
    init(rows: [SigningKeyRow]) throws(StoreError) {
        do {
            self.init(entries: try rows.map { try Entry(row: $0) })
        } catch {
            throw StoreError(.corrupt, "a signing key cannot be read: \(error)")
        }
    }

    /// The key ring as rows for the store, without the private keys of revoked entries.
    var rows: [SigningKeyRow] {
        get throws {
            try entries.map { entry in
                SigningKeyRow(
                    kid: entry.kid,
                    alg: entry.alg.rawValue,
                    secret: try entry.storedKey,
                    jwk: entry.publicKey.jwk.text,
                    state: entry.state.rawValue,
                    publishedAt: entry.publishedAt,
                    activeFrom: entry.activeFrom ?? 0,
                    retiredAt: entry.retiredAt,
                    removeAt: entry.removeAt
                )
            }
        }
    }
}

extension KeyRing.Entry {
    fileprivate var storedKey: Secret? {
        get throws {
            switch state {
            case .published, .active, .retired: try key?.serialized
            case .revoked: nil
            }
        }
    }

    fileprivate init(row: SigningKeyRow) throws {
        guard let state = State(rawValue: row.state), let alg = SigningAlgorithm(rawValue: row.alg) else {
            throw TokenError(.malformed, "a signing key has an unknown state or algorithm")
        }
        let activeFrom = row.activeFrom == 0 ? nil : row.activeFrom
        if let secret = row.secret {
            self.init(
                key: try SigningKey(serialized: secret, alg: alg, kid: row.kid),
                state: state,
                publishedAt: row.publishedAt,
                activeFrom: activeFrom,
                retiredAt: row.retiredAt,
                removeAt: row.removeAt
            )
        } else {
            self.init(
                publicKey: try VerificationKey(jwk: try StrictJSON.parse(Array(row.jwk.utf8))),
                state: state,
                publishedAt: row.publishedAt,
                activeFrom: activeFrom,
                retiredAt: row.retiredAt,
                removeAt: row.removeAt
            )
        }
    }
}
