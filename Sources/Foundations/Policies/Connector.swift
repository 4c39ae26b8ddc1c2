/// A call outside between the steps of a policy: an API connector, as users of B2C know it.
public struct Connector: Hashable, Sendable, Codable {
    /// The places at which a policy calls outside.
    public enum Place: String, Hashable, Sendable, Codable, CaseIterable {
        /// After the first sign-in with a provider, before the attributes are asked.
        case afterFederation
        /// After the attributes are known, before the account is made.
        case beforeUserCreated
        /// Before tokens are issued.
        case beforeToken

        /// The word of the place in a request: `step`.
        public var step: String {
            switch self {
            case .afterFederation: "PostFederationSignup"
            case .beforeUserCreated: "PostAttributeCollection"
            case .beforeToken: "PreTokenIssuance"
            }
        }
    }

    /// The ways in which a request proves where it comes from; secrets stay in their files.
    public enum Proof: Hashable, Sendable, Codable {
        /// None.
        case none
        /// A name and a password (RFC 7617).
        case basic(username: String, passwordFile: PasswordFile)
        /// A token (RFC 6750).
        case bearer(tokenFile: PasswordFile)
        /// A certificate of ours, in TLS.
        case clientCertificate(certificateFile: String, privateKeyFile: String)
    }

    /// The default of ``timeout``, in seconds.
    public static let standardTimeoutSec = 20
    /// The number of times that a request is sent again if no answer comes.
    public static let retries = 1

    /// The place at which it is called.
    public let place: Place
    /// The address that it is asked at.
    public let url: String
    /// The way in which a request proves where it comes from.
    public let proof: Proof
    /// The time for one answer.
    public let timeout: Duration

    /// The time after which a call has ended, whatever happens.
    public var longest: Duration { timeout * (1 + Self.retries) + .seconds(1) }
}

/// The calls outside of a policy.
public struct Connectors: Hashable, Sendable, Codable {
    private let all: [Connector]

    /// The calls of a policy, one for a place at most.
    public init(_ all: [Connector] = []) { self.all = all }

    /// The call at a place; nil for none.
    public subscript(place: Connector.Place) -> Connector? { all.first { $0.place == place } }

    /// The time that calls may take between an answer of a person and the next question.
    public var timeBetweenSteps: Duration {
        all.filter { $0.place != .beforeToken }.map(\.longest).reduce(.zero, +)
    }
}
