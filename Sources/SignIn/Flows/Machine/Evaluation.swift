import Attempts
import AuthorityStore
import CustomIdentity
import FlowModel
import Foundation
import Moments
import OAuth
import OpenIDClient
import Policies

/// Work that the state machine requests but does not perform, such as a lookup, a comparison or a call.
enum Evaluation: Hashable, Sendable {
    /// Compares a password with the password of the user who has the sign-in name.
    case password(name: String, password: Secret, check: Check)
    /// Looks up whether a user has enrolled a check's credential, and whether the check's budget is used up.
    case find(UserID, Check)
    /// Compares an answer with the credential that a user has enrolled for a check.
    case verify(Secret, UserID, Check)
    /// Compares a code that was entered with the code that was sent.
    case code(typed: Secret, sent: SentCode, check: Check)
    /// Hashes a new password or PIN.
    ///
    /// Refuses if the email message that must follow could not be sent to the address.
    case hash(Secret, mailTo: String?)
    /// Hashes the new password of an identified user. Refuses the user's current password.
    case newPassword(Secret, UserID)
    /// Determines which of the checks is used as the second factor.
    ///
    /// No second factor is needed if the device is known.
    case findSecondFactor(UserID, [Check], device: String?)
    /// Looks up a user's attributes.
    case findProfile(UserID)
    /// Looks up whether a user has already consented to all the scopes that a client requests.
    case consent(UserID, ConsentRequest)
    /// Redeems a provider's response, and looks up the account of the authenticated user.
    case identity(provider: String, ProviderRequest, ProviderAnswer)
    /// Verifies a token that the caller has from a provider, and looks up the account of its user.
    case brought(provider: String, BroughtToken)
    /// Calls a custom identity provider.
    case realm(RealmCall, Check)
    /// Verifies an assertion that is signed by a custom identity provider.
    case assertion(Secret, Check)
    /// Calls one of the policy's API connectors.
    case connector(Connector)
    /// Creates a code, and the email message that contains it.
    case makeCode(CodeRecipient, Check)
}

/// The result of an evaluation.
enum EvaluationResult: Hashable, Sendable {
    /// Nothing was evaluated, because a budget or a queue is full or the store failed.
    ///
    /// The step stays open.
    case refused(Refusal)
    /// The answer was wrong.
    case wrong
    /// The answer was wrong, and no attempt is left.
    case exhausted(retryAfterMs: Int64)
    /// The answer was right.
    ///
    /// The associated values are the authenticated user and all sign-in names. The user is `nil` if an earlier step has
    /// already identified the user.
    case right(ProvenPerson?, names: [String] = [])
    /// Whether the user has already consented.
    case consent(Bool)
    /// Whether the user has enrolled the credential.
    case enrolled(Bool)
    /// The user's second factor, and the checks that the user can choose instead.
    case secondFactor(SecondFactorChoice, others: [String] = [])
    /// The user's attributes.
    case profile([String: JSONValue])
    /// The hash of a new password or PIN.
    case hashed(Data)
    /// A code was created, and an email message if one is to be sent.
    case codeMade(MadeCode)
    /// A provider has authenticated a user.
    ///
    /// The local account and its sign-in names are included if there is one.
    case identified(ProviderIdentity, ProvenPerson?, names: [String])
    /// A custom identity provider has responded, or an assertion that it signed was verified, for the given check.
    case realm(RealmFinding, Check)
    /// One of the policy's connectors has responded or failed.
    case connector(Connector.Place, ConnectorFinding)
}

/// The part of a custom identity provider's response that a flow needs.
enum RealmFinding: Hashable, Sendable {
    /// The provider sends a prompt for the user.
    case challenge(RealmChallenge)
    /// The provider has identified the user.
    ///
    /// The local account is included if there is one.
    case person(ExternalIdentity, ProvenPerson?, names: [String])
    /// The provider rejects the user.
    case failure
}

/// The part of a connector's response that a flow needs.
enum ConnectorFinding: Hashable, Sendable {
    case answer(ConnectorAnswer)
    /// The connector has failed.
    ///
    /// The caller gets this refusal.
    case failed(Refusal)
}

/// The recipient of a code.
enum CodeRecipient: Hashable, Sendable {
    /// A user who is creating an account and claims this address as the sign-in name.
    case newAddress(String)
    /// A user who is creating an account and claims this address as an attribute, not as the sign-in name.
    ///
    /// Another account can have the same address.
    case attributeAddress(String)
    /// A user who has already been authenticated in another way.
    case person(ProvenPerson, check: String)
    /// The user who has this sign-in name, if there is one.
    ///
    /// If the code is for a new password, the user must already have a password.
    case name(String, check: String, forPassword: Bool)

    /// Returns the recipient of a code that verifies a new account's address.
    static func verifying(_ address: String, isName: Bool) -> CodeRecipient {
        isName ? .newAddress(address) : .attributeAddress(address)
    }

    /// The check that the code is for, or `nil` if it verifies a new account's address.
    var check: String? {
        switch self {
        case .newAddress, .attributeAddress: nil
        case .person(_, let check), .name(_, let check, _): check
        }
    }
}

/// A code that was created for an address.
struct MadeCode: Hashable, Sendable {
    let address: String
    let subject: Subject
    let purpose: SentCode.Purpose
    let person: ProvenPerson?
    let mac: Data
    let context: String
    /// The email message to send, or `nil` if the address is unknown.
    let mail: MailDraft?
}

/// An email message to write.
enum MailDraft: Hashable, Sendable {
    /// A message that contains the code.
    case code(to: String, code: Secret)
    /// A message that says that the address already has an account.
    case accountExists(to: String)
    /// A message that says that sign-up requires an invitation and that the address has none.
    case notInvited(to: String)
}
