/// The supported signature algorithms, spelled as `alg` on the wire (RFC 7518 §3.1, RFC 8037 §3.1).
///
/// There is no `none` and nothing symmetric, so neither can be confused with one of these (RFC 8725 §2.1).
public enum SigningAlgorithm: String, CaseIterable, Hashable, Sendable, Codable {
    /// ECDSA on P-256 with SHA-256.
    case es256 = "ES256"
    /// Ed25519.
    case eddsa = "EdDSA"
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
}
