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
    case password(name: String, password: Secret, check: Check)
    /// Looks up whether a user has enrolled a check's credential, and whether the check's budget is used up.
    case find(UserID, Check)
    case verify(Secret, UserID, Check)
    case code(typed: Secret, sent: SentCode, check: Check)
    /// Hashes a new password or PIN.
    case hash(Secret)
    /// Hashes the password of a new account, unless an e-mail message could not be sent to the account's address.
    ///
    /// `sendsCode` is whether a code is sent to the address afterwards, which the limits on messages must allow.
    case hashOfAccount(Secret, address: String?, sendsCode: Bool)
    /// Determines whether the mail server can send to the address of a new account.
    case address(String)
    /// Hashes the new password of an identified user, unless the new password equals the current password.
    case newPassword(Secret, UserID)
    /// Determines which of the checks is used as the second factor, unless the device is known.
    case findSecondFactor(UserID, [Check], device: String?)
    case findProfile(UserID)
    /// Looks up whether a user has already consented to all the scopes that a client requests.
    case consent(UserID, ConsentRequest)
    /// Redeems a provider's response, and looks up the account of the user that the provider has authenticated.
    case identity(provider: String, ProviderRequest, ProviderAnswer)
    /// Verifies a token that the caller already has from a provider, and looks up the account of the token's user.
    case brought(provider: String, BroughtToken)
    case realm(RealmCall, Check)
    case assertion(Secret, Check)
    case connector(Connector)
    case makeCode(CodeRecipient, Check)
}

enum EvaluationResult: Hashable, Sendable {
    /// Nothing was evaluated, because a budget is used up, a queue is full, or the store failed, and the step stays
    /// open.
    case refused(Refusal)
    case wrong
    case exhausted(retryAfterMs: Int64)
    /// The answer was correct.
    ///
    /// The user is `nil` if an earlier answer has already identified the user. `names` are all of the user's sign-in
    /// names.
    case right(ProvenPerson?, names: [String] = [])
    case consent(Bool)
    case enrolled(Bool)
    case secondFactor(SecondFactorChoice, others: [String] = [])
    case profile([String: JSONValue])
    case hashed(Data)
    /// The mail server can send to the address of a new account.
    case addressAccepted
    /// A code was created, together with the e-mail message if a message must be sent.
    case codeMade(MadeCode)
    /// A provider has authenticated a user.
    ///
    /// The second value and `names` describe the user's local account, if there is one.
    case identified(ProviderIdentity, ProvenPerson?, names: [String])
    case realm(RealmFinding, Check)
    case connector(Connector.Place, ConnectorFinding)
}

enum RealmFinding: Hashable, Sendable {
    case challenge(RealmChallenge)
    /// The provider has identified the user.
    ///
    /// The second value and `names` describe the user's local account, if there is one.
    case person(ExternalIdentity, ProvenPerson?, names: [String])
    case failure
}

enum ConnectorFinding: Hashable, Sendable {
    case answer(ConnectorAnswer)
    case failed(Refusal)
}

enum CodeRecipient: Hashable, Sendable {
    /// A user who is creating an account and claims this address as the sign-in name.
    case newAddress(String)
    /// A user who is creating an account and claims this address as an attribute, which other accounts can share.
    case attributeAddress(String)
    /// A user who has already been authenticated in another way.
    ///
    /// `check` is the name of the check that the code is for.
    case person(ProvenPerson, check: String)
    /// The user who has this sign-in name, if any, and who must already have a password if `forPassword` is `true`.
    case name(String, check: String, forPassword: Bool)

    static func verifying(_ address: String, isName: Bool) -> CodeRecipient {
        isName ? .newAddress(address) : .attributeAddress(address)
    }

    /// The new account's address that the code verifies, or `nil` if the code is for a check.
    var unverifiedAddress: String? {
        switch self {
        case .newAddress(let address), .attributeAddress(let address): address
        case .person, .name: nil
        }
    }

    /// The check that the code is for, or `nil` if the code verifies a new account's address.
    var check: String? {
        switch self {
        case .newAddress, .attributeAddress: nil
        case .person(_, let check), .name(_, let check, _): check
        }
    }
}

struct MadeCode: Hashable, Sendable {
    let address: String
    let subject: Subject
    let purpose: SentCode.Purpose
    let person: ProvenPerson?
    let mac: Data
    let context: String
    /// The e-mail message to send, or `nil` if the address is unknown.
    let mail: MailDraft?
}

enum MailDraft: Hashable, Sendable {
    case code(to: String, code: Secret)
    case accountExists(to: String)
    /// A message that tells the recipient that sign-up requires an invitation and that the address has no invitation.
    case notInvited(to: String)
}
