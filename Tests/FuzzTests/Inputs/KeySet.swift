import OAuth
import Tokens

extension FuzzedInput {
    /// A JWK Set from another authority.
    static let keySet = FuzzedInput(name: "jwks") { bytes in
        guard let set = try? JWKSet.parse(bytes) else { return }
        try require(set.keys.count <= JWKSet.maxKeys, "a set has too many keys")
        guard let again = try? JWKSet.parse(set.bytes) else {
            throw Broken(description: "a set does not read back")
        }
        try require(again == set, "a set reads back with other keys")
        for key in set.keys {
            let first = set.keys.first { $0.kid == key.kid }
            try require(set.key(kid: key.kid) == first, "a name finds another key than the first")
            let members = Set(key.jwk.object?.keys.map(\.self) ?? [])
            try require(
                members.isDisjoint(with: ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]),
                "a key shows a secret"
            )
            try require(key.kid.utf8.count <= VerificationKey.maxKidLength, "a name is too long")
        }
    }
}
