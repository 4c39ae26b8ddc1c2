import Attempts
import CustomIdentity
import FlowModel
import Foundation
import Moments
import OAuth
import OpenIDClient
import Policies

/// The whole state of a flow; it is stored sealed.
struct FlowRunState: Codable, Hashable, Sendable {
    /// The id that its owner knows; only its hash is stored in clear text.
    let id: String
    /// The secret that step ids are made from.
    let seed: Data
    let owner: Owner
    /// The place it was begun at, for which its answers are counted; nil in a flow that an earlier version began.
    var begunAt: Origin?
    /// True if it leaves no session, whatever its policy says.
    var leavesNoSession: Bool?
    let client: String
    let policy: PolicyID
    /// The digest of the policy that it was started with.
    let policyDigest: String
    let requirement: Requirement
    let want: Flow.Want
    let pendingRequest: String?
    let ends: Deadline

    var rev = 1
    var state: FlowState = .challenge
    var path: Path
    /// Values that nodes are filled in with; never a secret.
    var prefill: [String: JSONValue]
    var ordinal = 0
    var step: OpenStep?
    var evaluating: Claim?
    var submissions: [SubmissionRecord] = []
    /// The ordinals of steps that have expired.
    var timedOut: Set<Int> = []
    /// The name that was typed last.
    var typedName: String?
    var person: ProvenPerson?
    var draft: Draft?
    var code: SentCode?
    /// The provider that the person has chosen.
    var provider: String?
    /// True if the caller brings the provider's own token, and the person does not go there.
    var isBrought: Bool?
    /// True if the person has proved at the place that began it who they are, so that the flow asks for no proof.
    var isProven: Bool?
    var mails = 0
    /// Proofs of the session that the flow goes on from, as far as they are recent enough.
    var sessionProofs: [Proof] = []
    /// The places at which a flow that links was answered: the ticket of a browser, and nothing for the socket; nil before
    /// the first answer, and in other flows.
    var answeredAt: Set<String>?
    /// Proofs of this flow.
    var proofs: [Proof] = []
    var consented = false
    /// True if the person had given the consent before; nil until that is known.
    var hasConsentedBefore: Bool?
    /// True if the person has a PIN at the owner; nil until that is known, and false in a flow that sets one.
    var hasPIN: Bool?
    /// The PHC string of the PIN that the flow sets; never the PIN.
    var newPIN: Data?
    /// The PHC string of the password that the flow sets for a known person; never the password.
    var newPassword: Data?
    /// The person's attributes, which a profile edit begins with; nil until they are known.
    var profile: [String: JSONValue]?
    /// The attributes that the person has given in their place.
    var edited: [String: JSONValue]?
    /// True if the person has an authenticator; nil until that is known, and false in a flow that adds one.
    var hasAuthenticator: Bool?
    /// The time step of the code by which the person proved to have added the flow's new authenticator.
    var newAuthenticatorStep: Int64?
    /// The device that the person signs in at, by a name that only it knows; nil where nothing tells devices apart.
    var device: String?
    /// True if the person asked to be remembered with the password that was typed last; nil for no.
    var remembers: Bool?
    /// The second factor to be asked for; nil until that is known.
    var secondFactor: SecondFactorChoice?
    /// The checks that would do as well as the second factor, in the policy's order; nil for none.
    var otherFactors: [String]?
    /// The realm of the custom identity provider that asks.
    var realm: String?
    /// The question of the custom identity provider.
    var challenge: RealmChallenge?
    /// The name that was given to the custom identity provider last, for which answers are counted.
    var realmName: String?
    /// The field of the answers in which that name stands; nil until there was an answer.
    var realmField: String?
    /// The account at a provider, or at a custom identity provider, that becomes the person's.
    var newIdentity: ProviderIdentity?
    /// The places at which connectors have let the flow go on; nil for none.
    var askedConnectors: [Connector.Place]?
    /// The address that this flow has proved for an account to make; nil until then.
    var provenAddress: String?
    /// A sentence for the next question of a custom identity provider.
    var remark: Message?
    /// The sentence that a flow ended with, in words of a connector.
    var message: String?
    var retryAfterMs: Int64?
    /// The tries that were used up, where that ended the flow.
    var usedUp: Flow.Tries?
    /// The time until which a flow that has ended is kept.
    var ended: Deadline?
    var finished: FlowOutcome?
    /// The other user, or the machine, whose browser opened the flow's link; nil if there is none.
    var openedBy: LinkOpener?
    /// The number of revisions that record an opening of the link; nil for none.
    var openings: Int?
    /// A digest of the request, which distinguishes another request with the same id; nil if it had no id.
    var requestDigest: String?
    /// The language and the abilities of the program that started it; nil in rows of versions that did not ask.
    var presentation: Presentation?

