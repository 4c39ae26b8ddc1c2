public import FlowModel
public import OAuth
public import OpenIDClient

/// A request for a user to sign in at an external authority.
public struct OutsideRequest: Sendable {
    /// Durably stores the issued tokens, and returns the id of the user's account.
    public typealias Keep = @Sendable (OutsideTokens) async throws -> String

    /// The user that the tokens must belong to.
    public enum Person: Hashable, Sendable {
        /// Any user, with the given sign-in name prefilled.
        case hint(String)
        /// The user with the given `sub`.
        case subject(String, name: String?)
        /// The user with the given sign-in name.
        case name(String)

        var loginHint: String? {
            switch self {
            case .hint(let name), .name(let name): name
            case .subject(_, let name): name
            }
        }

        func isNamed(by claims: [String: JSONValue]) -> Bool {
            switch self {
            case .hint: true
            case .subject(let subject, _): claims["sub"]?.string == subject
            case .name(let name):
                ["preferred_username", "email", "upn"].contains {
                    claims[$0]?.string.map { Names.areEqual($0, name) } ?? false
                }
            }
        }
    }

    /// How the browser returns from the authority.
    public enum Way: Hashable, Sendable {
        /// The browser is redirected to the registered redirect URI.
        case registered
        /// The browser is redirected to this loopback URI of the daemon, on any free port if the URI does not specify a
        /// port.
        case port(LoopbackURI)
        /// The user pastes the URL from the browser's address bar, while the daemon occupies the redirect URI's port.
        case kept(LoopbackURI)
    }

    /// The authority, and the registration of this client at the authority.
    public private(set) var registration: ProviderRegistration
    /// How the browser returns from the authority.
    public let way: Way
    /// The name of the policy that the flow belongs to.
    public let policy: String
    /// The tokens to request.
    public let asked: OutsideDemand
    /// The authentication to request.
    public let demand: AuthenticationDemand
    /// The user that the tokens must belong to, or `nil` for any user.
    public let person: Person?
    /// The caller's id for this request, or `nil` if there is none.
    ///
    /// A repeated request with the same id returns the same flow.
    public let requestID: String?
    /// The key that equivalent requests share, so that they join one flow.
    public let joinKey: String
    /// Stores the issued tokens.
    public let keep: Keep

    /// Creates a request.
    public init(
        registration: ProviderRegistration,
        way: Way = .registered,
        policy: String,
        asked: OutsideDemand,
        demand: AuthenticationDemand,
        person: Person?,
        requestID: String?,
        joinKey: String,
        keep: @escaping Keep
    ) {
        self.registration = registration
        self.way = way
        self.policy = policy
        self.asked = asked
        self.demand = demand
        self.person = person
        self.requestID = requestID
        self.joinKey = joinKey
        self.keep = keep
    }

    /// Returns a copy of this request in which the browser returns to `address`, where a port is open.
    func returning(to address: LoopbackURI) -> OutsideRequest {
        var request = self
        request.registration = registration.returning(to: address.description)
        return request
    }
}
