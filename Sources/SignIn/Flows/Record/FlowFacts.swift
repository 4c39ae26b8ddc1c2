import AuthorityStore
import CustomIdentity
import FlowModel
import Policies

/// The facts about a flow's user and authentication, which contain no secret and remain stored after the flow ends.
struct FlowFacts: Codable, Hashable, Sendable {
    enum Path: String, Codable, Hashable, Sendable {
        case signUp
        case signIn
        case reset
    }

    var path: Path
    var provider: String?
    var person: ProvenPerson?
    /// The checks passed in the session that the flow continues from, if they are recent enough.
    var sessionProofs: [Proof] = []
    var proofs: [Proof] = []
    var consented = false
    /// Whether the user had already consented before this flow, or `nil` if this is not known yet.
    var hasConsentedBefore: Bool?
    /// Whether the user has enrolled each credential that was looked up.
    ///
    /// The value is also `false` for an enrolled credential that the flow has yet to replace.
    var enrolled: [Credential: Bool] = [:]
    /// Whether the user chose to stay signed in when last entering a password.
    var remembers = false
    /// The second factor, or `nil` if it is not known yet.
    var secondFactor: SecondFactorChoice?
    /// The checks that the user can choose instead of the second factor, in the policy's order.
    var otherFactors: [String] = []
    /// The points in the flow at which a connector has been called and has allowed the flow to continue.
    var askedConnectors: [Connector.Place] = []
    /// The verified e-mail address of the new account, or `nil` if this flow has not verified an address yet.
    var provenAddress: String?

    func proves(_ credential: Credential) -> Bool {
        proofs.contains { $0.credential == credential }
    }

    /// Discards all authentication in this flow, so that every check must be passed again.
    mutating func forgetAuthentication() {
        proofs = []
        enrolled = [:]
        secondFactor = nil
        otherFactors = []
    }
}

enum SecondFactorChoice: Codable, Hashable, Sendable {
    /// No second factor is required, because the user has recently passed a second factor on this device.
    case knownDevice
    case check(String)
}

/// An authenticated user who has an account at this authority.
struct ProvenPerson: Codable, Hashable, Sendable {
    let user: UserID
    let username: String
    let displayName: String?
    /// The e-mail address for codes, or `nil` if the user has none.
    let address: String?
    /// When the password was set, in milliseconds since 1970 UTC, or `nil` if the user has no password.
    var passwordSetAt: Int64?
    var mustChangePassword = false
}

extension ProvenPerson {
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
