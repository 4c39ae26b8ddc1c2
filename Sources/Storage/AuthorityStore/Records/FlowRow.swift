public import FlowModel
public import Foundation
public import Moments
import OAuth
public import Origins

/// A flow as it is kept.
public struct FlowRow: Hashable, Sendable {
    /// The SHA-256 of the flow's id, as base64url.
    public let idHash: String
    /// The owner.
    public let owner: Owner
    /// The account of the cache that it is for, if known.
    public let account: String?
    /// The person, once known.
    public let user: UserID?
    /// The client that started it.
    public let client: String
    /// The policy that runs.
    public let policy: String
    /// Everything else, as the flow engine encodes it: a JSON object; sealed.
    ///
    /// Whatever ends the flow takes the member ``inHand`` out of it.
    public let state: Data
    /// Rises with every change.
    public let rev: Int
    /// True until the flow has ended.
    public let isOpen: Bool
    /// `cancelled` if something other than the flow engine ended it, such as a sign-out; ``state`` does not show it.
    public var closedAs: String?
    /// The caller's name for its request, by which a repetition finds this flow.
    public let requestID: String?
    /// The key shared by equal requests, by which they join this flow.
    public let joinKey: String?
    /// Time of its start, in milliseconds since 1970 UTC.
    public let createdAt: Int64
    /// The end of the flow, which nothing extends.
    public let expires: Deadline
    /// The time until which the row is kept, so that lost replies can be repeated.
    public let keptUntil: Deadline
    /// The levels of the origin of a new flow; nil for those of its owner.
    public var origin: OriginLevels?
    /// The number of the last sign-out before something was read of the flow's person; nil for the last there is.
    ///
    /// A new flow reads the person's session, the claim of an answer the account that the answer is compared with.
    public var knownSignOut: Int64?

    /// The member of ``state`` that must not outlive the flow.
    public static let inHand = "inHand"

    /// A state without what must not outlive its flow; nil if it cannot be read.
    static func emptied(_ state: Data) -> Data? {
        guard var members = try? JSONDecoder().decode([String: JSONValue].self, from: state) else { return nil }
        members[inHand] = nil
        return try? JSONEncoder().encode(members)
    }

    /// A flow as it is kept.
    public init(
        idHash: String,
        owner: Owner,
        account: String? = nil,
        user: UserID? = nil,
        client: String,
        policy: String,
        state: Data,
        rev: Int,
        isOpen: Bool,
        requestID: String? = nil,
        joinKey: String? = nil,
        createdAt: Int64,
        expires: Deadline,
        keptUntil: Deadline
    ) {
        self.idHash = idHash
        self.owner = owner
        self.account = account
        self.user = user
        self.client = client
        self.policy = policy
        self.state = state
        self.rev = rev
        self.isOpen = isOpen
        self.requestID = requestID
        self.joinKey = joinKey
        self.createdAt = createdAt
        self.expires = expires
        self.keptUntil = keptUntil
    }
}

/// Limits on the number of open flows.
public struct FlowCaps: Hashable, Sendable {
    /// Open flows of one owner.
    public let perOwner: Int
    /// Open flows of all owners.
    public let total: Int
    /// The figures for the flows of all owners.
    var shared: SharedTotal { SharedTotal(most: total) }
    /// The figures for the flows of browsers, whose owners cost nothing: a half of all flows.
    var browsers: SharedTotal { SharedTotal(most: total / 2) }

    /// Limits the number of open flows.
    public init(perOwner: Int = 8, total: Int = 256) {
        self.perOwner = perOwner
        self.total = total
    }
}

/// The result of opening a flow.
public enum FlowOpening: Hashable, Sendable {
    /// It was.
    case opened
    /// It was, in the room of an unanswered flow, which has ended.
    case replaced
    /// The same request opened this one less than 120 seconds ago.
    case repeated(FlowRow)
    /// An equal request has this one open.
    case joined(FlowRow)
    /// Too many are open; the first of them ends after the given milliseconds.
    case full(Limit, retryAfterMs: Int64)

    /// The limits on open flows.
    public enum Limit: Hashable, Sendable {
        /// The flows of one owner.
        case ofOwner
        /// The flows of all owners, or those that one network or user may have of them.
        case ofAll
    }
}

/// A request that waits until a flow has identified a person.
public struct PendingRequest: Hashable, Sendable {
    /// The id: random text.
    public let id: String
    /// The owner.
    public let owner: Owner
    /// The client that made it.
    public let client: String
    /// The policy that must be run.
    public let policy: String
    /// The request, as the authority encodes it; sealed.
    public let body: Data
    /// The time until which it may be met.
    public let expires: Deadline

    /// A request that waits for a flow.
    public init(id: String, owner: Owner, client: String, policy: String, body: Data, expires: Deadline) {
        self.id = id
        self.owner = owner
        self.client = client
        self.policy = policy
        self.body = body
        self.expires = expires
    }
}
