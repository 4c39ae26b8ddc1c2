import AuthorityStore
public import FlowModel
public import Flows
import OAuth
public import Policies

/// The form on which a user changes one part of the account.
public struct EditView: Sendable {
    /// The step that describes the form, whose id is the name of the part of the account.
    public let step: Step
    /// The policy whose rules apply to the answers.
    public let policy: Policy
    /// The user's sign-in name.
    public let username: String
    /// The form's CSRF token.
    public let csrf: String
}

/// The content of the account page, with all times in milliseconds since 1970 UTC.
public struct AccountView: Sendable {
    /// A browser in which the user is signed in.
    public struct Browser: Hashable, Sendable {
        /// The id to pass to ``AccountChange/session(_:)`` to end this browser's session.
        public let id: String
        /// When the user signed in.
        public let began: Int64
        /// Whether this browser sent the request.
        public let isCurrent: Bool
    }

    /// The devices that use one client, or the terminals of one uid, which the page lists together.
    public struct Device: Hashable, Sendable {
        /// The id to pass to ``AccountChange/device(_:)`` to sign out these devices or terminals.
        public let id: String
        /// The names of the clients, followed by the uid for terminals.
        public let name: String
        /// Whether these are the terminals of one local user and not devices.
        public let isTerminal: Bool
        /// When the oldest of the current sign-ins on these devices or terminals took place.
        public let connected: Int64

        init(_ device: AccountDevice, names: [String]) {
            id = device.id
            connected = device.connected
            let clients = Array(Set(names)).sorted().joined(separator: ", ")
            switch device.holder {
            case .client: (name, isTerminal) = (clients, false)
            case .owner(.local(_, let uid)): (name, isTerminal) = ("\(clients) (uid \(uid))", true)
            case .owner(.browser): (name, isTerminal) = (clients, false)
            }
        }
    }

    /// A client that the user gave consent to.
    public struct Consent: Hashable, Sendable {
        /// The client's id, to pass to ``AccountChange/consent(client:)`` to revoke the consent.
        public let client: String
        /// The client's display name.
        public let name: String
        /// A description of each scope.
        public let scopes: [String]
        /// When the user gave the consent.
        public let given: Int64
    }

    /// The name to display.
    public let displayName: String
    /// The user's sign-in name.
    public let username: String
    /// The CSRF token of the page's forms.
    public let csrf: String
    /// The parts of the account that the user can change.
    public let edits: Set<AccountEdit>
    /// The providers with an account that the user has linked, followed by the providers that the user can link.
    public let providers: [LinkedProvider]
    /// Whether an account at a provider was linked in the last minute.
    public let hasJustLinked: Bool
    /// The browsers in which the user is signed in.
    public let browsers: [Browser]
    /// The devices and terminals that have the user's tokens.
    public let devices: [Device]
    /// The clients that the user gave consent to.
    public let consents: [Consent]

    /// Returns the browsers that have live sessions, each once, with its newest session.
    static func browsers(of holdings: PersonalHoldings, current: Owner?) -> [Browser] {
        var seen: Set<Owner> = []
        return holdings.sessions.filter { session in
            switch session.owner {
            case .browser: seen.insert(session.owner).inserted
            case .local: false
            }
        }.map { Browser(id: $0.id, began: $0.createdAt, isCurrent: $0.owner == current) }
    }
}

struct AccountDevice {
    enum Holder {
        case client(String)
        case owner(Owner)
    }

    let id: String
    let holder: Holder
    let clients: [String]
    let connected: Int64

    /// Returns the devices grouped by network client and the terminals grouped by uid, newest first.
    static func all(of holdings: PersonalHoldings) -> [AccountDevice] {
        var remote: [String: Int64] = [:]
        var local: [Owner: (clients: [String], connected: Int64)] = [:]
        func note(_ owner: Owner, _ client: String, _ at: Int64) {
            let known = local[owner]
            local[owner] = ((known?.clients ?? []) + [client], min(known?.connected ?? at, at))
        }
        for family in holdings.families {
            switch family.owner {
            case .local: note(family.owner, family.client, family.createdAt)
            case .browser: remote[family.client] = min(remote[family.client] ?? family.createdAt, family.createdAt)
            }
        }
        for session in holdings.sessions {
            switch session.owner {
            case .local: note(session.owner, session.client, session.createdAt)
            case .browser: break
            }
        }
        let devices = remote.map { client, connected in
            AccountDevice(
                id: Handle.hash(Secret("client:\(client)")),
                holder: .client(client),
                clients: [client],
                connected: connected
            )
        }
        let terminals = local.map { owner, held in
            AccountDevice(
                id: Handle.hash(Secret(owner.key)),
                holder: .owner(owner),
                clients: held.clients,
                connected: held.connected
            )
        }
        return (devices + terminals).sorted { ($0.connected, $0.id) > ($1.connected, $1.id) }
    }
}
