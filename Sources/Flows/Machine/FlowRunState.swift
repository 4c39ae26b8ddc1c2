import Attempts
import FlowModel
import Foundation
import Moments
import OAuth
import Policies

/// All that a flow knows; it is sealed where it is stored.
struct FlowRunState: Codable, Hashable, Sendable {
    /// The id that its owner knows; in the clear there is only its hash.
    let id: String
    /// The secret that step ids are made from.
    let seed: Data
    let owner: Owner
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
    /// Values that nodes hold already; never a secret.
    var prefill: [String: JSONValue]
    var ordinal = 0
    var step: OpenStep?
    var evaluating: Claim?
    var submissions: [SubmissionRecord] = []
    /// The ordinals of steps whose time ended.
    var timedOut: Set<Int> = []
    /// The name that was typed last.
    var typedName: String?
    var person: ProvenPerson?
    var draft: Draft?
    var code: SentCode?
    var mails = 0
    /// Proofs of the session that the flow goes on from, as far as they are recent enough.
    var sessionProofs: [Proof] = []
    /// Proofs of this flow.
    var proofs: [Proof] = []
    var consented = false
    var retryAfterMs: Int64?
    /// The end of the time for which a flow that has ended is kept.
    var ended: Deadline?
    var finished: Finished?
    /// A digest of the request, so that another one under the same id is told apart; nil where it had no id.
    var requestDigest: String?

    /// A way through the policy.
    enum Path: String, Codable, Hashable {
        case signUp
        case signIn
    }

    /// True for a flow that has ended.
    var isTerminal: Bool { state.isTerminal }

    /// True where a credential was proved in this flow.
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

    init(ordinal: Int, kind: any StepKind, check: String?, ends: Deadline, messages: [Message] = []) {
        self.ordinal = ordinal
        type = StoredStepKind(kind)
        self.check = check
        self.ends = ends
        self.messages = messages
    }

    /// The kind of the step.
    var kind: any StepKind { type.kind }
}

/// An evaluation under way; whoever claimed may finish it.
struct Claim: Codable, Hashable {
    let submission: String
    /// The run of the program that evaluates; another run knows that it never will.
    let runner: String
    let ends: Deadline
}

/// An answer that was taken; no digest of what it said.
struct SubmissionRecord: Codable, Hashable {
    let id: String
    let ordinal: Int
    var verdict: Verdict?
}

/// A person who is known to the authority and has proved it.
struct ProvenPerson: Codable, Hashable {
    let user: UserID
    let username: String
    let displayName: String?
    /// The address that codes are sent to.
    let address: String?
}

/// A person who is not known yet.
struct Draft: Codable, Hashable {
    let email: String?
    let username: String?
    let attributes: [String: JSONValue]
    /// The PHC string; never the password.
    var passwordHash: Data?
    /// True while the address has still to be proved.
    var mustVerify: Bool

    /// The name that is shown.
    var name: String { email ?? username ?? "" }

    /// The credentials that the account is made with.
    var credentials: [Credential] { passwordHash == nil ? [] : [.password] }
}

/// A code that was sent, or that everybody must believe was.
struct SentCode: Codable, Hashable {
    let address: String
    /// The person, or the name, whose attempts count.
    let subject: Subject
    let purpose: Purpose
    /// The person whom it proves; nil where the address is unknown.
    let person: ProvenPerson?
    /// Nothing once its time has ended.
    var mac: Data?
    let context: String
    let ends: Deadline
    let resend: Deadline

    enum Purpose: Codable, Hashable {
        /// To prove the address of a new account.
        case verifyAddress
        /// To find out who the person is.
        case check(String)
    }
}
