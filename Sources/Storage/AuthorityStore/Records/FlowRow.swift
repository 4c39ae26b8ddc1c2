public import FlowModel
public import Foundation
public import Moments
import OAuth
public import Origins

/// A flow as it is stored.
public struct FlowRow: Hashable, Sendable {
    /// The SHA-256 of the flow's id, in base64url.
    public let idHash: String
    /// The owner of the flow.
    public let owner: Owner
    /// The cached account that the flow is for, or `nil` if the account is unknown.
    public let account: String?
    /// The user's id, or `nil` while the user is unknown.
    public let user: UserID?
    /// The `client_id` of the client that started the flow.
    public let client: String
    /// The policy that the flow runs.
    public let policy: String
    /// The flow engine's state, a JSON object stored encrypted, without ``inHand`` after the flow has ended.
    public let state: Data
    /// The revision, which increases with every change.
    public let rev: Int
    /// Whether the flow is still open.
    public let isOpen: Bool
    /// How the flow ended, such as `cancelled` by a sign-out, or `nil` if it is open or the flow engine ended it.
    public var closedAs: String?
    /// The caller's id for the request that started the flow, or `nil` if there is none.
    ///
    /// A repeated request has the same id.
    public let requestID: String?
    /// The key that lets equivalent requests join this flow instead of opening another, or `nil` if none can join.
    public let joinKey: String?
    /// When the flow started, in milliseconds since 1970 UTC.
    public let createdAt: Int64
    /// When the flow expires, which never changes.
    public let expires: Deadline
    /// When the row can be deleted, because lost responses are sent again only until then.
    public let keptUntil: Deadline
    /// The origin levels of a new flow, or `nil` to use the origin levels of the flow's owner.
    public var origin: OriginLevels?
    /// The number of the most recent sign-out when the flow's user was read, or `nil` to use the number when writing.
    public var knownSignOut: Int64?

    /// The name of the member in ``state`` that holds data to delete when the flow ends.
    public static let inHand = "inHand"

    /// Returns a state without the member ``inHand``, or `nil` if the state cannot be read.
    static func emptied(_ state: Data) -> Data? {
        guard var members = try? JSONDecoder().decode([String: JSONValue].self, from: state) else { return nil }
        members[inHand] = nil
        return try? JSONEncoder().encode(members)
    }

    /// Creates a row for a flow.
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

/// The limits on the number of open flows.
public struct FlowCaps: Hashable, Sendable {
    /// The maximum number of open flows per owner.
    public let perOwner: Int
    /// The maximum number of open flows in total.
    public let total: Int
    var shared: SharedTotal { SharedTotal(most: total) }
    /// The limit for browsers: half of the total, because a browser can create owners at no cost.
    var browsers: SharedTotal { SharedTotal(most: total / 2) }

    /// Creates limits on the number of open flows.
    public init(perOwner: Int = 8, total: Int = 256) {
        self.perOwner = perOwner
        self.total = total
    }
}

/// The result of opening a flow.
public enum FlowOpening: Hashable, Sendable {
    case opened
    /// The flow was opened, and an unanswered flow was ended to make space.
    case replaced
    /// The same request opened this flow less than 120 seconds ago.
    case repeated(FlowRow)
    /// An equivalent request already opened this flow, and this request joins it.
    case joined(FlowRow)
    /// No flow was opened because too many are open, the first of which expires in `retryAfterMs` milliseconds.
    case full(Limit, retryAfterMs: Int64)

    /// The limit that was reached.
    public enum Limit: Hashable, Sendable {
        case ofOwner
        /// The limit on all flows together, or on the flows from one network or user.
        case ofAll
    }
}

/// A request that is waiting for a flow to identify the user.
public struct PendingRequest: Hashable, Sendable {
    /// The random id.
    public let id: String
    /// The owner of the request.
    public let owner: Owner
    /// The `client_id` of the request.
    public let client: String
    /// The policy to run.
    public let policy: String
    /// The request, encoded by the authority and stored encrypted.
    public let body: Data
    /// When the request expires.
    public let expires: Deadline

    /// Creates a request that is waiting for a flow.
    public init(id: String, owner: Owner, client: String, policy: String, body: Data, expires: Deadline) {
        self.id = id
        self.owner = owner
        self.client = client
        self.policy = policy
        self.body = body
        self.expires = expires
    }
}
