import Credentials
import CustomIdentity
import FlowModel
import Foundation
import OAuth
import OpenIDClient
import Policies

/// An effect of an event, to be carried out by the engine.
enum FlowEffect: Hashable, Sendable {
    /// Run an evaluation and return its ``Finding``.
    case evaluate(Evaluation)
    /// Put a mail into the outbox, with the state.
    case mail(MailDraft)
    /// Write an audit event, with the state.
    case audit(AuditKind, [String: String] = [:])
    /// Write the user, the authentication and the session, with the state.
    case finish(FinishPlan)
    /// Tell the caller the verdict on the answer.
    case answer(Verdict)
    /// Tell the caller the refusal.
    case refuse(Refusal)
}

/// A question that the machine cannot answer itself.
enum Evaluation: Hashable, Sendable {
    /// Compares a password with that of the user with a name.
    case password(name: String, password: Secret, check: Check)
    /// Compares a PIN with the one that a person has at the flow's owner.
    case pin(Secret, UserID, Check)
    /// Looks up if a person has a PIN at the flow's owner, and that its budget is not used up.
    case findPIN(UserID, Check)
    /// Compares a code with the person's authenticator, or uses up a recovery code.
    case authenticator(AuthenticatorAnswer, UserID, Check)
    /// Looks up if a person has an authenticator, and that its budget is not used up.
    case findAuthenticator(UserID, Check)
    /// Compares a code with the one that was sent.
    case code(typed: Secret, sent: SentCode, check: Check)
    /// Hashes a new password or PIN; nothing is hashed if the mail that must follow could not be sent to the address.
    case hash(Secret, mailTo: String?)
    /// Hashes the new password of a known person, unless it is the old one.
    case newPassword(Secret, UserID)
    /// Looks up which of these checks is to be asked for as a second factor; none if the device is one that is known.
    case findSecondFactor(UserID, [Check], device: String?)
    /// Looks up the attributes of a person.
    case findProfile(UserID)
    /// Looks up if a person has consented to all of a client's scopes.
    case consent(UserID, ConsentRequest)
    /// Redeems a provider's answer, and looks up the account of the person that it proves.
    case identity(provider: String, ProviderRequest, ProviderAnswer)
    /// Verifies a provider's own token, and looks up the account of the person that it proves.
    case brought(provider: String, BroughtToken)
    /// Asks a custom identity provider.
    case realm(RealmCall, Check)
    /// Verifies a statement that a provider of one's own has signed.
    case assertion(Secret, Check)
    /// Asks a connector of the policy.
    case connector(Connector)
    /// A code for an address, and the mail with it.
    case makeCode(CodeRecipient, Check)
}

/// An answer that stands for an authenticator.
enum AuthenticatorAnswer: Hashable, Sendable {
    /// The digits that it shows.
    case code(Secret)
    /// A recovery code.
    case recovery(RecoveryCode)
}

/// The recipient of a code.
enum CodeRecipient: Hashable, Sendable {
    /// A person who claims the address of a new account.
    case newAddress(String)
    /// The address of a new account that is not its sign-in name: another account may have it.
    case attributeAddress(String)
    /// A user who has given another proof before.
    case person(ProvenPerson, check: String)
    /// The user with this name, if there is one; for a new password only if there is an old one.
    case name(String, check: String, forPassword: Bool)
}

/// The rows that a successful flow writes.
struct FinishPlan: Hashable, Sendable {
    let user: UserID
    /// The account to make, if the person is new.
    let draft: Draft?
    let authentication: Authentication
    /// The PHC string of the PIN to enrol.
    var pin: Data?
    /// The authenticator to add.
    var authenticator: NewAuthenticator?
    /// The credential to remove.
    var removed: Credential?
    /// The PHC string of the password to set in place of the old one.
    var password: Data?
    /// The attributes to keep in place of those of the same names; null removes one.
    var profile: [String: JSONValue]?
    /// The account at a provider, or at a custom identity provider, that is the person's from now on.
    var identity: ProviderIdentity?
    /// True if the person has asked for ``identity``: it is then the only one at its provider.
    var isLink = false
    /// The provider whose account is the person's no more.
    var unlinked: String?
    /// The device to remember for the person.
    var device: String?
    /// The id of the session to leave, if the policy makes one.
    let session: String?

    /// The thing of a known person's account that it changes.
    var edit: AccountEdit? {
        if password != nil { return .password }
        return profile == nil ? nil : .profile
    }

    /// True if an account at a provider becomes the person's.
    var takesIdentity: Bool { draft?.identity != nil || identity != nil }

    /// The change of the account for which tokens that say otherwise are withdrawn: an unlinked account is in them as `idp`.
    var withdrawn: AccountEdit? { edit ?? (unlinked == nil ? nil : .profile) }
}

/// An authenticator that a flow adds.
struct NewAuthenticator: Hashable, Sendable {
    let key: AuthenticatorKey
    let recoveryCodes: [RecoveryCode]
    /// The time step of the code that proved it.
    let step: Int64
}
