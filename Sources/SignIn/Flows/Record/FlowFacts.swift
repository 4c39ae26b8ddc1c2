import AuthorityStore
import CustomIdentity
import FlowModel
import Policies

/// Facts about the user and the authentication so far; none is a secret, so they may stay when the flow has ended.
struct FlowFacts: Codable, Hashable, Sendable {
    /// A way through the policy.
    enum Path: String, Codable, Hashable, Sendable {
        case signUp
        case signIn
        /// By a code to a new password.
        case reset
    }

    var path: Path
    /// The provider that the person has chosen.
    var provider: String?
    var person: ProvenPerson?
    /// The authentication of the session that the flow goes on from, as far as it is recent enough.
    var sessionProofs: [Proof] = []
    /// The checks that were passed in this flow.
    var proofs: [Proof] = []
    var consented = false
    /// Whether the person had given the consent before; nil until that is known.
    var hasConsentedBefore: Bool?
    /// Whether the person has a credential of a kind that people enrol; without a value until that is known, and false
    /// in a flow that sets one.
    var enrolled: [Credential: Bool] = [:]
    /// Whether the person asked to be remembered with the password that was typed last.
    var remembers = false
    /// The second factor to be asked for; nil until that is known.
    var secondFactor: SecondFactorChoice?
    /// The checks that would do as well as the second factor, in the policy's order.
    var otherFactors: [String] = []
    /// The places at which connectors have let the flow go on.
    var askedConnectors: [Connector.Place] = []
    /// The address that this flow has proved for an account to make; nil until then.
    var provenAddress: String?

    /// Whether a credential was proved in this flow.
    func proves(_ credential: Credential) -> Bool {
        proofs.contains { $0.credential == credential }
    }

    /// Forgets the authentication of this flow, so that everything is asked for again.
    mutating func forgetAuthentication() {
        proofs = []
        enrolled = [:]
        secondFactor = nil
        otherFactors = []
    }
}

/// The second factor of a sign-in.
enum SecondFactorChoice: Codable, Hashable, Sendable {
    /// None: the person has proved one at this device of late.
    case knownDevice
    /// The check of this name.
    case check(String)
}

/// A person known to the authority who has proved their identity.
struct ProvenPerson: Codable, Hashable, Sendable {
    let user: UserID
    let username: String
    let displayName: String?
    /// The address that codes are sent to.
    let address: String?
    /// The time at which the password was set, in milliseconds since 1970 UTC; nil if there is none.
    var passwordSetAt: Int64?
    /// Whether another password must be chosen.
    var mustChangePassword = false
}

extension ProvenPerson {
    /// The person of a user record.
    init(_ user: UserRecord) {
        self.init(
            user: user.id,
            username: user.username,
            displayName: user.displayName,
            address: user.email,
            passwordSetAt: user.passwordHash == nil ? nil : user.passwordSetAt,
            mustChangePassword: user.mustChangePassword
        )
    }
}
