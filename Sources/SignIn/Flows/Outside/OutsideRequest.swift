public import FlowModel
public import OAuth
public import OpenIDClient

/// The demand for a person's sign-in at an outside authority.
public struct OutsideRequest: Sendable {
    /// Stores what the authority has issued, durably, and returns the person's account.
    public typealias Keep = @Sendable (OutsideTokens) async throws -> String

    /// The person that the tokens must be for.
    public enum Person: Hashable, Sendable {
        /// Anybody; the name is filled in.
        case hint(String)
        /// The person with this `sub`.
        case subject(String, name: String?)
        /// The person with this name.
        case name(String)

        /// The name to fill in.
        var loginHint: String? {
            switch self {
            case .hint(let name), .name(let name): name
            case .subject(_, let name): name
            }
        }

        /// True for the person of these claims.
        func isNamed(by claims: [String: JSONValue]) -> Bool {
            switch self {
            case .hint: true
            case .subject(let subject, _): claims["sub"]?.string == subject
            case .name(let name):
                ["preferred_username", "email", "upn"].contains {
                    claims[$0]?.string?.lowercased() == name.lowercased()
                }
            }
        }
    }

    /// The ways in which a browser comes back from the authority.
    public enum Way: Hashable, Sendable {
        /// To the address of the registration.
        case registered
        /// To a port of this daemon on loopback, at this address; one without a port has any.
        case port(LoopbackURI)
        /// Not at all: a person brings the address, and nobody may listen there meanwhile.
        case kept(LoopbackURI)
    }

    /// The authority, and our registration there.
    public private(set) var registration: ProviderRegistration
    /// The way in which the browser comes back.
    public let way: Way
    /// The name of the policy that the flow is of.
    public let policy: String
    /// The tokens that are asked for.
    public let asked: OutsideDemand
    /// The authentication that is asked for.
    public let demand: AuthenticationDemand
    /// The person that the tokens must be for; nil for anybody.
    public let person: Person?
    /// The caller's name for the request; the same one gives the same flow.
    public let requestID: String?
    /// The key that equal requests share, which join one flow.
    public let joinKey: String
    /// Stores what the authority has issued.
    public let keep: Keep

    /// Asks a person to sign in at an outside authority.
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

    /// Returns the same request for one sign-in, whose browser comes back to a port that is open.
    func returning(to address: LoopbackURI) -> OutsideRequest {
        var request = self
        request.registration = registration.returning(to: address.description)
        return request
    }
}