    /// A way through the policy.
    enum Path: String, Codable, Hashable {
        case signUp
        case signIn
        /// By a code to a new password.
        case reset
    }

    /// The place for which its answers and mails are counted.
    var origin: Origin { begunAt ?? owner.origin }

    /// True for a flow that has ended.
    var isTerminal: Bool { state.isTerminal }

    /// True if a credential was proved in this flow.
    func proves(_ credential: Credential) -> Bool {
        proofs.contains { $0.credential == credential }
    }
}

/// The step that waits for an answer.
struct OpenStep: Codable, Hashable {
    let ordinal: Int
    private let type: StoredStepKind
    let check: String?
    var ends: Deadline
    var messages: [Message]
    var malformed = 0
    /// The time at which it was opened, in seconds since 1970 UTC; nil in a row of a version that did not note it.
    var opened: Int64?

    init(ordinal: Int, kind: any StepKind, check: String?, at now: Moment, ends: Deadline, messages: [Message] = []) {
        self.ordinal = ordinal
        opened = now.seconds
        type = StoredStepKind(kind)
        self.check = check
        self.ends = ends
        self.messages = messages
    }

    /// The kind of the step.
    var kind: any StepKind { type.kind }
}

/// An evaluation under way; only the run that claimed it may finish it.
struct Claim: Codable, Hashable {
    let submission: String
    /// The run of the program that evaluates; once that has ended the evaluation never comes back.
    let runner: String
    let ends: Deadline
}

/// An answer that was taken, without a digest of its content.
struct SubmissionRecord: Codable, Hashable {
    let id: String
    let ordinal: Int
    var verdict: Verdict?
}

/// A person known to the authority who has proved their identity.
struct ProvenPerson: Codable, Hashable {
    let user: UserID
    let username: String
    let displayName: String?
    /// The address that codes are sent to.
    let address: String?
    /// The time at which the password was set, in milliseconds since 1970 UTC; nil if it is not known.
    var passwordSetAt: Int64?
    /// True if another password must be chosen.
    var mustChangePassword: Bool?
}

/// The account of a person who is not known yet.
struct Draft: Codable, Hashable {
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
    var awaitsAttributes: Bool?
    /// True if a user whom a provider has authenticated is asked for an address, because the provider vouched for none and the
    /// policy needs one.
    var asksAddress: Bool?

    /// The address of the account: its sign-in name, or an attribute.
    var address: String? { email ?? attributes["email"]?.string }

    /// The name that is shown.
    var name: String {
        email ?? username ?? attributes["email"]?.string ?? attributes["displayName"]?.string ?? identity?.provider
            ?? ""
    }

    /// The credentials that the account is made with.
    var credentials: [Credential] { passwordHash == nil ? [] : [.password] }
}

/// A code that was sent, or that was not sent but has to look as if it were.
struct SentCode: Codable, Hashable {
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

    enum Purpose: Codable, Hashable {
        /// Proves the address of a new account.
        case verifyAddress
        /// Proves the person, for a check.
        case check(String)
    }
}
