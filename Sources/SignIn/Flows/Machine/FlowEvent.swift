import Attempts
import FlowModel
import Foundation
import OAuth
import OpenIDClient
import Policies

/// An event of a flow.
enum FlowEvent: Hashable, Sendable {
    /// Time has passed.
    case timePassed
    /// It is new; its first step is to be opened.
    case began
    /// An answer was submitted.
    case submitted(step: String, id: String, answers: [String: JSONValue])
    /// An action was taken instead of an answer.
    case acted(step: String, id: String, action: String, value: String? = nil)
    /// The provider's own token was brought.
    case brought(BroughtToken, id: String)
    /// The last evaluation has its finding.
    case evaluated(EvaluationResult)
    /// The owner, or a sign-out, ends it.
    case cancelled
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
    /// The person has a PIN at the owner, or not.
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
    /// Another account took the name meanwhile.
    case nameTaken
}

/// The second factor of a sign-in.
enum SecondFactorChoice: Codable, Hashable, Sendable {
    /// None: the person has proved one at this device of late.
    case knownDevice
    /// The check of this name.
    case check(String)
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
