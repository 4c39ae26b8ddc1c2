import Attempts
import AuthorityStore
import CustomIdentity
import FlowModel
import Foundation
import Moments
import OAuth
import OpenIDClient
import Policies

/// A question that the machine cannot answer itself.
enum Evaluation: Hashable, Sendable {
    /// Compares a password with that of the user with a name.
    case password(name: String, password: Secret, check: Check)
    /// Looks up if a person has the enrolled credential of a check, and that its budget is not used up.
    case find(UserID, Check)
    /// Compares an answer with the enrolled credential of a check.
    case verify(Secret, UserID, Check)
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

/// The result of an evaluation.
enum EvaluationResult: Hashable, Sendable {
    /// Nothing was evaluated: a budget or a queue is full, or the store failed. The step stays open.
    case refused(Refusal)
    /// The answer was wrong.
    case wrong
    /// The answer was wrong and was the last one.
    case exhausted(retryAfterMs: Int64)
    /// The answer was correct; with the person it proves and their names, if only the answer tells.
    case right(ProvenPerson?, names: [String] = [])
    /// The person has consented before, or not.
    case consent(Bool)
    /// The person has the enrolled credential, or not.
    case enrolled(Bool)
    /// The second factor that the person is to be asked for, and the checks that would do as well.
    case secondFactor(SecondFactorChoice, others: [String] = [])
    /// The attributes of the person.
    case profile([String: JSONValue])
    /// A new password or PIN is hashed.
    case hashed(Data)
    /// A code is made, and maybe a mail with it.
    case codeMade(MadeCode)
    /// A provider has proved a person; with the person's account here and its names, if there is one.
    case identified(ProviderIdentity, ProvenPerson?, names: [String])
    /// A provider of one's own has answered, or its statement was verified, for a check.
    case realm(RealmFinding, Check)
    /// A connector of the policy has answered, or has not.
    case connector(Connector.Place, ConnectorFinding)
}

/// The words of a custom identity provider, as far as they are of use here.
enum RealmFinding: Hashable, Sendable {
    /// It asks the person something.
    case challenge(RealmChallenge)
    /// It knows the person; with the account here, if there is one.
    case person(ExternalIdentity, ProvenPerson?, names: [String])
    /// It lets nobody in.
    case failure
}

/// The word of a connector, as far as it is of use here.
enum ConnectorFinding: Hashable, Sendable {
    /// It has answered.
    case answer(ConnectorAnswer)
    /// It has not, and this is what the caller is told.
    case failed(Refusal)
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

    /// The recipient of a code that proves the address of a new account.
    static func verifying(_ address: String, isName: Bool) -> CodeRecipient {
        isName ? .newAddress(address) : .attributeAddress(address)
    }

    /// The check that the code is for; nil where it proves the address of a new account.
    var check: String? {
        switch self {
        case .newAddress, .attributeAddress: nil
        case .person(_, let check), .name(_, let check, _): check
        }
    }
}

/// A code that was made for an address.
struct MadeCode: Hashable, Sendable {
    let address: String
    let subject: Subject
    let purpose: SentCode.Purpose
    let person: ProvenPerson?
    let mac: Data
    let context: String
    /// The mail to send; nil if the address is unknown.
    let mail: MailDraft?
}

/// A mail to write.
enum MailDraft: Hashable, Sendable {
    /// The code.
    case code(to: String, code: Secret)
    /// A note that the address has an account already.
    case accountExists(to: String)
    /// A note that sign-up needs an invitation, and the address has none.
    case notInvited(to: String)
}
