public import FlowModel

/// A way of establishing a person's identity, with the defaults of its checks.
public struct CheckType: Hashable, Sendable {
    /// Every type: one file and one line each.
    public static let all: [CheckType] = [.password, .emailCode, .pin, .totp, .customIdentityProvider, .assertion]

    /// The word of `type:` in `checks.yaml`.
    public let name: String
    /// The noun that descriptions of keys use, with its article.
    let noun: String
    /// The credential that its checks verify.
    public let credential: Credential
    /// The number of wrong answers after which a check blocks.
    public let maxAttempts: Int
    /// The life of a step that waits for a correct answer.
    public let attemptingStateExpiration: Duration
    /// The length of the first block.
    public let blockedStateExpiration: Duration
    /// The authentication context that a success reaches, as `acr` states it.
    public let acr: String
    /// The methods that a success proves, as `amr` states them (RFC 8176 §2).
    public let amr: [String]
    /// True if the credential is of one uid and one person: it tells nobody's name, and a browser alone has none.
    public internal(set) var belongsToUID = false
    /// True if it is asked of a person who is known already, and who enrols it.
    public internal(set) var isEnrolled = false
}

extension CheckType {
    /// The type of a name, if there is one.
    public init?(name: String) {
        guard let type = Self.all.first(where: { $0.name == name }) else { return nil }
        self = type
    }
}

extension CheckType: Codable {
    /// Reads a name.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let name = try container.decode(String.self)
        guard let type = CheckType(name: name) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no check type \(name)")
        }
        self = type
    }

    /// Writes the name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}
