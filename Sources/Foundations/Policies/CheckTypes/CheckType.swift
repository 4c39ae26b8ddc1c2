public import FlowModel

/// A type of check, with the default settings for checks of that type.
public struct CheckType: Hashable, Sendable {
    /// All types of checks, each of which is defined in its own file and must be listed here.
    public static let all: [CheckType] = [.password, .emailCode, .pin, .totp, .customIdentityProvider, .assertion]

    /// The value of `type:` in `checks.yaml`.
    public let name: String
    /// The noun phrase for this type in descriptions and messages, such as `a password`.
    let noun: String
    /// The credential that checks of this type verify.
    public let credential: Credential
    /// The number of wrong answers after which a check is temporarily blocked.
    public let maxAttempts: Int
    /// How long a step waits for a correct answer.
    public let attemptingStateExpiration: Duration
    /// The duration of the first block.
    public let blockedStateExpiration: Duration
    /// The authentication context class of a passed check (`acr`).
    public let acr: String
    /// The authentication methods of a passed check (`amr`, RFC 8176 §2).
    public let amr: [String]
    /// Whether the credential belongs to one uid, so that it can neither identify users nor be used in a browser.
    public internal(set) var belongsToUID = false
    /// Whether users enrol the credential themselves, once they have been identified in another way.
    public internal(set) var isEnrolled = false
}

extension CheckType {
    /// Returns the type with this name, or `nil` if none exists.
    public init?(name: String) {
        guard let type = Self.all.first(where: { $0.name == name }) else { return nil }
        self = type
    }
}

extension CheckType: Codable {
    /// Decodes a type from its name.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let name = try container.decode(String.self)
        guard let type = CheckType(name: name) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "unknown check type \(name)")
        }
        self = type
    }

    /// Encodes the type as its name.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}
