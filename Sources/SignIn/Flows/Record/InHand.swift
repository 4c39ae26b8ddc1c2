import Attempts
import AuthorityStore
import CustomIdentity
import FlowModel
import Foundation
import Moments
import OAuth
import OpenIDClient

/// The data that is deleted when a flow ends.
struct InHand: Codable, Hashable, Sendable {
    var typedName: String?
    /// The prefilled values, none of them secret, by node name.
    var prefill: [String: JSONValue] = [:]
    var draft: Draft?
    var code: SentCode?
    /// The data for setting each credential when the flow succeeds (never the text that the user entered).
    var secrets: [Credential: Data] = [:]
    /// The user's attributes at the start of a profile edit, or `nil` if they are not known yet.
    var profile: [String: JSONValue]?
    var edited: [String: JSONValue]?
    var newIdentity: ProviderIdentity?
    var conversation = Conversation()
    /// A message to show with a custom identity provider's next challenge, or `nil` if there is none.
    var remark: Message?
}

/// An exchange of challenges and answers with a custom identity provider.
struct Conversation: Codable, Hashable, Sendable {
    /// The realm whose provider sent the challenge, or `nil` if there is no challenge.
    var realm: String?
    var challenge: RealmChallenge?
    /// The user name that was submitted last and that answers are counted against, or `nil` if there is none.
    var name: String?
    /// The answer field that contains the user name, or `nil` before the first answer.
    var nameField: String?
}

/// The data for an account that the flow creates when it succeeds.
struct Draft: Codable, Hashable, Sendable {
    let email: String?
    let username: String?
    var attributes: [String: JSONValue]
    /// The PHC string of the password hash, never the password itself.
    var passwordHash: Data?
    var mustVerify: Bool
    /// The identity at a provider that the account will belong to, or `nil` for an account with its own sign-in names.
    var identity: ProviderIdentity?
    /// Whether a user authenticated by a provider must still be prompted for attributes.
    var awaitsAttributes = false
    /// Whether to prompt for an address, because the policy requires one and the provider supplied no verified address.
    var asksAddress = false

    /// The e-mail address of the account, which is its sign-in name or an attribute, or `nil` if the account has none.
    var address: String? { email ?? attributes["email"]?.string }

    /// The name of the account, for the flow's outcome and for authenticator apps.
    var name: String {
        email.map(MailAddress.shown) ?? username ?? attributes["email"]?.string.map(MailAddress.shown)
            ?? attributes["displayName"]?.string ?? identity?.provider ?? ""
    }

    var credentials: [Credential] { passwordHash == nil ? [] : [.password] }

    func user(_ id: UserID, at now: Moment) -> UserRecord {
        let names = [email.map { SignInName(.email, $0) }, username.map { SignInName(.username, $0) }]
        var attributes = attributes
        if email != nil { attributes["email"] = nil }
        if username != nil { attributes["username"] = nil }
        return UserRecord(
            id: id,
            signInNames: names.compactMap { $0 },
            attributes: attributes,
            passwordHash: passwordHash.map { Secret(bytes: $0) },
            createdAt: now.wall
        )
    }
}

extension Draft {
    /// Creates a draft for a user authenticated by a provider.
    ///
    /// The draft has no sign-in name, because the user signs in through the provider.
    init(_ identity: ProviderIdentity) {
        self.init(
            email: nil,
            username: nil,
            attributes: identity.attributes.mapValues { .string($0) },
            passwordHash: nil,
            mustVerify: false,
            identity: identity
        )
    }
}

/// A code that was sent by e-mail, or that only seems to have been sent so as not to reveal whether an account exists.
struct SentCode: Codable, Hashable, Sendable {
    let address: String
    /// The user or sign-in name that attempts are counted against.
    let subject: Subject
    let purpose: Purpose
    /// The user that the code authenticates, or `nil` if the address is unknown.
    let person: ProvenPerson?
    /// The MAC of the code, or `nil` if the code is no longer valid.
    var mac: Data?
    let context: String
    let ends: Deadline
    let resend: Deadline

    enum Purpose: Codable, Hashable, Sendable {
        case verifyAddress
        case check(String)

        var check: String? {
            if case .check(let name) = self { name } else { nil }
        }
    }
}

extension ProviderIdentity {
    /// The identity in the form that the store uses for lookups.
    var row: FederatedIdentity { FederatedIdentity(issuer: issuer, subject: subject, provider: provider) }
}

/// Compares sign-in names in the same way as the store.
enum Names {
    static func areEqual(_ a: String, _ b: String) -> Bool { SignInName.folded(a) == SignInName.folded(b) }
}
