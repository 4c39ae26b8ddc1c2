import Attempts
import AuthorityStore
import CustomIdentity
import FlowModel
import Foundation
import Moments
import OAuth
import OpenIDClient

/// Everything that a flow holds and that must not outlive it.
struct InHand: Codable, Hashable, Sendable {
    /// The name that was typed last.
    var typedName: String?
    /// Values that nodes are filled in with; never a secret.
    var prefill: [String: JSONValue] = [:]
    /// The account of a person who is not known yet.
    var draft: Draft?
    /// The code that was mailed.
    var code: SentCode?
    /// What sets a credential when the flow ends well, in a form of the credential's own: never what a person typed.
    var secrets: [Credential: Data] = [:]
    /// The person's attributes, which a profile edit begins with; nil until they are known.
    var profile: [String: JSONValue]?
    /// The attributes that the person has given in their place.
    var edited: [String: JSONValue]?
    /// The account at a provider, or at a custom identity provider, that becomes the person's.
    var newIdentity: ProviderIdentity?
    /// The conversation with a custom identity provider.
    var conversation = Conversation()
    /// A sentence for the next question of a custom identity provider.
    var remark: Message?
}

/// A conversation with a custom identity provider.
struct Conversation: Codable, Hashable, Sendable {
    /// The name of the provider that asks.
    var realm: String?
    /// Its question.
    var challenge: RealmChallenge?
    /// The name that was given to it last, for which answers are counted.
    var name: String?
    /// The field of the answers in which that name stands; nil until there was an answer.
    var nameField: String?
}

/// The account of a person who is not known yet.
struct Draft: Codable, Hashable, Sendable {
    let email: String?
    let username: String?
    var attributes: [String: JSONValue]
    /// The PHC string; never the password.
    var passwordHash: Data?
    /// True until the address is proved.
    var mustVerify: Bool
    /// The person at a provider outside who has the account; nil for one with names of its own.
    var identity: ProviderIdentity?
    /// True as long as attributes are to be asked of a person whom a provider has proved.
    var awaitsAttributes = false
    /// Whether a user whom a provider has authenticated is asked for an address, because the provider vouched for none and
    /// the policy needs one.
    var asksAddress = false

    /// The address of the account: its sign-in name, or an attribute.
    var address: String? { email ?? attributes["email"]?.string }

    /// The name that is shown.
    var name: String {
        email ?? username ?? attributes["email"]?.string ?? attributes["displayName"]?.string ?? identity?.provider
            ?? ""
    }

    /// The credentials that the account is made with.
    var credentials: [Credential] { passwordHash == nil ? [] : [.password] }

    /// The user that a sign-up makes.
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
    /// The account of a person whom a provider has proved: without a name to sign in under, so that it is nobody else's.
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

/// A code that was sent, or that was not sent but has to look as if it were.
struct SentCode: Codable, Hashable, Sendable {
    let address: String
    /// The person, or the name, for whom attempts are counted.
    let subject: Subject
    let purpose: Purpose
    /// The person whom it proves; nil if the address is unknown.
    let person: ProvenPerson?
    /// The MAC of the code; nil once it has expired.
    var mac: Data?
    let context: String
    let ends: Deadline
    let resend: Deadline

    enum Purpose: Codable, Hashable, Sendable {
        /// Proves the address of a new account.
        case verifyAddress
        /// Proves the person, for a check.
        case check(String)

        /// The check that the code is for, if it is for one.
        var check: String? {
            if case .check(let name) = self { name } else { nil }
        }
    }
}

extension ProviderIdentity {
    /// The identity as the store finds the person by it.
    var row: FederatedIdentity { FederatedIdentity(issuer: issuer, subject: subject, provider: provider) }
}

/// Comparison of sign-in names, as the store does it when it finds them.
enum Names {
    /// Whether two spellings are of one name.
    static func areEqual(_ a: String, _ b: String) -> Bool { SignInName.folded(a) == SignInName.folded(b) }
}
