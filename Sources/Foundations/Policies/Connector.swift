/// A call to an external service between the steps of a policy (B2C's API connector).
public struct Connector: Hashable, Sendable, Codable {
    /// The points at which a policy can call a connector.
    public enum Place: String, Hashable, Sendable, Codable, CaseIterable {
        /// After a user's first sign-in with an external provider, before the attributes are collected.
        case afterFederation
        /// After the attributes are collected, before the account is created.
        case beforeUserCreated
        /// Before tokens are issued.
        case beforeToken

        /// The value of `step` in the request to the external service.
        public var step: String {
            switch self {
            case .afterFederation: "PostFederationSignup"
            case .beforeUserCreated: "PostAttributeCollection"
            case .beforeToken: "PreTokenIssuance"
            }
        }
    }

    /// How the authority authenticates its requests, with the paths of files that contain the secrets.
    public enum Proof: Hashable, Sendable, Codable {
        case none
        /// HTTP Basic authentication (RFC 7617).
        case basic(username: String, passwordFile: PasswordFile)
        /// A bearer token (RFC 6750).
        case bearer(tokenFile: PasswordFile)
        case clientCertificate(certificateFile: String, privateKeyFile: String)
    }

    /// The default value of ``timeout``, in seconds.
    public static let standardTimeoutSec = 20
    /// The number of retries if no response arrives.
    public static let retries = 1

    /// The point at which the connector is called.
    public let place: Place
    /// The URL that receives the request.
    public let url: String
    /// How the authority authenticates its requests to the external service.
    public let proof: Proof
    /// The time limit for one response.
    public let timeout: Duration

    /// The maximum duration of a call, including retries.
    public var longest: Duration { timeout * (1 + Self.retries) + .seconds(1) }
}

/// The connectors of a policy.
public struct Connectors: Hashable, Sendable, Codable {
    private let all: [Connector]

    /// Creates the connectors of a policy, at most one for each point.
    public init(_ all: [Connector] = []) { self.all = all }

    /// Returns the connector that is called at the given point, or `nil` if there is none.
    public subscript(place: Connector.Place) -> Connector? { all.first { $0.place == place } }

    /// The maximum time that connector calls can take between a user's answer and the next step.
    public var timeBetweenSteps: Duration {
        all.filter { $0.place != .beforeToken }.map(\.longest).reduce(.zero, +)
    }
}
