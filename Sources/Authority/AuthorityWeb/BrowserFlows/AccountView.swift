import AuthorityStore
public import FlowModel
public import Flows
import OAuth
public import Policies

/// The question by which a person changes a thing of their account.
public struct EditView: Sendable {
    /// The question; its id is the word of the thing.
    public let step: Step
    /// The policy whose rules the answers follow.
    public let policy: Policy
    /// The sign-in name.
    public let username: String
    /// The token of the page's form.
    public let csrf: String
}

/// The things that a person has, as their own page shows them; times are in milliseconds since 1970 UTC.
public struct AccountView: Sendable {
    /// A browser in which the person is signed in.
    public struct Browser: Hashable, Sendable {
        /// The word of the change that ends it.
        public let id: String
        /// Time of the sign-in.
        public let began: Int64
        /// True for the browser that asks.
        public let isCurrent: Bool
    }

    /// A client that holds tokens, on all its devices, or the terminals of a uid.
    public struct Device: Hashable, Sendable {
        /// The word of the change that signs it out.
        public let id: String
        /// The clients there, and the uid of terminals.
        public let name: String
        /// True for programs of a terminal.
        public let isTerminal: Bool
        /// Time of the first grant.
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

    /// A client that the person allowed.
    public struct Consent: Hashable, Sendable {
        /// The client's id, the word of the change that takes the consent back.
        public let client: String
        /// The client's name.
        public let name: String
        /// Each scope in words.
        public let scopes: [String]
        /// Time of the consent.
        public let given: Int64
    }

    /// The name to show.
    public let displayName: String
    /// The sign-in name.
    public let username: String
    /// The token of the page's forms.
    public let csrf: String
    /// The things that the person can change.
    public let edits: Set<AccountEdit>
    /// The providers at which an account is linked, and then those at which one could be.
    public let providers: [LinkedProvider]
    /// True if an account at a provider was linked in the last minute.
    public let hasJustLinked: Bool
    /// The browsers.
    public let browsers: [Browser]
    /// The devices and terminals.
    public let devices: [Device]
    /// The consents.
    public let consents: [Consent]

    /// The browsers of live sessions, each once, by its newest session.
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

/// Something that holds tokens or a session of a person, beside browsers.
struct AccountDevice {
    /// The rows that end together.
    enum Holder {
        /// All families of a client of the network.
        case client(String)
        /// All of a uid.
        case owner(Owner)
    }

    let id: String
    let holder: Holder
    let clients: [String]
    let connected: Int64

    /// Each client of the network and each uid once, however often they signed the person in, the newest first.
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
